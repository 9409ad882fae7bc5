import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import request from 'supertest';
import { blockedBy, whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { type TestApp, useAuth } from './_app.ts';
import { asGateway, cookieWith, customersOf, identityOf, type LoggedIn } from './_customers.ts';
import { inDays, keysOf } from './_keys.ts';

const { accounts, database, query, open } = useAuth({ PRODUCT_WRITERS: 'role:catalogue' });
const [auth, replica] = [open(), open()];
const { loggedIn, logIn, check } = customersOf(auth);
const { make: makeOwnKey, identify } = keysOf(auth);

const path = '/auth/service-accounts';
type Method = 'get' | 'post' | 'patch' | 'delete';
/** A request with the identity that the gateway adds: the operator's token has no roles, auth knows them. */
const call = ({ headers }: Pick<LoggedIn, 'headers'>, method: Method, at = '', body?: object) =>
  request(auth.app)[method](`${path}${at}`).set(headers).send(body);

/** Both replicas know the roles. */
async function operatorWith(...roles: string[]): Promise<LoggedIn> {
  const account = await loggedIn();
  const given = ['operator', ...roles].sort();
  await request(auth.app).put(`/internal/accounts/${account.id}/roles`).send({ roles: given }).expect(200);
  await until('the replica knows', async () => {
    const check = request(replica.app).get('/check').set('Cookie', cookieWith(account.token));
    return (await check).headers['account-roles'] === given.join();
  });
  return account;
}

async function create(operator: LoggedIn, body: object = {}): Promise<string> {
  const given = { name: 'Warehouse', scopes: ['orders:read'], ...body };
  return (await call(operator, 'post', '', given).expect(201)).body.id;
}

const makeKey = async (operator: LoggedIn, id: string, body: object = {}) =>
  (await call(operator, 'post', `/${id}/keys`, { name: 'First', ...body }).expect(201)).body as {
    id: string;
    key: string;
  };

const statusOf = async (token: string, { app }: TestApp | typeof auth) =>
  (await request(app).get('/check').set(asGateway).set('Cookie', cookieWith(token))).status;

it('a service account has the scopes and roles that its operator gave it, in each of its keys', async () => {
  const operator = await operatorWith('catalogue');
  const given = { name: ' ERP ', scopes: ['stock:write', 'orders:read', 'orders:read'], roles: ['catalogue'] };
  const { body, headers } = await call(operator, 'post', '', given).expect(201);
  const state = { scopes: ['orders:read', 'stock:write'], roles: ['catalogue'], paused: false };
  expect(body).toMatchObject({ name: 'ERP', ...state, createdBy: `account ${operator.id}` });
  expect(headers).toMatchObject({ location: `${path}/${body.id}`, 'cache-control': 'no-store' });
  expect((await call(operator, 'get', `/${body.id}`).expect(200)).body).toEqual(body);
  expect((await call(operator, 'get').expect(200)).body).toContainEqual(body);

  const { key, ...shown } = (await call(operator, 'post', `/${body.id}/keys`, { name: 'March' }).expect(201)).body;
  expect((await call(operator, 'get', `/${body.id}/keys`).expect(200)).body).toEqual([shown]);
  expect(await identify(key)).toMatchObject({
    status: 200,
    id: body.id,
    roles: 'catalogue',
    scopes: 'orders:read,stock:write',
  });
  const trail = await query(`select actor, kind, before, after from audit where subject = '${body.id}'`);
  expect(trail).toEqual([{ actor: `account ${operator.id}`, kind: 'service account', before: null, after: state }]);
  // Nobody is mailed: the account has no address.
  expect(accounts.calls).not.toContainEqual({ announceKey: shown.id, accountId: body.id });
});

const needs = (role: string, scope: string) => `A service account needs the role ${role} for the scope ${scope}.`;

it.each<[string, object, string]>([
  ['a role that the operator lacks', { roles: ['catalogue'] }, 'Your account needs the role catalogue'],
  ['a scope for catalogues, without that role', { scopes: ['stock:write'] }, needs('catalogue', 'stock:write')],
  ['a scope for operators, without that role', { scopes: ['orders:ship'] }, needs('operator', 'orders:ship')],
  ['a scope for writers of products', { scopes: ['products:write'] }, needs('catalogue', 'products:write')],
])('no service account has %s', async (_, body, detail) => {
  const operator = await operatorWith();
  const before = await query('select id from service_accounts');
  const refused = await call(operator, 'post', '', { name: 'Greedy', scopes: ['orders:read'], ...body }).expect(403);
  expect(refused.body.detail).toContain(detail);
  expect(await query('select id from service_accounts')).toEqual(before);
});

it.each<[string, object]>([
  ['no name', { name: ' ' }],
  ['no scope', { scopes: [] }],
  ['an unknown scope', { scopes: ['everything'] }],
  ['an unknown role', { roles: ['root'] }],
])('%s is 400', async (_, body) => {
  const operator = await operatorWith();
  await call(operator, 'post', '', { name: 'Warehouse', scopes: ['orders:read'], ...body }).expect(400);
});

it.each(['catalogue', 'operator,catalogue'])(
  'an operator makes no key with the roles %s, unless they have these themselves',
  async (roles) => {
    const [giver, operator] = [await operatorWith('catalogue'), await operatorWith()];
    const id = await create(giver, { scopes: ['stock:write'], roles: roles.split(',') });
    const refused = await call(operator, 'post', `/${id}/keys`, { name: 'Borrowed' }).expect(403);
    expect(refused.body.detail).toBe('Your account needs the role catalogue, which only an operator can give.');
    const internal = `/internal/service-accounts/${id}/keys`;
    const inConsole = (name: string) =>
      request(auth.app).post(internal).set('operator-name', name).send({ name: 'One' });
    await inConsole(operator.id).expect(403);
    expect((await call(operator, 'get', `/${id}/keys`).expect(200)).body).toEqual([]);
    await inConsole(giver.id).expect(201);
    await makeKey(giver, id);
    // The one who gave the role has lost it.
    await call(giver, 'get', `/${id}/keys`).expect(200);
    await request(auth.app).delete(`/internal/accounts/${giver.id}/roles/catalogue`).expect(200);
    const [first] = (await call(giver, 'get', `/${id}/keys`)).body;
    await call(giver, 'delete', `/${id}/keys/${first.id}`).expect(204);
    await call(giver, 'post', `/${id}/keys`, { name: 'Late' }).expect(403);
  },
);

it('a change gives no scopes and no roles, and a key has none but those of its account', async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const more = { scopes: ['orders:read', 'orders:all'], roles: ['operator'] };
  await call(operator, 'patch', `/${id}`, more).expect(400);
  const { body } = await call(operator, 'patch', `/${id}`, { name: 'ERP', ...more }).expect(200);
  expect(body).toMatchObject({ name: 'ERP', scopes: ['orders:read'], roles: [] });
  const { key } = await makeKey(operator, id, more);
  expect(await identify(key)).toEqual({
    status: 200,
    id,
    roles: undefined,
    scopes: 'orders:read',
    bearer: expect.any(String),
  });
});

