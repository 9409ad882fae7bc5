import { openOut } from '@store/shared/contracts/dead-letters';
import { stuckOrdersOut } from '@store/shared/contracts/order-record';
import type { Job } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import type { ConsoleConfig } from '../config.ts';
import { collecting, type Services } from '../services-client.ts';
import { type Counted, everyMs, type History } from './history.ts';
import type { PrometheusAlerts } from './prometheus-client.ts';
import { askReplicas } from './replicas-client.ts';

/** Observes every service every 5 s. */
export const watching = (history: History, services: Services, { SERVICES, METRICS, GROUPS }: ConsoleConfig): Job =>
  loop({ name: 'watch', everyMs }, async () => {
    const [counted, ...replicas] = await Promise.all([
      countAt(services, GROUPS),
      ...Array.from(METRICS, async ([service, metricsUrl]) => {
        const found = await askReplicas(SERVICES.get(service) ?? metricsUrl, metricsUrl);
        return found.map((replica) => ({ service, ...replica }));
      }),
    ]);
    history.add(Date.now(), replicas.flat(), counted);
  });

/** Asks Prometheus every 10 s. */
export const watchingAlerts = (alerts: PrometheusAlerts): Job => loop({ name: 'alerts', everyMs: 10_000 }, alerts.ask);

/** Asks services with a consumer group for open dead letters, and the order service for orders that are PENDING for too long. */
export async function countAt(services: Services, groups: string[]): Promise<Counted> {
  const { or, problems } = collecting();
  const [stuck, ...counts] = await Promise.all([
    or(null, services.get('order', '/internal/stuck-orders?size=1', stuckOrdersOut)),
    ...groups.map((service) => or(null, services.get(service, '/internal/dead-letters/count', openOut))),
  ]);
  const letters = counts.flatMap((count) => count?.open ?? []);
  return {
    letters: letters.length === 0 ? null : letters.reduce((sum, open) => sum + open, 0),
    stuck: stuck?.total ?? null,
    problems,
  };
}
