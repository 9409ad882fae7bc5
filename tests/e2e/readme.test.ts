import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { freePort } from '../../tools/free-port.ts';
import { greeting } from '../../tools/local/greeting.ts';
import { fixedPorts, portNames, variableOf } from '../../tools/local/ports.ts';
import { type Store, startStore } from '../../tools/local/store.ts';
import { root } from '../../tools/paths.ts';
import { scriptsRunBy } from '../docs/_documents.ts';
import { useFolder } from '../kit/folder.ts';

/** Some of the lines that a document's commands print. */
const expected: Record<string, string[]> = {
  'README.md': ['Everything went as expected.', '"status":"PENDING"', 'openapi: 3.1.0'],
  'docs/development.md': ['make demo'],
  'docs/local-run.md': ['"available":1000', 'OrderCreated', '{"status":"UP"}', 'http_request_duration_seconds_bucket'],
  'docs/machines.md': [
    '"created":1000',
    '"status":"CONFIRMED"',
    '"trackingNumber":"DB123456785PT"',
    '"invoiceNumber":',
  ],
  'docs/status-import.md': ['2 rows imported', '"category1":"harbour"'],
};

let store: Store;
/** The ports of this test's store, by documented port. */
const portInsteadOf = new Map<string, number>();
const env: Record<string, string> = {};

beforeAll(async () => {
  for (const name of portNames) {
    const port = await freePort();
    portInsteadOf.set(String(fixedPorts({}).of(name)), port);
    env[variableOf(name)] = String(port);
  }
  env.RECEIVER_PORT = String(await freePort());
  for (const name of ['services', 'examples']) await symlink(join(root, name), join(folder, name));
  store = await startStore({ dir: join(folder, '.cache'), ports: 'fixed', env, postgresSettings: { fsync: 'off' } });
}, 120_000);

afterAll(() => store?.stop(), 60_000);
/** Stands for the root of the repository. Its .cache holds the data of this test's store. */
const folder = useFolder();

const atThisStore = (script: string) =>
  script.replaceAll(/(localhost|127\.0\.0\.1):(\d+)/g, (address, host, documented) => {
    const port = portInsteadOf.get(documented);
    if (port === undefined) throw new Error(`No component listens at ${address}.`);
    return `${host}:${port}`;
  });

it.each(scriptsRunBy('tests/e2e/readme.test.ts'))('the commands in $document work as printed', async (block) => {
  const inRepository = `make() { command make --no-print-directory --directory='${root}' "$@"; }\n`;
  const { stdout } = await execa('bash', ['-euo', 'pipefail', '-c', inRepository + atThisStore(block.script)], {
    cwd: folder,
    env: { ...env, NODE_OPTIONS: '', MAKEFLAGS: undefined, MAKELEVEL: undefined },
  });
  for (const text of expected[block.document] ?? []) expect(stdout.replaceAll('" : ', '":')).toContain(text);
  expect(Object.keys(expected)).toContain(block.document);
});

it('every address that make run prints answers', async () => {
  const pages = [...greeting(store, 1).matchAll(/http:\/\/\S+\/[^\s)]+/g)].map(([url]) => url);
  expect(pages.length).toBeGreaterThan(10);
  const answers = await Promise.all(pages.map(async (url) => `${url} ${(await fetch(url)).status}`));
  expect(answers).toEqual(pages.map((url) => `${url} 200`));
});