it('only a person with the role operator manages service accounts', async () => {
  const operator = await operatorWith();
  const id = await create(operator, { roles: ['operator'] });
  const { key, id: keyId } = await makeKey(operator, id);
  const customer = await loggedIn();
  // What services get for the key, as if auth were called with it: a machine makes no other machines or keys.
  const machine = { headers: identityOf(id, (await identify(key)).bearer) };
  const operatorsKey = (await makeOwnKey(operator)).body.key as string;
  const byKey = { headers: identityOf(operator.id, (await identify(operatorsKey)).bearer) };
  for (const caller of [customer, machine, byKey]) {
    await call(caller, 'post', '', { name: 'Mine', scopes: ['orders:read'] }).expect(403);
    await call(caller, 'get').expect(403);
    await call(caller, 'get', `/${id}`).expect(403);
    await call(caller, 'patch', `/${id}`, { paused: true }).expect(403);
    await call(caller, 'post', `/${id}/keys`, { name: 'Mine' }).expect(403);
    await call(caller, 'get', `/${id}/keys`).expect(403);
    await call(caller, 'delete', `/${id}/keys/${keyId}`).expect(403);
    await call(caller, 'delete', `/${id}`).expect(403);
  }
  expect(await check(key)).toBe(200);
});

it('the account of a person is no service account', async () => {
  const [operator, customer] = [await operatorWith(), await loggedIn()];
  await call(operator, 'post', `/${customer.id}/keys`, { name: 'Stolen' }).expect(404);
  await call(operator, 'get', `/${customer.id}/keys`).expect(404);
  await call(operator, 'patch', `/${customer.id}`, { paused: true }).expect(404);
  await call(operator, 'delete', `/${customer.id}`).expect(404);
  expect(await check(customer.token)).toBe(200);
});

it('two keys can be valid at once, also if two operators ask at once', async () => {
  const [operator, other] = [await operatorWith(), await operatorWith()];
  const id = await create(operator);
  await makeKey(operator, id);
  const makeAt = ({ app }: Pick<TestApp, 'app'>, { headers }: LoggedIn) =>
    request(app).post(`${path}/${id}/keys`).set(headers).send({ name: 'Second' });
  const holding = 'select from service_accounts where id = $1 for update';
  const replies = await blockedBy(database.url, holding, [id], 2, () =>
    Promise.all([makeAt(auth, operator), makeAt(replica, other)]),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
  const [first] = (await call(operator, 'get', `/${id}/keys`)).body;
  await call(operator, 'delete', `/${id}/keys/${first.id}`).expect(204);
  await makeKey(operator, id);
});

it('a key for more than 90 days needs the password of the operator', async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const key = { name: 'Long', expiresAt: inDays(200) };
  await call(operator, 'post', `/${id}/keys`, key).expect(400);
  await call(operator, 'post', `/${id}/keys`, { ...key, currentPassword: 'wrong horse' }).expect(403);
  await call(operator, 'post', `/${id}/keys`, { ...key, currentPassword: operator.password }).expect(201);
});

