import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from '@store/shared/service/service';
import { everyMs, type History } from './history.ts';
import type { Replica } from './replicas-client.ts';

type Ask = (serviceUrl: string, metricsUrl: string) => Promise<Replica[]>;

/** Looks at every service every 5 s. */
export const watching = (
  history: History,
  addresses: { services: ReadonlyMap<string, string>; metrics: ReadonlyMap<string, string> },
  ask: Ask,
): Job => ({
  name: 'watch',
  start(log) {
    const stopping = new AbortController();
    const { signal } = stopping;

    async function look(): Promise<void> {
      const replicas = await Promise.all(
        [...addresses.metrics].map(async ([service, metricsUrl]) => {
          const found = await ask(addresses.services.get(service) ?? metricsUrl, metricsUrl);
          return found.map((replica) => ({ service, ...replica }));
        }),
      );
      history.add(Date.now(), replicas.flat());
    }
    async function run(): Promise<void> {
      while (!signal.aborted) {
        await look().catch((error: unknown) => log.warn({ err: error }, 'A look at the services failed'));
        await wait(everyMs, undefined, { signal }).catch(() => undefined);
      }
    }
    const ended = run();
    return {
      async stop() {
        stopping.abort();
        await ended;
      },
    };
  },
});
