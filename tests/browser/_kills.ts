import { setTimeout as sleep } from 'node:timers/promises';
import { type TestStore, until } from '../e2e/_store.ts';

export interface Kills {
  /** The number of kills so far. */
  count(): number;
  /** Resolves once all processes run again. @returns the number of kills */
  stop(): Promise<number>;
}

/**
 * Kills services, or the gateway, with SIGKILL in turn, each once the previous one is back. The store restarts them.
 * @param pauseMs in which a page on a busy machine can connect again
 */
export function killThroughout(store: TestStore, names: string[], pauseMs = 3_000): Kills {
  let isOver = false;
  let kills = 0;
  const health = (name: string) =>
    name === 'gateway' ? `${store.gatewayUrl}/health-check` : `${store.url(name)}/health/ready`;
  const isReady = (name: string) => async () => (await fetch(health(name))).ok;
  const killing = (async () => {
    while (!isOver) {
      const name = names[kills % names.length];
      if (name === undefined) break;
      store.component(name).kill('SIGKILL');
      kills += 1;
      await sleep(200);
      await until(`${name} is back`, isReady(name), 90_000);
      await sleep(pauseMs);
    }
    return kills;
  })();
  killing.catch(() => undefined);
  return {
    count: () => kills,
    stop() {
      isOver = true;
      return killing;
    },
  };
}
