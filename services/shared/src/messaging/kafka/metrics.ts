import { Gauge } from 'prom-client';
import type { Place } from './offsets.ts';

const memberships = new Map<string, () => boolean>();
new Gauge({
  name: 'consumer_group_member',
  help: '1 while the broker answers that this process is a member of the group, 0 otherwise.',
  labelNames: ['group'],
  collect() {
    for (const [group, isMember] of memberships) this.set({ group }, Number(isMember()));
  },
});

/** @param isMember called at each scrape */
export const reportMembership = (group: string, isMember: () => boolean) => void memberships.set(group, isMember);

type Assigned = Place & { isUndecodable: boolean };
const assignments = new Map<string, () => Assigned[]>();
new Gauge({
  name: 'consumer_undecodable_batches',
  help: '1 while a partition of this process waits at a batch that cannot be decoded, 0 otherwise.',
  labelNames: ['group', 'topic', 'partition'],
  collect() {
    this.reset();
    for (const [group, assignedTo] of assignments)
      for (const { topic, partition, isUndecodable } of assignedTo())
        this.set({ group, topic, partition }, Number(isUndecodable));
  },
});

/** @param assignedTo called at each scrape; returns the partitions of this process */
export const reportUndecodable = (group: string, assignedTo: () => Assigned[]) =>
  void assignments.set(group, assignedTo);
