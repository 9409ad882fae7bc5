import { setTimeout as wait } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import { Gauge } from 'prom-client';
import { disconnect } from '../kafka.ts';

/** A scrape must not wait for a broker that is away. */
const longestMs = 3_000;

/**
 * Shows how far the store's groups (they end in -group) are behind on a topic. The broker is asked at each scrape, and
 * about all groups: so lag is right when a consumer idles or hangs, and seen when all of a group's consumers are dead.
 * Where the broker lets a service see its own group alone, it is that group; where it does not answer, nothing.
 */
export function reportLag(kafka: Kafka, topic: string, ownGroup: string): { stop(): Promise<void> } {
  const admin = kafka.admin();
  new Gauge({
    name: 'consumer_lag_messages',
    help: 'Messages of a partition that the group has not committed.',
    labelNames: ['group', 'partition'],
    async collect() {
      const late = wait(longestMs, [], { ref: false });
      const lags = await Promise.race([lagsOf(admin, topic, ownGroup), late]).catch(() => []);
      this.reset();
      for (const { group, partition, lag } of lags) this.set({ group, partition }, lag);
    },
  });
  return { stop: () => disconnect(admin) };
}

async function lagsOf(admin: Admin, topic: string, ownGroup: string) {
  await admin.connect();
  const [{ groups }, ends] = await Promise.all([admin.listGroups(), admin.fetchTopicOffsets(topic)]);
  const names = groups.map(({ groupId }) => groupId).filter((name) => name.endsWith('-group'));
  const perGroup = [...new Set([ownGroup, ...names])].map(async (group) => {
    const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    return ends.map(({ partition, low, high }) => {
      const offset = committed?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
      // What was never committed begins at the beginning.
      return { group, partition, lag: Number(BigInt(high) - BigInt(offset === '-1' ? low : offset)) };
    });
  });
  return (await Promise.all(perGroup)).flat();
}
