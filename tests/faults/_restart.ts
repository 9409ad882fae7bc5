import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '../../tools/local/store.ts';

interface Outage {
  /** How long the component is away, in ms. */
  awayMs: number;
  /** Default: true. If false, it is stopped as by an operator. */
  isKilled?: boolean;
  report(line: string): void;
  /** Once aborted, a component that does not become ready is not tried again. */
  signal?: AbortSignal;
}

/**
 * Ends a component and has it run again after a while, as a cluster would. It gives up only if the component repeatedly fails to become
 * ready. A killed PostgreSQL gets SIGQUIT, its immediate shutdown: it recovers at the next start as after SIGKILL.
 */
export async function restartAfter(
  store: Store,
  name: string,
  { awayMs, isKilled = true, report, signal }: Outage,
): Promise<void> {
  const component = store.component(name);
  report(`${name}: ${isKilled ? 'killed' : 'stopped'}, restart in ${(awayMs / 1_000).toFixed(1)} s`);
  if (isKilled) component.kill(name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  await component.stop(); // waits for the end of the process and prevents the automatic restart
  await wait(awayMs);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await component.restart();
      return report(`${name}: running again`);
    } catch (error) {
      report(`${name} failed to restart (attempt ${attempt}): ${error}`);
      if (attempt === 3 || signal?.aborted) throw error;
    }
  }
}
