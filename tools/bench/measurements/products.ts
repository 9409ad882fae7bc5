import pg from 'pg';
import { compareRates, type Measurement, startBare } from '../measurement.ts';

const path = '/products?size=100';

export const products: Measurement = {
  name: 'products',
  components: ['product'],
  async run({ store, say }) {
    const database = store.databaseUrl('product');
    await fillCatalogue(database);
    const bare = await startBare('products.ts', database, say);
    try {
      const [service, other] = [{ url: `${store.urls.product}${path}` }, { url: `${bare.url}${path}` }];
      const [body, otherBody] = await Promise.all([service, other].map(async ({ url }) => (await fetch(url)).text()));
      if (body !== otherBody) throw new Error('The bare server sends other bytes than the product service.');
      return [{ ...(await compareRates(`GET ${path}`, service, other, say)), atLeast: 0.5 }];
    } finally {
      await bare.stop();
    }
  },
};

/** 1,000 products, of which the orders are made too. */
export async function fillCatalogue(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(`
      insert into products (id, name, price, unit)
      select gen_random_uuid(), 'Product number ' || n, n * 1.25, 'piece'
      from generate_series((select count(*) from products) + 1, 1000) as n`);
    await client.query('analyze products');
  } finally {
    await client.end();
  }
}
