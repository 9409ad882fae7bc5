import { Kafka, logLevel } from 'kafkajs';
import type pg from 'pg';

export const kafkaOf = (brokers: string[]) => new Kafka({ brokers, clientId: 'bench', logLevel: logLevel.NOTHING });

/** As the relay sends (services/shared/src/messaging/outbox/relay.ts). */
const batchSize = 1_000;

/** Sends the events of an outbox again by Kafka's client alone, with the relay's guarantees. @returns messages per second */
export async function bareProducer(brokers: string[], outbox: pg.Client): Promise<number> {
  const { rows } = await outbox.query<{ key: string; value: string }>('select key, payload as value from outbox');
  const kafka = kafkaOf(brokers);
  const admin = kafka.admin();
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  const topic = 'bench';
  await Promise.all([admin.connect(), producer.connect()]);
  try {
    await admin.createTopics({ topics: [{ topic, numPartitions: 6 }], waitForLeaders: true });
    const start = performance.now();
    for (let from = 0; from < rows.length; from += batchSize) {
      await producer.send({ topic, acks: -1, messages: rows.slice(from, from + batchSize) });
    }
    return rows.length / ((performance.now() - start) / 1000);
  } finally {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }
}

/** Inserts one row per transaction on one connection. @returns transactions per second */
export async function bareInserts(client: pg.Client): Promise<number> {
  const count = 2_000;
  const insert = `insert into processed_events (consumer_group, event_id) values ('bench', gen_random_uuid())`;
  const start = performance.now();
  for (let n = 0; n < count; n += 1) await client.query({ name: 'insert', text: insert });
  return count / ((performance.now() - start) / 1000);
}
