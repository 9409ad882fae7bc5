import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { whileCommitsFail, whileHolding } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { useAuth } from './_app.ts';
import { customersOf, type LoggedIn } from './_customers.ts';
import { keysOf } from './_keys.ts';

const { accounts, env, database, query, start, open } = useAuth({
  INTERNAL_CREDENTIAL: newCredential(),
  INTERNAL_CREDENTIALS: newCredential(),
  OPERATOR_CREDENTIALS: newCredential(),
  MAILER_CREDENTIALS: newCredential(),
});
const [auth, replica] = [open(), open()];
const { loggedIn, logIn, tryLogin, check } = customersOf(auth);
const other = customersOf(replica);

const ask = (method: 'get' | 'put' | 'delete', path: string) =>
  request(auth.app)
    [method](`/internal/${path}`)
    .auth(env.OPERATOR_CREDENTIALS, { type: 'bearer' })
    .set('operator-name', 'ann');
const lock = (id: string) => ask('put', `accounts/${id}/lock`);
const unlock = (id: string) => ask('delete', `accounts/${id}/lock`);
const trailOf = async (id: string) => (await ask('get', `audit?subject=${id}`).expect(200)).body;

describe('a locked account', () => {
  it('cannot log in, and its sessions and API keys end at all replicas within a second', async () => {
    const customer = await loggedIn();
    const { body: key } = await keysOf(auth).make(customer).expect(201);
    const tokens: string[] = [customer.token, key.key];
    for (const token of tokens) expect(await other.check(token)).toBe(200);
    await lock(customer.id).expect(204);
    expect((await ask('get', `accounts/${customer.id}/lock`).expect(200)).body.lockedAt).toMatch(/Z$/);
    for (const token of tokens) {
      expect(await check(token)).toBe(401);
      await until('the replica refuses it', async () => (await other.check(token)) === 401, { timeoutMs: 1_000 });
    }
    const refused = await other.tryLogin(customer, customer.password).expect(403);
    expect(refused.body).toMatchObject({
      type: 'urn:problem:store:account-locked',
      detail: 'The account is locked. Contact the store.',
    });
    // Without the password, nobody learns that the account is locked.
    await tryLogin(customer, 'wrong horse').expect(401);
    expect(accounts.calls).toContainEqual({ endMailRequests: customer.id });
    const late = await start();
    const statuses = await Promise.all(tokens.map(customersOf(late).check));
    await late.close();
    expect(statuses).toEqual([401, 401]);
  });

  it('can log in once it is unlocked, but its earlier sessions stay ended', async () => {
    const customer = await loggedIn();
    await lock(customer.id).expect(204);
    await unlock(customer.id).expect(204);
    expect((await ask('get', `accounts/${customer.id}/lock`)).body).toEqual({ lockedAt: null });
    expect(await check(customer.token)).toBe(401);
    const token = await logIn(customer);
    for (const one of [check, other.check]) await until('it is logged in', async () => (await one(token)) === 200);
    const kinds = (await trailOf(customer.id)).filter(({ kind }: { kind: string }) => kind === 'lock');
    const entry = { actor: 'operator ann', subject: customer.id };
    expect(kinds).toMatchObject([
      { ...entry, before: { locked: true }, after: { locked: false } },
      { ...entry, before: { locked: false }, after: { locked: true } },
    ]);
  });

  it('keeps its roles but cannot use them', async () => {
    const customer = await loggedIn();
    await ask('put', `accounts/${customer.id}/roles/operator`).expect(200);
    await lock(customer.id).expect(204);
    await ask('put', `accounts/${customer.id}/roles/catalogue`).expect(200);
    expect(await check(customer.token)).toBe(401);
    await tryLogin(customer, customer.password).expect(403);
    expect((await ask('get', `accounts/${customer.id}/roles`)).body.roles).toEqual(['catalogue', 'operator']);
  });

  it('gets no valid session from a login that was in flight when it was locked, even after it is unlocked', async () => {
    const customer = await loggedIn();
    const row = 'select from account_roles where account_id = $1 for update';
    await ask('put', `accounts/${customer.id}/roles/catalogue`).expect(200);
    const waits = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';
    // The transaction of the lock has fixed the cutoff but has not committed.
    const { token, locked } = await whileHolding(database.url, row, [customer.id], async () => {
      const locked = lock(customer.id).then(({ status }) => status);
      await until('it waits', async () => (await query(waits)).length > 0);
      return { token: await logIn(customer), locked };
    });
    expect(await locked).toBe(204);
    expect(await check(token)).toBe(401);
    await unlock(customer.id).expect(204);
    expect(await check(token)).toBe(401);
  });

  it('keeps its sessions if the lock cannot be stored', async () => {
    const customer = await loggedIn();
    await ask('put', `accounts/${customer.id}/roles/catalogue`).expect(200);
    await whileCommitsFail(database.url, 'account_roles', () => lock(customer.id).expect(500));
    expect(await check(customer.token)).toBe(200);
    await logIn(customer);
    await lock(crypto.randomUUID()).expect(404);
  });
});

describe('an operator', () => {
  const list = async ({ id }: LoggedIn) => (await ask('get', `accounts/${id}/sessions`).expect(200)).body;

  it('lists sessions, which is recorded, and ends one, or all of them with the API keys', async () => {
    const customer = await loggedIn();
    const tokens = [customer.token, await logIn(customer), await logIn(customer)];
    const { body: key } = await keysOf(auth).make(customer).expect(201);
    const [newest] = await list(customer);
    const path = `accounts/${customer.id}/sessions`;
    await ask('delete', `${path}/${newest.id}`).expect(204);
    expect(await Promise.all(tokens.map(check))).toEqual([200, 200, 401]);
    expect(await list(customer)).toHaveLength(2);
    await ask('delete', path).expect(204);
    expect(await Promise.all([...tokens, key.key].map(check))).toEqual([401, 401, 401, 401]);
    expect(await list(customer)).toEqual([]);
    const actor = 'operator ann';
    expect(await trailOf(newest.id)).toMatchObject([{ actor, kind: 'session', before: { accountId: customer.id } }]);
    expect(await trailOf(customer.id)).toMatchObject([
      { actor, kind: 'session', before: { sessions: 'all' } },
      { actor, kind: 'look', after: { at: 'sessions' } },
    ]);
  });
});
