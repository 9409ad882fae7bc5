import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Store, startStore } from '../../tools/local/store.ts';

export interface TestStore extends Store {
  /** Everything that the parts have logged so far. */
  logs(): Promise<string>;
  /** What the supervision has said. */
  said: string[];
}

/** The whole store, on free ports, with data of its own: what `make run` starts. */
export async function startTestStore(env: Record<string, string> = {}): Promise<TestStore> {
  const dir = await mkdtemp(join(tmpdir(), 'store-e2e-'));
  await chmod(dir, 0o711); // as root the database runs as another user
  const said: string[] = [];
  const store = await startStore({
    dir,
    ports: 'free',
    env,
    postgresSettings: { fsync: 'off' },
    log: (line) => said.push(line),
  });
  return {
    ...store,
    said,
    async logs() {
      const folder = join(dir, 'log');
      const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
      return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
    },
    async stop() {
      await store.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Asks until the answer is yes. */
export async function until(what: string, isSo: () => Promise<boolean>, seconds = 30): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000; ; ) {
    if (await isSo().catch(() => false)) return;
    if (Date.now() > deadline) throw new Error(`Not so within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
