import { Kafka, logLevel } from 'kafkajs';

export interface SeenEvent {
  key: string;
  payload: Record<string, unknown>;
  headers: Record<string, string>;
}

/** Reads order-events from its beginning, in the background. */
export async function readEvents(brokers: string[]) {
  const kafka = new Kafka({ brokers, clientId: 'test', logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `test-${Date.now()}` });
  const events: SeenEvent[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic: 'order-events', fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
      events.push({
        key: String(message.key),
        payload: JSON.parse(String(message.value)),
        headers: Object.fromEntries(headers),
      });
    },
  });
  return {
    events,
    of: (orderId: string) => events.filter(({ key }) => key === orderId),
    stop: () => consumer.disconnect(),
  };
}
