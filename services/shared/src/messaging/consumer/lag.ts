import { Gauge } from 'prom-client';
import { lagsOf } from '../kafka/admin.ts';
import type { KafkaOptions } from '../kafka/client.ts';
import { orderEventsTopic } from '../topics.ts';

/** The suffix of the store's group names. */
const ending = '-group';

/**
 * Reports the lag of the store's groups on topics. Each scrape asks the broker about all groups, so the lag is right even if a consumer
 * idles or hangs, and visible even if all consumers of a group are dead. If the broker shows a service only its own group, only that is
 * reported; if the broker does not answer, nothing is reported.
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
        // All groups read order events; some also read account events.
        if (reads || labels.topic === orderEventsTopic || labels.group === ownGroup) this.set(labels, lag);
      }
    },
  });
}
