import { askAdmin } from '@store/shared/messaging/kafka/admin';
import type { KafkaOptions } from '@store/shared/messaging/kafka/client';
import { orderEventsTopic as topic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import type { Admin } from 'kafkajs';
import { topology } from '../../../tools/topology/topology.ts';
import type { Random } from '../../kit/random.ts';
import { type Fixture, retry, type View } from '../_fixture.ts';

export const groupNames = Object.keys(topology.groups);

export const brokerOf = ({ store }: View): KafkaOptions => ({
  brokers: store.kafkaBrokers,
  clientId: 'test',
  log: createLog('test', 'silent'),
});

/** Asks the broker until it answers, because a broker that has just started may silently drop a request. */
const askBroker = <T>(view: View, ask: (admin: Admin) => Promise<T>): Promise<T> =>
  retry(view, () => askAdmin(brokerOf(view), 15_000, ask));

const committed = async (admin: Admin, groupId: string) =>
  (await admin.fetchOffsets({ groupId, topics: [topic] }))[0]?.partitions ?? [];

export function componentOf(groupId: string): string {
  const service = topology.groups[groupId];
  if (service === undefined) throw new Error(`There is no group ${groupId}.`);
  return service.name;
}

/** The partitions that a group has not read to the end, each as `invoice-group 3: 17 of 20`. */
export const lag = (view: View): Promise<string[]> =>
  askBroker(view, async (admin) => {
    const lines: string[] = [];
    for (const groupId of groupNames) {
      const offsets = new Map((await committed(admin, groupId)).map(({ partition, offset }) => [partition, offset]));
      for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
        const offset = Math.max(Number(offsets.get(partition) ?? 0), 0); // -1: none yet
        if (offset < Number(high)) lines.push(`${groupId} ${partition}: ${offset} of ${high}`);
      }
    }
    return lines;
  });

/**
 * Stops the group's process, sets committed offsets back, and restarts it.
 * @param random chooses partitions and offsets; without it, all partitions go back to their beginning
 */
export async function resetOffsets(fixture: Fixture, groupId: string, random?: Random): Promise<void> {
  const component = fixture.store.component(componentOf(groupId));
  await component.stop();
  const partitions = (await askBroker(fixture, (admin) => committed(admin, groupId))).flatMap(
    ({ partition, offset }) => {
      if (Number(offset) <= 0 || random?.(2) === 1) return [];
      return { partition, offset: String(random?.(Number(offset)) ?? 0) };
    },
  );
  const positions = partitions.map(({ partition, offset }) => `${partition}:${offset}`);
  if (partitions.length > 0) {
    // The broker rejects this until the session of a killed member has expired.
    await askBroker(fixture, (admin) => admin.setOffsets({ groupId, topic, partitions }));
    const set = await askBroker(fixture, (admin) => committed(admin, groupId));
    const now = set.map(({ partition, offset }) => `${partition}:${offset}`);
    expect([groupId, ...now]).toEqual(expect.arrayContaining([groupId, ...positions]));
  }
  fixture.report(`${groupId}: offsets (partition:offset) set back to ${positions.join(' ') || 'what they were'}`);
  await component.restart();
}
