import { Kafka, logLevel } from 'kafkajs';
import type pg from 'pg';

// What the store's event handling is compared with: the broker's client and the database, each alone.

export const kafkaOf = (brokers: string[]) => new Kafka({ brokers, clientId: 'bench', logLevel: logLevel.NOTHING });

/** The relay's batch (services/shared/src/messaging/outbox/relay.ts). */
const atOnce = 1_000;

/** Messages per second of a producer with the relay's guarantees, which gets what the relay has sent, as many at once as it sends. */
export async function bareProducer(brokers: string[], outbox: pg.Client): Promise<number> {
  const { rows } = await outbox.query<{ key: string; value: string }>('select key, payload as value from outbox');
  const kafka = kafkaOf(brokers);
  const admin = kafka.admin();
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  const topic = 'bench';
  await Promise.all([admin.connect(), producer.connect()]);
  try {
    await admin.createTopics({ topics: [{ topic, numPartitions: 6 }], waitForLeaders: true });
    const began = performance.now();
    for (let from = 0; from < rows.length; from += atOnce) {
      await producer.send({ topic, acks: -1, messages: rows.slice(from, from + atOnce) });
    }
    return rows.length / ((performance.now() - began) / 1000);
  } finally {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }
}

/** Transactions per second of one connection that inserts a row in each. */
export async function bareInserts(client: pg.Client): Promise<number> {
  const count = 2_000;
  const insert = `insert into processed_events (consumer_group, event_id) values ('bench', gen_random_uuid())`;
  const began = performance.now();
  for (let n = 0; n < count; n += 1) await client.query({ name: 'insert', text: insert });
  return count / ((performance.now() - began) / 1000);
}
