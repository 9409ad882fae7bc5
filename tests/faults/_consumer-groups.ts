import { setTimeout as wait } from 'node:timers/promises';
import { orderEventsTopic } from '@store/shared/messaging/events';
import { disconnect } from '@store/shared/messaging/kafka';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import type { Dice, Fixture } from './_fixture.ts';
import { type Group, groups } from './_poison.ts';

/** One try of a question to the broker; one that has just started may drop a request without a word. */
const tryMs = 15_000;

export const createClient = ({ store }: Fixture) =>
  new Kafka({ brokers: store.kafkaBrokers, clientId: 'test', logLevel: logLevel.NOTHING });

/** Asks the broker, again and again until it answers. */
async function ask<T>(fixture: Fixture, what: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  let last: unknown;
  for (const deadline = Date.now() + 90_000; Date.now() < deadline; await wait(500)) {
    fixture.signal.throwIfAborted();
    const admin = createClient(fixture).admin();
    const late = wait(tryMs, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer')));
    late.catch(() => undefined);
    try {
      return await Promise.race([admin.connect().then(() => work(admin)), late]);
    } catch (error) {
      last = error;
    } finally {
      await disconnect(admin);
    }
  }
  throw new Error(`${what}: it cannot be had from the broker`, { cause: last });
}

/** Where the groups stand that are not at the end of the topic, as `invoice-group 3: 17 of 20`. */
export const behind = (fixture: Fixture): Promise<string[]> =>
  ask(fixture, 'Offsets of the groups', async (admin) => {
    const lines: string[] = [];
    for (const groupId of Object.keys(groups)) {
      const [read] = await admin.fetchOffsets({ groupId, topics: [orderEventsTopic] });
      for (const { partition, high } of await admin.fetchTopicOffsets(orderEventsTopic)) {
        const offset = Number(read?.partitions.find((one) => one.partition === partition)?.offset ?? -1);
        if (Math.max(offset, 0) < Number(high)) lines.push(`${groupId} ${partition}: ${offset} of ${high}`);
      }
    }
    return lines;
  });

/**
 * Its member leaves, some of its partitions go back to an earlier offset, and it comes again.
 * @param dice undefined: all partitions go back to the beginning
 */
export async function reread(fixture: Fixture, groupId: Group, dice?: Dice): Promise<void> {
  const component = fixture.store.component(groups[groupId]);
  await component.stop();
  const read = () =>
    ask(fixture, `Offsets of ${groupId}`, async (admin) => {
      const [offsets] = await admin.fetchOffsets({ groupId, topics: [orderEventsTopic] });
      return offsets?.partitions ?? [];
    });
  const back = (await read()).flatMap(({ partition, offset }) => {
    if (Number(offset) <= 0 || dice?.(2) === 1) return [];
    return { partition, offset: String(dice?.(Number(offset)) ?? 0) };
  });
  const places = back.map(({ partition, offset }) => `${partition}:${offset}`).join(' ');
  // Refused until the session of a member that was killed has run out.
  await ask(fixture, `Other offsets for ${groupId}`, async (admin) => {
    if (back.length > 0) await admin.setOffsets({ groupId, topic: orderEventsTopic, partitions: back });
  });
  const now = new Map((await read()).map(({ partition, offset }) => [partition, offset]));
  if (back.some(({ partition, offset }) => now.get(partition) !== offset)) {
    throw new Error(`The offsets of ${groupId} were not set to ${places}.`);
  }
  fixture.say(`${groupId} reads again from partition:offset ${places || 'where it was'}`);
  await component.restart();
}
