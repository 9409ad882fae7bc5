import { randomUUID } from 'node:crypto';
import { unavailable } from '@store/shared/values/errors';
import { decodeJwt } from 'jose';
import request from 'supertest';
import { whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { ada, useAuth } from './_app.ts';
import { cookieWith, customersOf, identityOf } from './_customers.ts';
import { inDays, keysOf } from './_keys.ts';

const { accounts, database, query, start, open } = useAuth({ JWT_TTL_SECONDS: '600' });
const auth = open();
const restricted = open({ PRODUCT_WRITERS: 'role:catalogue' });
const { make, list, end, identify } = keysOf(auth);
const { loggedIn, check, logout, solve } = customersOf(auth);

describe('POST /auth/keys', () => {
  it('returns a key, a token with the account and scopes, and never shows it again', async () => {
    const owner = await loggedIn();
    const given = { name: ' Shipping software ', scopes: ['orders:write', 'orders:read', 'orders:read'] };
    const { status, body, headers } = await make(owner, given);
    const { key, ...shown } = body;
    const scopes = ['orders:read', 'orders:write'];
    const common = { id: expect.any(String), createdAt: expect.any(String), expiresAt: expect.any(String) };
    expect([status, shown]).toEqual([201, { ...common, name: 'Shipping software', scopes, lastUsedAt: null }]);
    expect(headers).toMatchObject({ location: `/auth/keys/${shown.id}`, 'cache-control': 'no-store' });
    expect(decodeJwt(key)).toMatchObject({ sub: owner.id, jti: shown.id, scope: 'orders:read orders:write' });
    expect(await list(owner)).toEqual([shown]);
    expect(JSON.stringify(await query('select * from api_keys'))).not.toContain(key);
    expect(auth.logged.join()).not.toContain(key.split('.')[2]);

    const passedOn = await identify(key);
    expect(passedOn).toMatchObject({ status: 200, id: owner.id, scopes: 'orders:read,orders:write' });
    // Services get another token in its place, which ends with the key.
    expect(decodeJwt(passedOn.bearer)).toMatchObject({ jti: shown.id, scope: 'orders:read orders:write' });
    expect(passedOn.bearer).not.toBe(key);
    expect((await identify(key)).bearer).toBe(passedOn.bearer);
    await end(owner, shown.id).expect(204);
    expect(await Promise.all([key, passedOn.bearer, owner.token].map(check))).toEqual([401, 401, 200]);
  });

  it('adds an audit entry, as does the end of a key by its owner or by an operator', async () => {
    const owner = await loggedIn();
    const { body: first } = await make(owner);
    const { body: second } = await make(owner);
    for (const _ of ['once', 'and again']) await end(owner, first.id).expect(204);
    const ofAccount = `/internal/accounts/${owner.id}/keys`;
    expect((await request(auth.app).get(ofAccount).expect(200)).body).toMatchObject([{ id: second.id }]);
    await request(auth.app).delete(`${ofAccount}/${second.id}`).set('operator-name', 'ann').expect(204);
    await request(auth.app).delete(`${ofAccount}/${randomUUID()}`).expect(404);
    expect(await check(second.key)).toBe(401);
    const { body: changes } = await request(auth.app).get('/internal/audit?size=5').expect(200);
    const state = { accountId: owner.id, scopes: ['orders:read'] };
    const [byOwner, ofFirst, ofSecond] = [`account ${owner.id}`, { subject: first.id }, { subject: second.id }];
    expect(changes).toMatchObject([
      { ...ofSecond, actor: 'operator ann', kind: 'key', before: state, after: null },
      { subject: owner.id, actor: 'operator', kind: 'look' },
      { ...ofFirst, actor: byOwner, before: state, after: null },
      { ...ofSecond, actor: byOwner, before: null, after: state },
      { ...ofFirst, actor: byOwner, before: null, after: state },
    ]);
  });

  it('adds no audit entry if its commit fails, nor does the end of a key', async () => {
    const owner = await loggedIn();
    const { id, key } = (await make(owner)).body;
    await whileCommitsFail(database.url, 'api_keys', async () => {
      await make(owner).expect(500);
      await end(owner, id).expect(500);
      await request(auth.app).delete('/auth/sessions').set(owner.headers).expect(500);
    });
    expect((await list(owner)).length).toBe(1);
    expect(await check(key)).toBe(200);
    const byOwner = await query<{ subject: string }>(`select subject from audit where actor = 'account ${owner.id}'`);
    expect(byOwner).toEqual([{ subject: id }]);
  });

  it.each<[string, object, string]>([
    ['no name', { name: ' ' }, 'body.name'],
    ['an invisible name', { name: '\u2060\u00ad' }, 'body.name'],
    ['a long name', { name: 'x'.repeat(101) }, 'body.name'],
    ['no scope', { scopes: [] }, 'body.scopes'],
    ['an unknown scope', { scopes: ['orders:none'] }, 'body.scopes.0'],
    ['several scopes in one string', { scopes: ['orders:read orders:write'] }, 'body.scopes.0'],
    ['expiresAt null', { expiresAt: null }, 'body.expiresAt'],
    ['expiresAt in the past', { expiresAt: inDays(-1) }, 'body.expiresAt'],
    ['expiresAt without a time zone', { expiresAt: '2027-01-01T00:00:00' }, 'body.expiresAt'],
    ['expiresAt in the year 10000', { expiresAt: '9999-12-31T23:59:59-01:00' }, 'body.expiresAt'],
    ['expiresAt in 367 days', { expiresAt: inDays(367) }, 'body.expiresAt'],
  ])('refuses %s', async (_, given, path) => {
    const { status, body } = await make(await loggedIn(), given);
    expect([status, body.errors?.[0].path]).toEqual([400, path]);
  });

  it('needs the password for a key that lasts longer than 90 days, and counts guesses as failed logins', async () => {
    const owner = await loggedIn();
    const expiresAt = inDays(366);
    const { status, body } = await make(owner, { expiresAt });
    expect([status, body.errors?.[0].path]).toEqual([400, 'body.currentPassword']);
    const wrong = await make(owner, { expiresAt, currentPassword: 'wrong' }).expect(403);
    expect(wrong.body.type).toBe('urn:problem:store:wrong-password');
    expect(await list(owner)).toEqual([]);
    await make(owner, { expiresAt, currentPassword: ada.password }).expect(201);
    for (let n = 0; n < 10; n += 1) await make(owner, { currentPassword: `guess ${n}` }).expect(403);
    await make(owner, { expiresAt, currentPassword: ada.password }).expect(429);
    expect(await list(owner)).toHaveLength(1);
  });

  it('has the account told about each key once the account service is available', async () => {
    const told: string[] = [];
    let isAway = true;
    const { announceKey } = accounts;
    // All replicas share this fake, because any of them may tell.
    accounts.announceKey = async (accountId, keyId) => {
      told.push(`${accountId} ${keyId}`);
      if (isAway) throw unavailable('The account service');
    };
    try {
      const owner = await loggedIn();
      const { id } = (await make(owner).expect(201)).body;
      await until('a replica has tried to tell', () => told.length > 0);
      const waiting = () => query(`select from api_keys where id = '${id}' and announced_at is null`);
      expect(await waiting()).toHaveLength(1);
      isAway = false;
      await until('the account is told and that is stored', async () => (await waiting()).length === 0);
      expect(told).toContain(`${owner.id} ${id}`);
    } finally {
      accounts.announceKey = announceKey;
    }
  });

  it('makes at most 100 keys per account, including ended ones', async () => {
    const owner = await loggedIn();
    await query(`insert into api_keys (id, account_id, name, scopes, token_digest, created_at, expires_at, ended_at)
      select gen_random_uuid(), '${owner.id}', 'x', '{}', '', now(), now() + interval '1 day', now()
      from generate_series(1, 99)`);
    const made = await Promise.all([make(owner), make(owner)]);
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await make(owner)).body.type).toBe('urn:problem:store:too-many-keys');
    await query(`update api_keys set expires_at = now() where account_id = '${owner.id}' and ended_at is not null`);
    await make(owner).expect(201);
  });

  it('makes no key if the session ends meanwhile', async () => {
    const [owner, other] = [await loggedIn(), await loggedIn()];
    const until = "now() + interval '1 hour'";
    // As if another replica had ended the sessions and this one did not know yet.
    await query(`insert into session_cutoffs values ('${owner.id}', now() + interval '1 s', ${until})`);
    await query(`insert into ended_sessions values ('${decodeJwt(other.token).jti}', ${until})`);
    for (const one of [owner, other]) {
      await make(one).expect(401);
      expect(await query(`select from api_keys where account_id = '${one.id}'`)).toEqual([]);
    }
  });
});

