import { setTimeout as wait } from 'node:timers/promises';
import { serviceNames } from '../../tools/local/ports.ts';
import { startStore } from '../../tools/local/store.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { throughProxies } from '../kit/store-network.ts';
import { createTcpProxy } from '../kit/tcp-proxy.ts';
import { createRunFolder } from './_run-folder.ts';
import type { History } from './history/_history.ts';

/** A TCP proxy between two components, the first of which connects to the second. */
interface Link {
  from: string;
  to: string;
  proxy: Awaited<ReturnType<typeof createTcpProxy>>;
}

export type Fixture = Awaited<ReturnType<typeof startFixture>>;
/** What is needed to inspect a store. */
export type View = Pick<Fixture, 'store' | 'rows' | 'report' | 'reported' | 'signal'>;

/**
 * Starts the store under test.
 * @param isVerbose whether to print progress at once
 */
export async function startFixture(env: Record<string, string>, limitMs: number, isVerbose: boolean) {
  const folder = await createRunFolder('faults');
  const startedAt = Date.now();
  const reported: string[] = [];
  const links: Link[] = [];
  const failure = new AbortController();
  const fail = (error: unknown) => failure.abort(error);
  setTimeout(() => fail(new Error(`The run took longer than ${limitMs / 1000} s.`)), limitMs).unref();

  function report(line: string): void {
    const stamped = `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`;
    reported.push(stamped);
    if (isVerbose) process.stderr.write(`${stamped}\n`);
  }

  const store = await startStore({
    dir: folder.dir,
    ports: 'free',
    env,
    components: ['gateway', ...serviceNames.filter((name) => name !== 'status' && name !== 'console')],
    postgresSettings: { fsync: 'off' }, // processes are killed here, not the machine
    connect: throughProxies(async (from, to, port) => {
      const proxy = await createTcpProxy(`tcp://127.0.0.1:${port}`);
      links.push({ from, to, proxy });
      return Number(new URL(proxy.url).port);
    }),
    log: report,
  });
  return {
    store,
    /** Adds a line of progress, with the seconds since the start. */
    report,
    reported,
    /** The proxies from and to a component. */
    linksOf: (component: string) => links.filter(({ from, to }) => from === component || to === component),
    /** The observations of the store's clients. */
    history: { keys: [], orders: [], stock: [] } as History,
    rows: <T extends object>(database: string, sql: string) => queryOnce<T>(store.databaseUrl(database), sql),
    /** Aborted when the run fails or its time is up, to stop everything that waits. */
    signal: failure.signal,
    fail,
    /** Stops the store. Keeps its data and logs if the run failed. */
    async end(hasFailed: boolean) {
      await store.stop();
      await Promise.all(links.map(({ proxy }) => proxy.close()));
      await folder.close(hasFailed, report);
    },
  };
}

/** Repeats an action until it succeeds or the run is over. */
export async function retry<T>({ signal }: View, attempt: () => Promise<T>, timeoutMs = 90_000): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; ; await wait(500)) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
