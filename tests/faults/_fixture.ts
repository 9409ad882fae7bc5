import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '../../tools/local/ports.ts';
import { type Store, startStore } from '../../tools/local/store.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { createHistory, type History } from './history/_history.ts';
import { createNetwork, type Network } from './inject/_network.ts';

/** The store under test and the state of the test run. */
export interface Fixture {
  store: Store;
  /** Adds a line of progress, with the seconds since the start. */
  report(line: string): void;
  /** All lines of progress. */
  reported: string[];
  network: Network;
  /** The observations of the store's clients. */
  history: History;
  rows<T extends object>(database: string, sql: string): Promise<T[]>;
  /** Aborted when the run has failed or its time is up; everything that waits stops then. */
  signal: AbortSignal;
  fail(error: unknown): void;
  /** Stops the store. Its data and logs are kept when the run has failed. */
  end(hasFailed: boolean): Promise<void>;
}

/** The parts that looking at a store takes. */
export type View = Pick<Fixture, 'store' | 'rows' | 'report' | 'reported' | 'signal'>;

interface FixtureOptions {
  env: Record<string, string>;
  limitMs: number;
  /** True if progress is printed at once. */
  isVerbose: boolean;
}

export async function startFixture({ env, limitMs, isVerbose }: FixtureOptions): Promise<Fixture> {
  const dir = await mkdtemp(join(tmpdir(), 'store-faults-'));
  await chmod(dir, 0o711); // started by root, the database server runs as another user
  const startedAt = Date.now();
  const reported: string[] = [];

  function report(line: string): void {
    const stamped = `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`;
    reported.push(stamped);
    if (isVerbose) process.stderr.write(`${stamped}\n`);
  }

  const network = createNetwork();
  const store = await startStore({
    dir,
    ports: 'free',
    env,
    components: ['gateway', ...serviceNames.filter((name) => name !== 'status' && name !== 'console')],
    postgresSettings: { fsync: 'off' }, // processes are killed here, not the machine
    connect: network.connect,
    log: report,
  });
  const failure = new AbortController();
  const fail = (error: unknown) => failure.abort(error);
  setTimeout(() => fail(new Error(`The run took longer than ${limitMs / 1000} s.`)), limitMs).unref();
  return {
    store,
    report,
    reported,
    network,
    history: createHistory(),
    signal: failure.signal,
    fail,
    rows: (database, sql) => queryOnce(store.databaseUrl(database), sql),

    async end(hasFailed) {
      await store.stop();
      await network.close();
      if (hasFailed) report(`Data and logs are kept in ${dir}`);
      else await rm(dir, { recursive: true, force: true });
    },
  };
}