it('a paused account is refused by every replica within a second, and goes on where it was', async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const { key } = await makeKey(operator, id);
  const untilReplica = (status: number) =>
    until('the replica knows', async () => (await statusOf(key, replica)) === status, { timeoutMs: 1_000 });
  await untilReplica(200);
  const paused = await call(operator, 'patch', `/${id}`, { paused: true, name: 'Old warehouse' }).expect(200);
  expect(paused.body).toMatchObject({ name: 'Old warehouse', paused: true });
  expect(await check(key)).toBe(401);
  await untilReplica(401);
  await call(operator, 'patch', `/${id}`, { paused: true }).expect(200);
  await call(operator, 'patch', `/${id}`, {}).expect(400);
  await call(operator, 'patch', `/${id}`, { paused: false }).expect(200);
  expect(await check(key)).toBe(200);
  await untilReplica(200);
  const states = await query<{ after: { paused: boolean } }>(
    `select after from audit where subject = '${id}' order by id`,
  );
  expect(states.map(({ after }) => after.paused)).toEqual([false, true, false]);
});

it('the streams of a paused or deleted account end', async () => {
  const operator = await operatorWith();
  for (const end of ['pause', 'delete'] as const) {
    const id = await create(operator);
    const { id: keyId } = await makeKey(operator, id);
    const now = Math.floor(Date.now() / 1000);
    // What order asks every second for each stream.
    const session = { id: keyId, accountId: id, authenticatedAt: now, isApiKey: true };
    const ended = async ({ app }: Pick<TestApp, 'app'>) =>
      (
        await request(app)
          .post('/internal/session-checks')
          .send({ sessions: [session] })
          .expect(200)
      ).body.ended;
    expect(await ended(auth)).toEqual([]);
    if (end === 'pause') await call(operator, 'patch', `/${id}`, { paused: true }).expect(200);
    else await call(operator, 'delete', `/${id}`).expect(204);
    expect(await ended(auth)).toEqual([keyId]);
    await until('the replica knows', async () => (await ended(replica)).length === 1, { timeoutMs: 1_000 });
  }
});

it('a deleted account is gone, and its keys never work again', async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const { key } = await makeKey(operator, id);
  await call(operator, 'delete', `/${id}`).expect(204);
  expect(await check(key)).toBe(401);
  await until('the replica knows', async () => (await statusOf(key, replica)) === 401, { timeoutMs: 1_000 });
  for (const method of ['get', 'delete'] as const) await call(operator, method, `/${id}`).expect(404);
  await call(operator, 'patch', `/${id}`, { paused: false }).expect(404);
  await call(operator, 'post', `/${id}/keys`, { name: 'Late' }).expect(404);
  expect((await call(operator, 'get')).body.map((one: { id: string }) => one.id)).not.toContain(id);
});

it("a machine's keys outlive the operator who made them; the operator's own keys end with the password", async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const { key } = await makeKey(operator, id);
  const own = (await makeOwnKey(operator)).body.key as string;
  const change = { currentPassword: operator.password, newPassword: 'battery staple' };
  await request(auth.app).put(`/accounts/${operator.id}/password`).set(operator.headers).send(change).expect(204);
  await request(auth.app).put(`/internal/accounts/${operator.id}/roles`).send({ roles: [] }).expect(200);
  await request(auth.app).put(`/internal/accounts/${operator.id}/lock`).expect(204);
  expect(await Promise.all([check(own), check(key)])).toEqual([401, 200]);
});

it('an ended session makes no key for a machine', async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const token = await logIn(operator);
  await request(auth.app).get('/auth/logout').set('Cookie', cookieWith(token)).expect(200);
  await call({ headers: identityOf(operator.id, token) }, 'post', `/${id}/keys`, { name: 'Late' }).expect(401);
});

it('nothing changes if the commit fails', async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const { key } = await makeKey(operator, id);
  await whileCommitsFail(database.url, 'service_accounts', async () => {
    await call(operator, 'post', '', { name: 'Half', scopes: ['orders:read'] }).expect(500);
    await call(operator, 'delete', `/${id}`).expect(500);
  });
  expect(await check(key)).toBe(200);
  expect(await query(`select count(*)::int as count from audit where subject = '${id}'`)).toEqual([{ count: 1 }]);
});

