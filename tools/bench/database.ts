import pg from 'pg';

/** Calls `work` with a connection to a database, and closes it afterwards. */
export async function withDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Inserts 1,000 products, from which orders are made too. */
export const fillCatalogue = (url: string) =>
  withDatabase(url, async (client) => {
    await client.query(`
      insert into products (id, name, price, unit)
      select gen_random_uuid(), 'Product number ' || n, n * 1.25, 'piece'
      from generate_series((select count(*) from products) + 1, 1000) as n`);
    await client.query('analyze products');
  });
