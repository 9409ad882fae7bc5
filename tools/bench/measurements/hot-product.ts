import pMap from 'p-map';
import pg from 'pg';
import type { Store } from '../../local/store.ts';
import type { Measurement } from '../measurement.ts';
import { newCustomer, openOrderLoad, productIds } from '../whole-orders.ts';
import { orderLife } from './order-life.ts';
import { fillCatalogue } from './products.ts';

const customerCount = 16;
const seconds = 10;
const plenty = 1_000_000;
const scarce = 200;

/** Measures if orders of one product, whose stock all of them lock, cost more than orders of many, and leave an exact stock. */
export const hotProduct: Measurement = {
  name: 'hot-product',
  components: orderLife.components,
  gateway: orderLife.gateway,
  async run({ store, log }) {
    await fillCatalogue(store.databaseUrl('product'));
    const products = await productIds(store.url('product'));
    const [hot = '', ...others] = products;
    const customers = await pMap(Array(customerCount).keys(), () => newCustomer(store), { concurrency: 2 });
    const load = await openOrderLoad(store, customers);
    const place = (productIdOf: () => string, forSeconds = seconds) => {
      const items = () => [{ productId: productIdOf(), quantity: 1 }];
      return load.run({ connections: customerCount, seconds: forSeconds, items });
    };
    const any = () => others[Math.floor(Math.random() * others.length)] ?? hot;
    try {
      log('warming up');
      await place(any, 20);
      log(`${customerCount} customers place orders of ${others.length} products, then of one`);
      const spread = await place(any);
      await setStock(store, hot, plenty);
      const one = await place(() => hot);
      let wrong = Math.abs(plenty - one.placed.size - (await stockOf(store, hot)));
      log(`the same, with a stock of ${scarce}`);
      await setStock(store, hot, scarce);
      const { placed } = await place(() => hot);
      wrong += Math.abs(Math.max(scarce - placed.size, 0) - (await stockOf(store, hot)));
      wrong += Math.abs(Math.min(scarce, placed.size) - (await countConfirmed(store, [...placed.keys()])));
      return [
        {
          name: 'An order of one product that all take against one of many, CPU of all processes',
          measured:
            `${one.cost.toFixed(1)} against ${spread.cost.toFixed(1)} ms, ` +
            `${one.perSecond.toFixed()} against ${spread.perSecond.toFixed()} per s`,
          ...{ result: one.cost / spread.cost, atMost: 1.2 },
        },
        {
          name: `Pieces lost or sold twice, of a product that ${customerCount} customers take`,
          measured: `${one.placed.size} orders with enough stock, ${placed.size} with a stock of ${scarce}`,
          ...{ result: wrong, atMost: 0 },
        },
      ];
    } finally {
      await load.close();
    }
  },
};

async function setStock(store: Store, productId: string, available: number): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ available });
  const response = await fetch(`${store.url('inventory')}/stock/${productId}`, { method: 'PUT', headers, body });
  if (!response.ok) throw new Error(`PUT /stock/${productId} returned ${response.status}.`);
}

async function stockOf(store: Store, productId: string): Promise<number> {
  const response = await fetch(`${store.url('inventory')}/stock/${productId}`);
  return ((await response.json()) as { available: number }).available;
}

async function countConfirmed(store: Store, ids: string[]): Promise<number> {
  const client = new pg.Client({ connectionString: store.databaseUrl('order') });
  await client.connect();
  try {
    const confirmed = `select from orders where id = any($1::uuid[]) and status = 'CONFIRMED'`;
    return (await client.query(confirmed, [ids])).rowCount ?? NaN;
  } finally {
    await client.end();
  }
}
