import type { Admin } from 'kafkajs';
import { Gauge } from 'prom-client';
import { askAdmin } from '../kafkajs/admin.ts';
import type { KafkaOptions } from '../kafkajs/client.ts';
import { heartbeatMs } from '../times.ts';

/**
 * Reports the lag of the store's groups (named `…-group`) on a topic. Each scrape asks the broker about all groups, so
 * the lag is right if a consumer idles or hangs, and visible if all consumers of a group are dead. If the broker shows a
 * service its own group only, that one is reported; if the broker does not answer, none is.
 */
export function reportLag(broker: KafkaOptions, topic: string, ownGroup: string): void {
  new Gauge({
    name: 'consumer_lag_messages',
    help: 'Messages of a partition that the group has not committed.',
    labelNames: ['group', 'partition'],
    async collect() {
      const lags = await askAdmin(broker, heartbeatMs, (admin) => lagsOf(admin, topic, ownGroup)).catch(() => []);
      this.reset();
      for (const { group, partition, lag } of lags) this.set({ group, partition }, lag);
    },
  });
}

async function lagsOf(admin: Admin, topic: string, ownGroup: string) {
  const [{ groups }, ends] = await Promise.all([admin.listGroups(), admin.fetchTopicOffsets(topic)]);
  const names = groups.map(({ groupId }) => groupId).filter((name) => name.endsWith('-group'));
  const perGroup = [...new Set([ownGroup, ...names])].map(async (group) => {
    const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    return ends.map(({ partition, low, high }) => {
      const offset = committed?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
      // A group that never committed starts at the beginning.
      return { group, partition, lag: Number(BigInt(high) - BigInt(offset === '-1' ? low : offset)) };
    });
  });
  return (await Promise.all(perGroup)).flat();
}
