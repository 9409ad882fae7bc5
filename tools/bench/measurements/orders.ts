import { randomUUID } from 'node:crypto';
import { compareRates, type Measurement, startBare } from '../measurement.ts';
import { fillCatalogue } from './products.ts';

/** Without the worker: both sides write events, and publishing them is measured elsewhere (backlog.ts). */
export const orders: Measurement = {
  name: 'orders',
  components: ['product', 'order'],
  async run({ store, say }) {
    await fillCatalogue(store.databaseUrl('product'));
    const bare = await startBare('orders.ts', store.databaseUrl('order'), say);
    try {
      const answer = await fetch(`${store.urls.product}/products?size=3`);
      const products = (await answer.json()) as { id: string }[];
      const request = {
        method: 'POST' as const,
        headers: { 'content-type': 'application/json', 'id-account': randomUUID() },
        fresh: () => ({ 'idempotency-key': randomUUID() }),
        body: JSON.stringify({ items: products.map(({ id }) => ({ productId: id, quantity: 2 })) }),
      };
      const requestTo = (url: string) => ({ ...request, url: `${url}/orders` });
      const rates = await compareRates('POST /orders, 3 items', requestTo(store.urls.order), requestTo(bare.url), say);
      return [{ ...rates, atLeast: 0.4 }];
    } finally {
      await bare.stop();
    }
  },
};
