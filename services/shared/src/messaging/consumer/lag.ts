import type { Admin } from 'kafkajs';
import { Gauge } from 'prom-client';
import { askAdmin } from '../kafkajs/admin.ts';
import type { KafkaOptions } from '../kafkajs/client.ts';
import { heartbeatMs } from '../times.ts';
import { orderEventsTopic } from '../topics.ts';

/**
 * Reports the lag of the store's groups (named `…-group`) on topics. Each scrape asks the broker about all groups, so
 * the lag is right if a consumer idles or hangs, and visible if all consumers of a group are dead. If the broker shows a
 * service its own group only, that one is reported; if the broker does not answer, none is.
 */
export function reportLag(broker: KafkaOptions, topics: string[], ownGroup: string): void {
  new Gauge({
    name: 'consumer_lag_messages',
    help: 'Messages of a partition that the group has not committed.',
    labelNames: ['group', 'topic', 'partition'],
    async collect() {
      const lags = await askAdmin(broker, heartbeatMs, (admin) => lagsOf(admin, topics, ownGroup)).catch(() => []);
      this.reset();
      for (const { lag, ...labels } of lags) this.set(labels, lag);
    },
  });
}

async function lagsOf(admin: Admin, topics: string[], ownGroup: string) {
  const [{ groups }, ...ends] = await Promise.all([
    admin.listGroups(),
    ...topics.map(async (topic) => [topic, await admin.fetchTopicOffsets(topic)] as const),
  ]);
  const names = groups.map(({ groupId }) => groupId).filter((name) => name.endsWith('-group'));
  const perGroup = [...new Set([ownGroup, ...names])].map(async (group) => {
    const committed = await admin.fetchOffsets({ groupId: group, topics });
    return ends.flatMap(([topic, partitions]) => {
      const offsets = committed.find((one) => one.topic === topic)?.partitions ?? [];
      const offsetOf = (partition: number) => offsets.find((one) => one.partition === partition)?.offset ?? '-1';
      // All groups read the events of orders, and some those of accounts.
      const reads = topic === orderEventsTopic || group === ownGroup || offsets.some(({ offset }) => offset !== '-1');
      return (reads ? partitions : []).map(({ partition, low, high }) => {
        const offset = offsetOf(partition);
        // A group that never committed starts at the beginning.
        return { group, topic, partition, lag: Number(BigInt(high) - BigInt(offset === '-1' ? low : offset)) };
      });
    });
  });
  return (await Promise.all(perGroup)).flat();
}
