import { randomUUID } from 'node:crypto';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import pg from 'pg';
import { quantile } from 'simple-statistics';
import { kafkaOf } from '../baselines/events.ts';
import { orderPlacer } from '../customer.ts';
import { atRate, nowMs, until, warmUp } from '../load.ts';
import type { Measurement } from '../measurement.ts';
import type { Row } from '../report.ts';
import { fillCatalogue } from './products.ts';

const perSecond = 50;
const seconds = 30;

/** How long after the commit of an order its event arrives at a consumer. */
export const events: Measurement = {
  name: 'events',
  components: ['product', 'order', 'order-worker'],
  async run({ store, log }) {
    await fillCatalogue(store.databaseUrl('product'));
    const topic = await openTopic(store.kafkaBrokers);
    const database = new pg.Client({ connectionString: store.databaseUrl('order') });
    await database.connect();
    try {
      const place = await orderPlacer(store.url('order'), store.url('product'), { 'id-account': randomUUID() });
      log(`warming up, then placing ${perSecond} orders per second for ${seconds} s`);
      await warmUp(place);
      await atRate(perSecond, 10, place);
      const ids = (await atRate(perSecond, seconds, place)).map(({ id }) => id);
      await until('every event has arrived', () => ids.every((id) => topic.arrivals.has(id)));
      // Taken just before the commit is flushed to disk, which the delay thus includes; the rows have not changed since.
      const { rows } = await database.query<{ id: string; at: number }>(
        `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
         from orders where id = any($1::uuid[])`,
        [ids],
      );
      const delays = rows.map(({ id, at }) => (topic.arrivals.get(id) ?? NaN) - at);

      log('sending messages by Kafka’s client alone');
      const sent = await atRate(perSecond, 10, async () => {
        const [id, sentAt] = [randomUUID(), nowMs()];
        await topic.send(id);
        return { id, sentAt };
      });
      await until('every message has arrived', () => sent.every(({ id }) => topic.arrivals.has(id)));
      const bareDelays = sent.map(({ id, sentAt }) => (topic.arrivals.get(id) ?? NaN) - sentAt);

      const row = (name: string, share: number, atMost: number): Row => ({
        name: `Commit of an order to arrival of its event, ${name}`,
        measured: `at ${perSecond} orders per second; a message alone ${quantile(bareDelays, share).toFixed(1)} ms`,
        ...{ result: quantile(delays, share), unit: 'ms', atMost },
      });
      return [row('p50', 0.5, 10), row('p99', 0.99, 50)];
    } finally {
      await database.end();
      await topic.close();
    }
  },
};

/** A consumer that records when a message of each key first arrived, and a producer. */
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
