import { setTimeout as wait } from 'node:timers/promises';
import { disconnect } from '@store/shared/messaging/kafkajs/client';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import type { ComponentName } from '../../../tools/local/store.ts';
import { topology } from '../../../tools/topology/topology.ts';
import type { Random } from '../../kit/random.ts';
import type { Fixture, View } from '../_fixture.ts';

/** A broker that has just started may drop a request silently, so each attempt has a time-out. */
const attemptMs = 15_000;

export const createClient = ({ store }: View) =>
  new Kafka({ brokers: store.kafkaBrokers, clientId: 'test', logLevel: logLevel.NOTHING });

/** Runs a request to the broker and retries it until it succeeds. */
async function withAdmin<T>(view: View, name: string, run: (admin: Admin) => Promise<T>): Promise<T> {
  let lastError: unknown;
  for (const deadline = Date.now() + 90_000; Date.now() < deadline; await wait(500)) {
    view.signal.throwIfAborted();
    const admin = createClient(view).admin();
    const timeout = wait(attemptMs, undefined, { ref: false }).then(() => Promise.reject(new Error('timed out')));
    timeout.catch(() => undefined);
    try {
      return await Promise.race([admin.connect().then(() => run(admin)), timeout]);
    } catch (error) {
      lastError = error;
    } finally {
      await disconnect(admin);
    }
  }
  throw new Error(`${name}: the broker did not respond`, { cause: lastError });
}

export function componentOf(groupId: string): ComponentName {
  const service = topology.groups[groupId];
  if (service === undefined) throw new Error(`There is no group ${groupId}.`);
  return service.name;
}

/** The partitions that a group has not read to the end, each as `invoice-group 3: 17 of 20`. */
export const lag = (view: View): Promise<string[]> =>
  withAdmin(view, 'Offsets of all groups', async (admin) => {
    const lines: string[] = [];
    for (const groupId of Object.keys(topology.groups)) {
      const [committed] = await admin.fetchOffsets({ groupId, topics: [orderEventsTopic] });
      for (const { partition, high } of await admin.fetchTopicOffsets(orderEventsTopic)) {
        const offset = Number(committed?.partitions.find((one) => one.partition === partition)?.offset ?? -1);
        if (Math.max(offset, 0) < Number(high)) lines.push(`${groupId} ${partition}: ${offset} of ${high}`);
      }
    }
    return lines;
  });

/**
 * Stops the group's process, sets committed offsets back, and starts it again.
 * @param random chooses partitions and offsets; without it, all partitions are set back to their beginning
 */
export async function resetOffsets(fixture: Fixture, groupId: string, random?: Random): Promise<void> {
  const component = fixture.store.component(componentOf(groupId));
  await component.stop();
  const fetchCommitted = () =>
    withAdmin(fixture, `Offsets of ${groupId}`, async (admin) => {
      const [offsets] = await admin.fetchOffsets({ groupId, topics: [orderEventsTopic] });
      return offsets?.partitions ?? [];
    });
  const partitions = (await fetchCommitted()).flatMap(({ partition, offset }) => {
    if (Number(offset) <= 0 || random?.(2) === 1) return [];
    return { partition, offset: String(random?.(Number(offset)) ?? 0) };
  });
  const positions = partitions.map(({ partition, offset }) => `${partition}:${offset}`).join(' ');
  // The broker rejects this until the session of a killed member has expired.
  await withAdmin(fixture, `New offsets of ${groupId}`, async (admin) => {
    if (partitions.length > 0) await admin.setOffsets({ groupId, topic: orderEventsTopic, partitions });
  });
  const committed = new Map((await fetchCommitted()).map(({ partition, offset }) => [partition, offset]));
  if (partitions.some(({ partition, offset }) => committed.get(partition) !== offset)) {
    throw new Error(`The offsets of ${groupId} were not set to ${positions}.`);
  }
  fixture.report(`${groupId}: offsets (partition:offset) ${positions ? `set back to ${positions}` : 'unchanged'}`);
  await component.restart();
}
