import { randomUUID } from 'node:crypto';
import { orderEventsTopic } from '@store/shared/messaging/events';
import pg from 'pg';
import { kafkaOf } from '../baselines/events.ts';
import { atRate, nowMs, orderPlacer, warmUp } from '../load.ts';
import type { Measurement } from '../measurement.ts';
import { percentile, until } from '../rates.ts';
import type { Row } from '../report.ts';
import { fillCatalogue } from './products.ts';

const perSecond = 50;
const seconds = 30;

/** How long after the commit of an order its event can be read. */
export const events: Measurement = {
  name: 'events',
  components: ['product', 'order', 'order-worker'],
  async run({ store, say }) {
    await fillCatalogue(store.databaseUrl('product'));
    const topic = await openTopic(store.kafkaBrokers);
    const database = new pg.Client({ connectionString: store.databaseUrl('order') });
    await database.connect();
    try {
      const place = await orderPlacer(store.urls.order, store.urls.product, { 'id-account': randomUUID() });
      say(`warms up, then places ${perSecond} orders per second for ${seconds} s`);
      await warmUp(place);
      await atRate(perSecond, 10, place);
      const ids = (await atRate(perSecond, seconds, place)).map(({ id }) => id);
      await until('the topic has every event', () => ids.every((id) => topic.arrivals.has(id)));
      // Written down just before the commit goes to disk: the delay includes that. Nobody has changed the rows since.
      const { rows } = await database.query<{ id: string; at: number }>(
        `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
         from orders where id = any($1::uuid[])`,
        [ids],
      );
      const delays = rows.map(({ id, at }) => (topic.arrivals.get(id) ?? NaN) - at);

      say('sends as many messages without a store');
      const sent = await atRate(perSecond, 10, async () => {
        const [id, at] = [randomUUID(), nowMs()];
        await topic.send(id);
        return { id, at };
      });
      await until('the topic has every message', () => sent.every(({ id }) => topic.arrivals.has(id)));
      const bare = sent.map(({ id, at }) => (topic.arrivals.get(id) ?? NaN) - at);

      const row = (name: string, share: number, atMost: number): Row => ({
        what: `Commit of an order to its event on the topic, ${name}`,
        measured: `at ${perSecond} orders per second; a bare message ${percentile(bare, share).toFixed(1)} ms`,
        ...{ result: percentile(delays, share), unit: 'ms', atMost },
      });
      return [row('p50', 0.5, 10), row('p99', 0.99, 50)];
    } finally {
      await database.end();
      await topic.close();
    }
  },
};

/** Who reads the topic all the time, and knows when each key was first there. */
async function openTopic(brokers: string[]) {
  const kafka = kafkaOf(brokers);
  const arrivals = new Map<string, number>();
  const consumer = kafka.consumer({ groupId: `bench-${randomUUID()}` });
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await Promise.all([consumer.connect(), producer.connect()]);
  await consumer.subscribe({ topic: orderEventsTopic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const key = String(message.key);
      if (!arrivals.has(key)) arrivals.set(key, nowMs());
    },
  });
  return {
    arrivals,
    send: (key: string) => producer.send({ topic: orderEventsTopic, acks: -1, messages: [{ key, value: '{}' }] }),
    close: () => Promise.all([consumer.disconnect(), producer.disconnect()]),
  };
}