// Roles are not scopes: tests/e2e/shared/api-keys.test.ts.
it.each([
  ['products:write', 'catalogue', 'operator'],
  ['stock:write', 'catalogue', 'operator'],
  ['refunds:write', 'operator', 'catalogue'],
  ['orders:ship', 'operator', 'catalogue'],
  ['webhooks', 'operator', 'catalogue'],
  ['orders:all', 'operator', 'catalogue'],
])('the scope %s is given only to accounts with the role %s', async (scope, needed, other) => {
  const keys = keysOf(restricted);
  const owner = await customersOf(restricted).loggedIn();
  const grant = (roles: string[]) =>
    request(restricted.app).put(`/internal/accounts/${owner.id}/roles`).send({ roles }).expect(200);
  const refused = await keys.make(owner, { scopes: ['orders:read', scope] });
  const detail = `Your account needs the role ${needed}, which only an operator can give.`;
  expect([refused.status, refused.body.detail]).toEqual([403, detail]);
  await keys.make(owner, { scopes: ['orders:read'] }).expect(201);
  await grant([other]);
  await keys.make(owner, { scopes: [scope] }).expect(403);
  await grant([needed]);
  await keys.make(owner, { scopes: [scope] }).expect(201);
});

describe('an API key', () => {
  // contract.test.ts and tests/e2e/shared/api-keys.test.ts cover all other operations of auth.
  it.each(['post /internal/own-password-checks', 'delete /internal/own-sessions', 'get /internal/account-data'])(
    'cannot %s, even with forged headers',
    async (operation) => {
      const owner = await loggedIn();
      await request(auth.app)
        .put(`/internal/accounts/${owner.id}/roles`)
        .send({ roles: ['operator', 'catalogue'] });
      const scopes = ['orders:read', 'orders:write', 'products:write', 'stock:write', 'refunds:write', 'orders:all'];
      const { key } = (await make(owner, { scopes })).body;
      const { bearer } = await identify(key);
      const [method, path = ''] = operation.split(' ') as ['post', string];
      for (const token of [bearer, key]) {
        const forged = { ...identityOf(owner.id, token), 'account-scopes': 'orders:read', 'account-roles': 'operator' };
        const answer = await request(auth.app)[method](path).set(forged).send(ada);
        expect([answer.status, answer.body.detail]).toEqual([403, expect.stringMatching(/^No API key may do this/)]);
      }
      expect(await Promise.all([check(owner.token), check(key)])).toEqual([200, 200]);
    },
  );

  it('is not a session: a logout does not end it, and POST /auth/solve answers 401, as it could not return scopes', async () => {
    const { key } = (await make(await loggedIn())).body;
    await logout(key).expect(200);
    await solve(key).expect(401);
    expect(await check(key)).toBe(200);
  });

  it.each([
    ['', {}],
    [' but other headers', { 'gateway-passes-on': 'account-roles' }],
  ])('is refused behind a gateway that does not pass its scopes on%s', async (_, headers) => {
    const { key } = (await make(await loggedIn())).body;
    await request(auth.app)
      .get('/check')
      .set({ Cookie: cookieWith(key), ...headers })
      .expect(401);
    expect(await check(key)).toBe(200);
  });

  it('of another account cannot be listed or ended', async () => {
    const [owner, other] = [await loggedIn(), await loggedIn()];
    const { id, key } = (await make(other)).body;
    expect(await list(owner)).toEqual([]);
    await end(owner, id).expect(404);
    expect([await check(key), (await list(other)).length]).toEqual([200, 1]);
  });

  it('is kept until it expires', async () => {
    const owner = await loggedIn();
    const { id } = (await make(owner)).body;
    await query(`update api_keys set expires_at = now() where account_id = '${owner.id}'`);
    expect(await list(owner)).toEqual([]);
    const { key } = (await make(owner, { expiresAt: inDays(1 / 24) }).expect(201)).body;
    const fresh = await start();
    const rows = () => query(`select from api_keys where id = '${id}'`);
    await until('it is deleted', async () => (await rows()).length === 0).finally(fresh.close);
    expect([(await list(owner)).length, await check(key)]).toEqual([1, 200]);
  });
});

it('GET /internal/account-data lists the keys without their tokens', async () => {
  const owner = await loggedIn();
  const { key, ...shown } = (await make(owner)).body;
  const { text, body } = await request(auth.app).get('/internal/account-data').set(owner.headers).expect(200);
  expect(body.records).toMatchObject([{ apiKeys: [shown] }]);
  expect(text).not.toContain(key);
});
