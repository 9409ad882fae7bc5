import { setTimeout as sleep } from 'node:timers/promises';
import { type TestStore, until } from '../e2e/_store.ts';

export interface Kills {
  /** Resolves once all run again. @returns how often a process was killed */
  stop(): Promise<number>;
}

/** Kills services with SIGKILL in turn, each once the one before is back. The store starts them again. */
export function killThroughout(store: TestStore, names: string[], pauseMs = 1_000): Kills {
  let isOver = false;
  const isReady = (name: string) => async () => (await fetch(`${store.url(name)}/health/ready`)).ok;
  const killing = (async () => {
    let kills = 0;
    for (; !isOver; kills += 1) {
      const name = names[kills % names.length] ?? '';
      store.component(name).kill('SIGKILL');
      await sleep(200);
      await until(`${name} is back`, isReady(name), 90_000);
      await sleep(pauseMs);
    }
    return kills;
  })();
  killing.catch(() => undefined);
  return {
    stop() {
      isOver = true;
      return killing;
    },
  };
}
