import type { Job } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { type Counted, everyMs, type History } from './history.ts';
import type { Replica } from './replicas-client.ts';

type Ask = (serviceUrl: string, metricsUrl: string) => Promise<Replica[]>;

/** Looks at every service every 5 s. */
export function watching(
  history: History,
  addresses: { services: ReadonlyMap<string, string>; metrics: ReadonlyMap<string, string> },
  ask: Ask,
  count: () => Promise<Counted>,
): Job {
  async function look(): Promise<void> {
    const [counted, ...replicas] = await Promise.all([
      count(),
      ...[...addresses.metrics].map(async ([service, metricsUrl]) => {
        const found = await ask(addresses.services.get(service) ?? metricsUrl, metricsUrl);
        return found.map((replica) => ({ service, ...replica }));
      }),
    ]);
    history.add(Date.now(), replicas.flat(), counted);
  }
  return loop({ name: 'watch', everyMs }, look);
}
