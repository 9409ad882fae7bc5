import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serviceNames } from '../../tools/local/ports.ts';
import { type Store, startStore } from '../../tools/local/store.ts';

/** The store of a run, and what is told of it. */
export interface Fixture {
  store: Store;
  /** One line of progress, with the seconds since the start. */
  say(line: string): void;
  /** All that was said. */
  said: string[];
  rows<T>(database: string, sql: string): Promise<T[]>;
  /** Aborted when the run has failed or its time is over: whatever waits gives up then. */
  signal: AbortSignal;
  fail(error: unknown): void;
  /** Stops the store; its data and logs are kept where the run has failed. */
  end(hasFailed: boolean): Promise<void>;
}

interface FixtureOptions {
  env: Record<string, string>;
  limitMs: number;
  /** Whether progress is shown at once. */
  isLoud: boolean;
}

export async function startFixture({ env, limitMs, isLoud }: FixtureOptions): Promise<Fixture> {
  const dir = await mkdtemp(join(tmpdir(), 'store-faults-'));
  await chmod(dir, 0o711); // as root the database runs as another user
  const began = Date.now();
  const said: string[] = [];

  function say(line: string): void {
    const stamped = `${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`;
    said.push(stamped);
    if (isLoud) process.stderr.write(`${stamped}\n`);
  }

  const store = await startStore({
    dir,
    ports: 'free',
    env,
    components: ['gateway', ...serviceNames.filter((name) => name !== 'status')],
    postgresSettings: { fsync: 'off' }, // here processes die, not the machine
    log: say,
  });
  const failure = new AbortController();
  const fail = (error: unknown) => failure.abort(error);
  setTimeout(() => fail(new Error(`It is not done within ${limitMs / 1000} s.`)), limitMs).unref();
  return {
    store,
    say,
    said,
    signal: failure.signal,
    fail,

    async rows(database, sql) {
      const client = new pg.Client({ connectionString: store.databaseUrl(database) });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },

    async end(hasFailed) {
      await store.stop();
      if (hasFailed) say(`Data and logs are kept in ${dir}`);
      else await rm(dir, { recursive: true, force: true });
    },
  };
}

export type Dice = (sides: number) => number;

/** The same course at every run of one seed (mulberry32). */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
}

export function shuffled<T>(items: T[], dice: Dice): T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(dice(rest.length), 1));
}
