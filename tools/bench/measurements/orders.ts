import { randomUUID } from 'node:crypto';
import { startBaseline } from '../baselines/start-baseline.ts';
import { productIds } from '../customer.ts';
import { fillCatalogue } from '../database.ts';
import type { Measurement } from '../measurement.ts';
import { compareRates } from '../rates.ts';

/** Without the worker: both sides write events, and backlog.ts measures their publishing. */
export const orders: Measurement = {
  name: 'orders',
  components: ['product', 'order'],
  async run({ store, log }) {
    await fillCatalogue(store.databaseUrl('product'));
    const baseline = await startBaseline('orders.ts', store.databaseUrl('order'), log);
    try {
      const products = (await productIds(store.url('product'))).slice(0, 3);
      const request = {
        method: 'POST' as const,
        headers: { 'content-type': 'application/json', 'id-account': randomUUID() },
        uniqueHeaders: () => ({ 'idempotency-key': randomUUID() }),
        body: JSON.stringify({ items: products.map((productId) => ({ productId, quantity: 2 })) }),
      };
      const requestTo = (url: string) => ({ ...request, url: `${url}/orders` });
      const rates = await compareRates(
        'POST /orders, 3 items',
        requestTo(store.url('order')),
        requestTo(baseline.url),
        log,
      );
      return [{ ...rates, atLeast: 0.4 }];
    } finally {
      await baseline.stop();
    }
  },
};
