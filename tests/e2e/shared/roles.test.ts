import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { newCredential } from '../../kit/credentials.ts';
import { type Customer, newCustomer } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { sharedStore, startSharedGateway, startSharedReplica } from '../_shared-store.ts';
import { until } from '../_store.ts';

// Roles (contract 3.9) with services that check tokens themselves, as in production.

const tea = { name: 'Tea', price: 1.25, unit: 'kg' };
const store = sharedStore();
const product = await startSharedReplica('product', { PRODUCT_WRITERS: 'role:catalogue' });
const { url: gatewayUrl } = await startSharedGateway({ upstreams: product });
const anonymous = createSend(gatewayUrl);
const [ada, bob] = [await newCustomer(anonymous), await newCustomer(anonymous)];

async function grant(variables: Record<string, string>) {
  const ports = Object.fromEntries(
    ['auth', 'account'].map((name) => [`${name.toUpperCase()}_PORT`, new URL(store.url(name)).port]),
  );
  const env = { OPERATOR_CREDENTIAL: store.credential, ...ports, ...variables, NODE_OPTIONS: '' };
  const command = ['--conditions=@store/source', 'tools/local/commands/grant.ts'];
  const { exitCode, stdout, stderr } = await execa(process.execPath, command, { cwd: root, env, reject: false });
  return { exitCode, stdout, stderr };
}

const create = async ({ send }: Customer) => (await send('POST', '/products', tea)).status;
const give = ({ send }: Customer, { accountId }: Customer, roles: string[]) =>
  send('PUT', `/accounts/${accountId}/roles`, { roles });
const untilStatus = (status: number, attempt: () => Promise<number>) =>
  until(`it is ${status}`, async () => (await attempt()) === status, 1_000);

it('an operator made by make grant gives others the right to write products within a second, and no further rights', async () => {
  expect(await create(ada)).toBe(403);
  expect((await give(ada, bob, ['catalogue'])).status).toBe(403);

  expect(await grant({ EMAIL: ada.email, ROLE: 'operator' })).toMatchObject({
    exitCode: 0,
    stdout: `${ada.email} (${ada.accountId}) has operator.`,
  });
  expect(await create(ada)).toBe(403);
  expect((await give(ada, bob, ['catalogue'])).body).toEqual({ roles: ['catalogue'] });
  await untilStatus(201, () => create(bob));
  expect((await give(bob, bob, ['operator'])).status).toBe(403);

  expect((await give(ada, bob, [])).status).toBe(200);
  await untilStatus(403, () => create(bob));
});

it('a cookie gives no role', async () => {
  const forged = { cookie: `${bob.cookie}; account-roles=catalogue; roles=catalogue` };
  expect((await bob.send('POST', '/products', tea, forged)).status).toBe(403);
  expect((await bob.send('GET', '/accounts', undefined, forged)).status).toBe(200);
});

it('a header gives no role, through the gateway or past it', async () => {
  const forged = { 'account-roles': 'catalogue,operator' };
  expect((await bob.send('POST', '/products', tea, forged)).status).toBe(403);
  const past = { 'id-account': bob.accountId, authorization: `Bearer ${bob.cookie.split('=')[1]}`, ...forged };
  expect((await createSend(`http://127.0.0.1:${product.product?.port}`)('POST', '/products', tea, past)).status).toBe(
    403,
  );
  const change = await createSend(store.url('auth'))(
    'PUT',
    `/accounts/${bob.accountId}/roles`,
    { roles: ['operator'] },
    past,
  );
  expect(change.status).toBe(403);
});

test.each<[string, Record<string, string>, string]>([
  ['without an address', { ROLE: 'operator' }, 'error: EMAIL=… is missing: make grant EMAIL=<address> ROLE='],
  [
    'for nobody',
    { EMAIL: 'nobody-at-all@example.com', ROLE: 'operator' },
    'No account has the e-mail address nobody-at-all@example.com.',
  ],
  ['of an unknown role', { EMAIL: 'ada', ROLE: 'root' }, 'body.roles'],
  ['with a wrong credential', { EMAIL: 'ada', ROLE: 'operator', OPERATOR_CREDENTIAL: newCredential() }, 'credential'],
])('make grant fails %s', async (_, variables, expected) => {
  const given = variables.EMAIL === 'ada' ? { ...variables, EMAIL: ada.email } : variables;
  const { exitCode, stderr } = await grant(given);
  expect(stderr).toContain(expected);
  expect(exitCode).toBe(1);
});