it('an order of a machine needs no confirmed address, other unknown accounts do', async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const isConfirmed = jest.spyOn(accounts, 'isConfirmed').mockResolvedValue(false);
  const confirmation = async (accountId: string) =>
    (await request(auth.app).get(`/internal/accounts/${accountId}/confirmation`).expect(200)).body;
  expect(await confirmation(id)).toEqual({ isConfirmed: true });
  expect(await confirmation(randomUUID())).toEqual({ isConfirmed: false });
  isConfirmed.mockRestore();
});

describe('the operator who answers for an account', () => {
  const answerable = async (accountId: string) =>
    (await request(auth.app).get(`/internal/accounts/${accountId}/answerable-operator`).expect(200)).body.operatorId;
  const setRoles = (id: string, roles: string[]) =>
    request(auth.app).put(`/internal/accounts/${id}/roles`).send({ roles }).expect(200);

  it('is the account itself, and of a machine the one who made it, also in the console, and once it is deleted', async () => {
    const operator = await operatorWith();
    const id = await create(operator);
    expect(await Promise.all([answerable(operator.id), answerable(id)])).toEqual([operator.id, operator.id]);
    await call(operator, 'delete', `/${id}`).expect(204);
    expect(await answerable(id)).toBe(operator.id);
    const inConsole = (name: string) =>
      request(auth.app)
        .post('/internal/service-accounts')
        .set('operator-name', name)
        .send({ name: 'ERP', scopes: ['orders:read'] })
        .expect(201);
    expect(await answerable((await inConsole(operator.id)).body.id)).toBe(operator.id);
    expect(await answerable((await inConsole('root (shared token)')).body.id)).toBeNull();
  });

  it('is nobody if that account is no operator, is locked, or does not exist any more', async () => {
    const [operator, customer] = [await operatorWith(), await loggedIn()];
    const id = await create(operator);
    expect(await Promise.all([answerable(customer.id), answerable(randomUUID())])).toEqual([null, null]);
    await setRoles(operator.id, ['catalogue']);
    expect(await Promise.all([answerable(operator.id), answerable(id)])).toEqual([null, null]);
    await setRoles(operator.id, ['operator']);
    expect(await answerable(id)).toBe(operator.id);
    await request(auth.app).put(`/internal/accounts/${operator.id}/lock`).expect(204);
    expect(await answerable(id)).toBeNull();
    await request(auth.app).delete(`/internal/accounts/${operator.id}/lock`).expect(204);
    const find = jest.spyOn(accounts, 'find').mockResolvedValue(undefined);
    expect(await answerable(id)).toBeNull();
    find.mockRestore();
  });
});

it('a rotation under 100 requests a second fails none, at either replica', async () => {
  const operator = await operatorWith();
  const id = await create(operator);
  const old = await makeKey(operator, id);
  let key = old.key;
  const seen: Promise<number>[] = [];
  const timer = setInterval(() => seen.push(statusOf(key, seen.length % 2 === 0 ? auth : replica)), 10);
  await pause(500);
  const next = await makeKey(operator, id, { name: 'Second' });
  key = next.key;
  await pause(500);
  // What was sent with the old key has been answered before it ends.
  await Promise.all(seen);
  await call(operator, 'delete', `/${id}/keys/${old.id}`).expect(204);
  await pause(500);
  clearInterval(timer);
  const statuses = await Promise.all(seen);
  expect(statuses.length).toBeGreaterThan(50);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(await check(old.key)).toBe(401);
});

it('an operator of the console gives no more than their own rights, the credential of the store any', async () => {
  const internal = '/internal/service-accounts';
  const operator = await operatorWith();
  const body = { name: 'Stock', scopes: ['stock:write'], roles: ['catalogue'] };
  const createAs = (name: string) => request(auth.app).post(internal).set('operator-name', name).send(body);
  await createAs(operator.id).expect(403);
  const { body: made } = await createAs('root (shared token)').expect(201);
  const { body: key } = await request(auth.app).post(`${internal}/${made.id}/keys`).send({ name: 'One' }).expect(201);
  const { key: _, ...shown } = key;
  const { body: all } = await request(auth.app).get(internal).expect(200);
  expect(all).toContainEqual({ ...made, keys: [shown] });
  // Its use is noted a second later.
  expect(await identify(key.key)).toMatchObject({
    status: 200,
    id: made.id,
    roles: 'catalogue',
    scopes: 'stock:write',
  });
  await request(auth.app).patch(`${internal}/${made.id}`).send({ paused: true }).expect(200);
  expect(await check(key.key)).toBe(401);
  await request(auth.app).delete(`${internal}/${made.id}/keys/${key.id}`).expect(204);
  await request(auth.app).delete(`${internal}/${made.id}`).expect(204);
});
