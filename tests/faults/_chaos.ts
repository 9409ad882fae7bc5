import { Kafka, logLevel } from 'kafkajs';
import type { PartName } from '../../tools/local/store.ts';
import type { TestStore } from '../e2e/_store.ts';

export const orderParts: PartName[] = [
  'order',
  'order-worker',
  'inventory',
  'payment',
  'notification',
  'analytics',
  'invoice',
];
const groups = [
  'order-group',
  'inventory-group',
  'payment-group',
  'notification-group',
  'analytics-group',
  'invoice-group',
];

/** The same wild course at every run of one seed. */
export function createDice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * sides);
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Kills one part after another until told to stop; broker and database are taken away in between. */
export async function rage(
  store: TestStore,
  dice: (sides: number) => number,
  isOver: () => boolean,
): Promise<string[]> {
  const done: string[] = [];
  for (let turn = 1; !isOver(); turn += 1) {
    if (turn % 6 === 0) {
      const name = turn % 12 === 0 ? 'postgres' : 'kafka';
      await store.part(name).stop();
      await pause(1_500);
      await store.part(name).restart();
      done.push(`${name} was away`);
    } else {
      const name = orderParts[dice(orderParts.length)] ?? 'order';
      store.part(name).kill('SIGKILL');
      done.push(`${name} was killed`);
    }
    await pause(500 + dice(1_000));
  }
  return done;
}

/** Every group reads the whole topic once more: its members stop, its offsets go back to the beginning. */
export async function redeliver(store: TestStore): Promise<void> {
  const consuming = orderParts.filter((name) => name !== 'order');
  await Promise.all(consuming.map((name) => store.part(name).stop()));
  const admin = new Kafka({ brokers: store.kafkaBrokers, clientId: 'test', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  for (const groupId of groups) {
    // A member that was killed counts as one until its session has run out.
    for (const deadline = Date.now() + 60_000; ; await pause(500)) {
      const reset = await admin.resetOffsets({ groupId, topic: 'order-events', earliest: true }).then(
        () => true,
        () => false,
      );
      if (reset) break;
      if (Date.now() > deadline) throw new Error(`The offsets of ${groupId} cannot be reset.`);
    }
  }
  await admin.disconnect();
  await Promise.all(consuming.map((name) => store.part(name).restart()));
}

/** Whether every group has come to the end of the topic. */
export async function isAllRead(store: TestStore): Promise<boolean> {
  const admin = new Kafka({ brokers: store.kafkaBrokers, clientId: 'test', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const ends = await admin.fetchTopicOffsets('order-events');
    for (const groupId of groups) {
      const [read] = await admin.fetchOffsets({ groupId, topics: ['order-events'] });
      for (const { partition, high } of ends) {
        const offset = read?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
        if (BigInt(high) > 0n && BigInt(offset) < BigInt(high)) return false;
      }
    }
    return true;
  } finally {
    await admin.disconnect();
  }
}
