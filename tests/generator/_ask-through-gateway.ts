import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Runs in the copy of the repository: starts the generated service behind the real gateway and calls it as a customer would.

const { startStore } = await import(new URL('tools/local/store.ts', import.meta.url).href);
const dir = await mkdtemp(join(tmpdir(), 'store-generated-'));
const components = ['gateway', 'auth', 'account', 'review'];
const store = await startStore({ dir, ports: 'free', components, postgresSettings: { fsync: 'off' } });
try {
  const send = (method: string, path: string, body?: object, cookie = '') =>
    fetch(`${store.gatewayUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
  const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
  await send('POST', '/auth/register', ada);
  const login = await send('POST', '/auth/login', ada);
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0];
  const stranger = await send('GET', '/reviews');
  const created = await send('POST', '/reviews', { text: 'Hello' }, cookie);
  const list = (await (await send('GET', '/reviews', undefined, cookie)).json()) as { text: string }[];
  console.log(
    JSON.stringify({ stranger: stranger.status, created: created.status, listed: list.map(({ text }) => text) }),
  );
} finally {
  await store.stop();
  await rm(dir, { recursive: true, force: true });
}
process.exit(0);
