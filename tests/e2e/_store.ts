import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Store, type StoreOptions, startStore } from '../../tools/local/store.ts';
import { until as poll } from '../kit/until.ts';

export interface TestStore extends Store {
  /** The log files of all components so far. */
  logs(): Promise<string>;
  /** All lines that the supervisor of the components has printed. */
  supervisorLines: string[];
}

type TestStoreOptions = Pick<StoreOptions, 'components' | 'env' | 'gateway'>;

/** Starts the store or some of its components, as `make run` does, on free ports and with its own data. */
export async function startTestStore(options: TestStoreOptions = {}): Promise<TestStore> {
  const dir = await mkdtemp(join(tmpdir(), 'store-e2e-'));
  await chmod(dir, 0o711); // started by root, the database server runs as another user
  const supervisorLines: string[] = [];
  const store = await startStore({
    ...options,
    dir,
    ports: 'free',
    postgresSettings: { fsync: 'off' },
    log: (line) => supervisorLines.push(line),
  });
  return {
    ...store,
    supervisorLines,
    logs: () => logsIn(dir),
    async stop() {
      await store.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export async function logsIn(dir: string): Promise<string> {
  const folder = join(dir, 'log');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.log'));
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}

/** Waits at most half a minute by default. */
export const until = (description: string | (() => string), condition: () => Promise<boolean>, timeoutMs = 30_000) =>
  poll(description, condition, { timeoutMs, intervalMs: 50 });
