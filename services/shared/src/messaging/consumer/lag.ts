import { Gauge } from 'prom-client';
import { lagsOf } from '../kafka/admin.ts';
import type { KafkaOptions } from '../kafka/client.ts';
import { orderEventsTopic } from '../topics.ts';

/** How the names of the store's groups end. */
const ending = '-group';

/**
 * Reports the lag of the store's groups on topics. Each scrape asks the broker about all groups, so the lag is right if a consumer
 * idles or hangs, and visible if all consumers of a group are dead. If the broker shows a service its own group only, that one is
 * reported; if the broker does not answer, none is.
 */
export function reportLag(broker: KafkaOptions, topics: string[], ownGroup: string): void {
  new Gauge({
    name: 'consumer_lag_messages',
    help: 'Messages of a partition that the group has not committed.',
    labelNames: ['group', 'topic', 'partition'],
    async collect() {
      const lags = await lagsOf(broker, topics, ownGroup, ending).catch(() => []);
      this.reset();
      for (const { lag, reads, ...labels } of lags) {
        // All groups read the events of orders, and some those of accounts.
        if (reads || labels.topic === orderEventsTopic || labels.group === ownGroup) this.set(labels, lag);
      }
    },
  });
}
