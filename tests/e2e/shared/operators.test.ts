import { createLog } from '@store/shared/observability/log';
import { execa } from 'execa';
import request from 'supertest';
import { configSchema } from '../../../services/console/src/config.ts';
import { createConsole } from '../../../services/console/src/service.ts';
import { root } from '../../../tools/paths.ts';
import { newCustomer } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { serve } from '../../kit/listen.ts';
import { sharedStore } from '../_shared-store.ts';
import { until } from '../_store.ts';

// The console with the real auth and account services. Its changes are observed through the gateway.

const store = sharedStore();
const config = configSchema.parse({
  CONSOLE_TOKEN: 'a-token-of-the-console-0123456789',
  SERVICES: ['auth', 'account', 'product', 'inventory'].map((name) => `${name}=${store.url(name)}`).join(),
  METRICS: '',
  GROUPS: '',
  AUDITED: 'auth,account',
  INTERNAL_CREDENTIAL: store.credential,
});
const origin = await serve(createConsole({ config, log: createLog('console', 'silent') }).app);
const logIn = async (body: object) => {
  const answer = await request(`${origin}/console`).post('/session').set('Origin', origin).send(body);
  return { status: answer.status, cookie: String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? '' };
};
const asked = (method: 'get' | 'put' | 'delete', path: string, cookie: string) =>
  request(`${origin}/console`)[method](path).set({ Origin: origin, Cookie: cookie });
const send = createSend(store.gatewayUrl);
const within = (what: string, attempt: () => Promise<boolean>) => until(what, attempt, 1_000);

it('an operator acts under their own account until they lose the role or the session ends', async () => {
  const [ada, ben] = [await newCustomer(send), await newCustomer(send)];
  const own = { email: ada.email, password: ada.password };
  expect((await logIn(own)).status).toBe(403);
  const shared = await logIn({ token: config.CONSOLE_TOKEN, name: 'ann' });
  await asked('put', `/api/accounts/${ada.accountId}/roles/operator`, shared.cookie).expect(204);
  await within('auth knows the role', async () => (await logIn(own)).status === 204);
  const { cookie } = await logIn(own);

  await asked('put', `/api/accounts/${ben.accountId}/lock`, cookie).expect(204);
  await within('his session has ended', async () => (await ben.send('GET', '/accounts')).status === 401);
  const refused = await send('POST', '/auth/login', { email: ben.email, password: ben.password });
  expect([refused.status, refused.body.type]).toEqual([403, 'urn:problem:store:account-locked']);
  await asked('delete', `/api/accounts/${ben.accountId}/lock`, cookie).expect(204);
  expect((await send('POST', '/auth/login', { email: ben.email, password: ben.password })).status).toBe(200);

  const { body } = await asked('get', `/api/audit?subject=${ben.accountId.slice(0, 13)}`, cookie).expect(200);
  const locks = body.changes.filter(({ kind }: { kind: string }) => kind === 'lock');
  expect(locks).toMatchObject(Array(2).fill({ actor: `operator ${ada.accountId}`, name: 'Ada' }));
  const byPerson = await asked('get', `/api/audit?person=${encodeURIComponent(ada.email)}`, cookie).expect(200);
  expect(byPerson.body.changes.map(({ actor }: { actor: string }) => actor)).toContain(`operator ${ada.accountId}`);
  const roles = await asked('get', `/api/audit?subject=${ada.accountId}&person=ann`, cookie).expect(200);
  expect(roles.body.changes).toMatchObject([{ actor: 'operator ann (shared token)', kind: 'roles' }]);

  await asked('delete', `/api/accounts/${ada.accountId}/roles/operator`, shared.cookie).expect(204);
  await within('she is out', async () => (await asked('get', '/api/products', cookie)).status === 401);
  await asked('put', `/api/accounts/${ada.accountId}/roles/operator`, shared.cookie).expect(204);
  await within('she is in', async () => (await asked('get', '/api/products', cookie)).status === 200);
  await asked('delete', '/session', cookie).expect(204);
  await asked('get', '/api/products', cookie).expect(401);
});

it('make console says how to log in, or that the store is not running', async () => {
  const run = (port: string) => {
    const env = { CONSOLE_PORT: port, CONSOLE_TOKEN: config.CONSOLE_TOKEN, NODE_OPTIONS: '' };
    const command = ['--conditions=@store/source', 'tools/local/commands/console.ts'];
    return execa(process.execPath, command, { cwd: root, env, reject: false });
  };
  const { stdout } = await run(new URL(origin).port);
  expect(stdout).toContain(origin.replace('127.0.0.1', 'localhost'));
  expect(stdout).toContain('make grant EMAIL=<address> ROLE=operator');
  expect(stdout).toContain(config.CONSOLE_TOKEN);
  const stopped = await run('1');
  expect([stopped.exitCode, stopped.stdout, stopped.stderr]).toEqual([
    1,
    '',
    'The store is not running: start it with make run.',
  ]);
});
