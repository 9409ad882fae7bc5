import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Store } from '../../../local/store.ts';

const everyMs = 50;

/**
 * Counts connections of some databases that wait for a lock, twenty times a second, until it is stopped. A role sees what
 * its own connections wait for.
 */
export async function sampleLockWaits(store: Store, databases: string[]) {
  const clients = databases.map((name) => new pg.Client({ connectionString: store.databaseUrl(name) }));
  await Promise.all(clients.map((client) => client.connect()));
  const waiting = new Map<string, number>();
  let samples = 0;
  let isStopped = false;

  async function sample(): Promise<void> {
    const found = await Promise.all(
      clients.map((client) =>
        client.query<{ what: string }>(
          `select current_database() || ' ' || wait_event as what from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        ),
      ),
    );
    samples += 1;
    for (const { what } of found.flatMap(({ rows }) => rows)) waiting.set(what, (waiting.get(what) ?? 0) + 1);
  }
  const sampling = (async () => {
    for (; !isStopped; await sleep(everyMs)) await sample();
  })();
  sampling.catch(() => undefined); // reported by stop

  return {
    /** @returns how many connections waited on average, by database and lock, most first */
    async stop(): Promise<[what: string, average: number][]> {
      isStopped = true;
      try {
        await sampling;
      } finally {
        await Promise.all(clients.map((client) => client.end()));
      }
      const averages = [...waiting].map(([what, count]): [string, number] => [what, count / samples]);
      return averages.sort(([, a], [, b]) => b - a);
    },
  };
}
