import { Gauge } from 'prom-client';
import { groupsWithoutMembers, keepAdmin, lagsOf } from '../kafka/admin.ts';
import type { KafkaOptions } from '../kafka/client.ts';
import { orderEventsTopic } from '../topics.ts';

/** The suffix of the store's group names. */
const ending = '-group';
/** Short, because a scrape of metrics waits for it. */
const timeoutMs = 3_000;
/** How often a service looks for groups without members. Asking about each group in each scrape was most of what an idle broker did. */
const lookEveryMs = 30_000;

/**
 * Reports the lag of a group on topics, and that of the store's groups that have no member, of which no other service reports it. Each
 * scrape asks the broker, so the lag is right even if a consumer idles or hangs. If the broker shows a service only its own group, only
 * that is reported; if the broker does not answer, nothing is reported.
 * @returns what ends the connection to the broker
 */
export function reportLag(broker: KafkaOptions, topics: string[], ownGroup: string) {
  const kept = keepAdmin(broker, timeoutMs);
  let abandoned: string[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;

  const readLags = () =>
    kept.ask(async (admin) => {
      if (performance.now() - lookedAt > lookEveryMs) {
        abandoned = await groupsWithoutMembers(admin, ending);
        lookedAt = performance.now();
      }
      return lagsOf(admin, topics, [...new Set([ownGroup, ...abandoned])]);
    });

  new Gauge({
    name: 'consumer_lag_messages',
    help: 'Messages of a partition that the group has not committed.',
    labelNames: ['group', 'topic', 'partition'],
    async collect() {
      const lags = await readLags().catch(() => []);
      this.reset();
      for (const { lag, reads, ...labels } of lags) {
        // All groups read order events; some also read account events.
        if (reads || labels.topic === orderEventsTopic || labels.group === ownGroup) this.set(labels, lag);
      }
    },
  });
  return { name: 'lag', stop: kept.close };
}
