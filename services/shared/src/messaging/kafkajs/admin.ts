import type { Admin } from 'kafkajs';
import { createKafka, disconnect, type KafkaOptions, untilAborted } from './client.ts';

/** Asks the broker with a client of its own. Rejects without an answer in time, or with the broker's error. */
export async function askAdmin<T>(broker: KafkaOptions, timeoutMs: number, ask: (admin: Admin) => Promise<T>) {
  const ended = new AbortController();
  const admin = createKafka({ ...broker, signal: ended.signal }).admin();
  const timeout = setTimeout(() => ended.abort(new Error('The broker does not answer')), timeoutMs);
  try {
    return await untilAborted(ended.signal, async () => {
      await admin.connect();
      return ask(admin);
    });
  } finally {
    clearTimeout(timeout);
    await disconnect(admin);
    ended.abort();
  }
}
