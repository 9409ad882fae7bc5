import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { fixedPorts } from '../../tools/local/ports.ts';
import { type Store, startStore } from '../../tools/local/store.ts';
import { root } from '../../tools/paths.ts';
import { scriptsRunBy } from '../docs/_documents.ts';

/** What a document's commands print, among other things. */
const expected: Record<string, string[]> = {
  'README.md': ['All of it went as it should.', '"status":"PENDING"', 'openapi: 3.1.0'],
  'docs/local-run.md': ['"available":1000', 'OrderCreated', '{"status":"UP"}', 'http_request_duration_seconds_bucket'],
  'docs/status-import.md': ['2 rows imported', '"category1":"harbour"'],
};

/** Stands for the root of the repository, with the data of a store of its own in .cache. */
let folder: string;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-readme-'));
  await chmod(folder, 0o711); // as root the database runs as another user
  await symlink(join(root, 'services'), join(folder, 'services'));
  store = await startStore({ dir: join(folder, '.cache'), ports: 'free', postgresSettings: { fsync: 'off' } });
}, 120_000);

afterAll(async () => {
  await store?.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** The documented addresses are those of `make run`; the store of this test is elsewhere. */
function atThisStore(script: string): string {
  const names = Object.entries(fixedPorts({})).map(([name, port]) => [String(port), name]);
  const nameOf: Record<string, keyof Store['ports']> = Object.fromEntries(names);
  return script.replaceAll(/(localhost|127\.0\.0\.1):(\d+)/g, (address, host, port) => {
    const name = nameOf[port];
    if (name === undefined) throw new Error(`No component listens at ${address}.`);
    return `${host}:${store.ports[name]}`;
  });
}

it.each(scriptsRunBy('tests/e2e/readme.test.ts'))('the commands in $document work as printed', async (block) => {
  const ports = Object.entries(store.ports).map(([name, port]) => [
    `${name.toUpperCase().replaceAll('-', '_')}_PORT`,
    String(port),
  ]);
  const inRepository = `make() { command make --no-print-directory --directory='${root}' "$@"; }\n`;
  const { stdout } = await execa('bash', ['-euo', 'pipefail', '-c', inRepository + atThisStore(block.script)], {
    cwd: folder,
    env: { ...Object.fromEntries(ports), NODE_OPTIONS: '', MAKEFLAGS: undefined, MAKELEVEL: undefined },
  });
  for (const text of expected[block.document] ?? []) expect(stdout.replaceAll('" : ', '":')).toContain(text);
  expect(Object.keys(expected)).toContain(block.document);
});
