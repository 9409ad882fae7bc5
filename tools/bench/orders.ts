import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { compareRates, type Measurement, startBare } from './bench.ts';
import { fillCatalogue } from './products.ts';

export const orders: Measurement = {
  name: 'orders',
  parts: ['product', 'order', 'order-worker'],
  async run({ store, say }) {
    await fillCatalogue(store.databaseUrl('product'));
    const worker = store.part('order-worker');
    const database = new pg.Client({ connectionString: store.databaseUrl('order') });
    await database.connect();
    // Both sides write events; publishing them is measured below.
    await worker.stop();
    await database.query('truncate orders, order_items, idempotency_keys, outbox');
    const bare = await startBare('bare-orders.ts', store.databaseUrl('order'), say);
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
      return [{ ...rates, atLeast: 0.4 }, await publish(database, worker.restart, say)];
    } finally {
      await bare.stop();
      await database.end();
    }
  },
};

/** How long the order worker takes for the events that have gathered. */
async function publish(database: pg.Client, restart: () => Promise<void>, say: (line: string) => void) {
  const count = async () =>
    Number((await database.query('select count(*) from outbox where sent_at is null')).rows[0].count);
  const total = await count();
  say(`the order worker publishes ${total} events`);
  const began = Date.now();
  await restart();
  while ((await count()) > 0) await sleep(100);
  const seconds = (Date.now() - began) / 1000;
  const measured = `${total} events in ${seconds.toFixed(1)} s with its start`;
  return { what: 'Outbox to Kafka', measured, result: total / seconds, unit: 'per s' };
}
