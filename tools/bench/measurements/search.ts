import pg from 'pg';
import { median, quantile } from 'simple-statistics';
import type { Log, Measurement } from '../measurement.ts';

const productCount = 1_000_000;

/** Searches of a large catalogue, one after another: what is rare, frequent, nowhere, short. */
const searches = ['oak lamp', 'teapot', 'lamp 77', 'b3f1', 'collection', 'zzzz', 'zq', 'tv', 'o', 'round mirror'];

export const search: Measurement = {
  name: 'search',
  components: ['product'],
  keepsData: true,
  async run({ store, log }) {
    await fillLargeCatalogue(store.databaseUrl('product'), log);
    const times: number[] = [];
    const timed = async (q: string) => {
      const start = performance.now();
      const response = await fetch(`${store.url('product')}/products?q=${encodeURIComponent(q)}`);
      await response.text();
      if (!response.ok) throw new Error(`A search for ${q} returned ${response.status}.`);
      return performance.now() - start;
    };
    log(`searching for ${searches.length} texts`);
    for (let round = 0; round < 12; round += 1) {
      for (const q of searches) {
        const ms = await timed(q);
        if (round >= 2) times.push(ms);
      }
    }
    const measured = `of ${searches.length} texts among ${productCount / 1e6} million products, p95 ${quantile(times, 0.95).toFixed(1)} ms`;
    return [{ name: 'GET /products?q=, p50', measured, result: median(times), unit: 'ms', atMost: 20 }];
  },
};

/** Runs once: the rows are kept. */
async function fillLargeCatalogue(database: string, log: Log): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query('select count(*)::int as count from products');
    if (rows[0].count === productCount) return;
    log(`inserting ${productCount} products, once`);
    await client.query('truncate products');
    // Filled after the rows, which takes a third of the time.
    await client.query('begin');
    await client.query(`
      create temporary table index_of on commit drop as
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index where indrelid = 'products'::regclass and not indisprimary`);
    const { rows: indexes } = await client.query('select name, definition from index_of');
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query(
      `
      insert into products (id, name, price, unit, created_at)
      select gen_random_uuid(),
             (array['Blue', 'Green', 'Oak', 'Steel', 'Small', 'Large', 'Round', 'Bright', 'Vintage', 'Solid'])[1 + n % 10] || ' ' ||
             (array['Lamp', 'Chair', 'Table', 'Teapot', 'Kettle', 'Mirror', 'Carpet', 'Basket', 'TV', 'Shelf'])[1 + n / 10 % 10] || ' ' ||
             n / 7 % 1000 || ' ' || left(md5(n::text), 8) || case when n % 3 = 0 then ' of the collection' else '' end,
             1 + n % 5000 * 0.25, 'piece', timestamptz '2020-01-01Z' + n * interval '1 second'
      from generate_series(1, $1::int) n`,
      [productCount],
    );
    for (const { definition } of indexes) await client.query(definition);
    await client.query('commit');
    await client.query('vacuum (analyze) products');
  } finally {
    await client.end();
  }
}
