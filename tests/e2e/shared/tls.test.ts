import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { freePort } from '../../../tools/free-port.ts';
import { root } from '../../../tools/paths.ts';
import { certificateFor, certificateFrom } from '../../kit/certificates.ts';
import { startSharedGateway } from '../_shared-store.ts';

const authority = await certificateFor('authority.test');
const port = await freePort();
const url = `https://localhost:${port}`;
const gateway = await startSharedGateway(
  { tls: { existingSecret: 'store-tls', port, publicPort: port } },
  await certificateFrom(authority, 'localhost'),
);

/** A client with a cookie jar, which sends a Secure cookie only over HTTPS. It runs in its own process, which trusts the authority. */
const client = `
  import makeFetchCookie from 'fetch-cookie';
  const send = makeFetchCookie(fetch);
  const headers = { 'content-type': 'application/json' };
  const [url] = process.argv.slice(1);
  const credentials = { email: crypto.randomUUID() + '@example.com', password: crypto.randomUUID() };
  const post = (path, body) => send(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const registered = await post('/auth/register', { name: 'Ada', ...credentials });
  const login = await post('/auth/login', credentials);
  const account = await send(url + '/accounts');
  const statuses = [registered, login, account].map(({ status }) => status);
  console.log(JSON.stringify({ statuses, cookie: login.headers.get('set-cookie') }));`;

it('the token cookie is Secure and works from the first login over HTTPS', async () => {
  const file = join(gateway.dir, 'authority.pem');
  await writeFile(file, authority.cert);
  const args = ['--input-type=module', '--eval', client, url];
  const { stdout } = await execa(process.execPath, args, { cwd: root, env: { NODE_EXTRA_CA_CERTS: file } });
  const { statuses, cookie } = JSON.parse(stdout);
  expect(statuses).toEqual([201, 200, 200]);
  expect(cookie).toMatch(/^__store_jwt_token=[^;]+;.*; Secure/);
});
