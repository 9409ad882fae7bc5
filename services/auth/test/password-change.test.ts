import request from 'supertest';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { ada, fakeAccounts, testApp } from './_app.ts';

const accounts = fakeAccounts();
const database = useDatabase('auth');
const auth = database.open((databaseUrl) => testApp({ databaseUrl, accounts }));
const old = 'correct horse';
const replacement = 'battery staple';

let registered = 0;
async function newAccount() {
  registered += 1;
  const credentials = { email: `ada${registered}@example.com`, password: old };
  const { body } = await request(auth.app)
    .post('/auth/register')
    .send({ name: ada.name, ...credentials });
  return { id: body.id as string, ...credentials };
}
type Account = Awaited<ReturnType<typeof newAccount>>;

const tokenIn = ({ headers }: { headers: Record<string, string> }) =>
  /__store_jwt_token=([^;]+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1] ?? '';
const tryLogin = ({ email }: Account, password: string) =>
  request(auth.app).post('/auth/login').send({ email, password });
const logIn = async (account: Account) => tokenIn(await tryLogin(account, account.password).expect(200));
const check = async (token: string) =>
  (await request(auth.app).get('/check').set('Cookie', `__store_jwt_token=${token}`)).status;
const change = (account: Account, token: string, currentPassword: string, newPassword: string, path = account.id) =>
  request(auth.app)
    .put(`/accounts/${path}/password`)
    .set('id-account', account.id)
    .auth(token, { type: 'bearer' })
    .send({ currentPassword, newPassword });

it('replaces the password, ends every other session and goes on with a new one', async () => {
  const account = await newAccount();
  const [own, phone] = [await logIn(account), await logIn(account)];
  const changed = await change(account, own, old, replacement).expect(204);
  expect(changed.headers['cache-control']).toBe('no-store');
  expect(await Promise.all([own, phone, tokenIn(changed)].map(check))).toEqual([401, 401, 200]);
  expect([(await tryLogin(account, old)).status, (await tryLogin(account, replacement)).status]).toEqual([401, 200]);
});

it('with a wrong current password it is 403, and nothing changes', async () => {
  const account = await newAccount();
  const own = await logIn(account);
  const { status, body } = await change(account, own, 'wrong horse', replacement);
  expect([status, body.type]).toEqual([403, 'urn:problem:store:wrong-password']);
  expect([await check(own), (await tryLogin(account, old)).status]).toEqual([200, 200]);
});

it('a request that is repeated since it was not answered ends the other sessions', async () => {
  const account = await newAccount();
  const [own, phone] = [await logIn(account), await logIn(account)];
  // As if auth had been killed behind the account service's answer.
  await accounts.setPassword(account.id, replacement);
  await change(account, own, old, replacement).expect(204);
  expect(await check(phone)).toBe(401);
});

it('a guess counts once, together with those of logins', async () => {
  const account = await newAccount();
  const own = await logIn(account);
  for (let n = 0; n < 10; n += 1) expect((await change(account, own, `guess ${n}`, replacement)).status).toBe(403);
  const refused = await change(account, own, old, replacement);
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  expect((await tryLogin(account, old)).status).toBe(429);
});

it('a password that the account service refuses changes nothing', async () => {
  const account = await newAccount();
  const own = await logIn(account);
  expect((await change(account, own, old, 'short')).status).toBe(400);
  expect([await check(own), (await tryLogin(account, old)).status]).toEqual([200, 200]);
});

it("another account's is 404, and without the token it is 401", async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const own = await logIn(account);
  expect((await change(account, own, old, replacement, other.id)).status).toBe(404);
  expect((await change(account, 'a.b.c', old, replacement)).status).toBe(401);
  expect((await tryLogin(other, old)).status).toBe(200);
});

it('logs neither password', async () => {
  const account = await newAccount();
  await change(account, await logIn(account), old, replacement).expect(204);
  expect(auth.logged.join()).not.toMatch(new RegExp(`${old}|${replacement}`));
});

describe('GET /accounts/{id}/sessions', () => {
  const list = (account: Account, token: string, path = account.id) =>
    request(auth.app).get(`/accounts/${path}/sessions`).set('id-account', account.id).auth(token, { type: 'bearer' });
  const end = (account: Account, token: string, id: string, path = account.id) =>
    request(auth.app)
      .delete(`/accounts/${path}/sessions/${id}`)
      .set('id-account', account.id)
      .auth(token, { type: 'bearer' });

  it('shows sessions that are open, however many later ones have ended', async () => {
    const account = await newAccount();
    const own = await logIn(account);
    await queryOnce(
      database.url,
      `with ended as (
         insert into sessions (id, account_id, began_at, expires_at)
         select gen_random_uuid(), '${account.id}', now() + interval '1 s', now() + interval '1 day'
         from generate_series(1, 120) returning id, expires_at
       )
       insert into ended_sessions select id, expires_at from ended`,
    );
    const { body } = await list(account, own).expect(200);
    expect(body).toMatchObject([{ current: true }]);
  });

  it('says where and since when, the newest first, and ends one of them', async () => {
    const account = await newAccount();
    const before = new Date().toISOString();
    const { email, password } = account;
    await request(auth.app)
      .post('/auth/login')
      .set({ 'user-agent': `Phone ${'x'.repeat(400)}`, 'x-envoy-external-address': '192.0.2.7' })
      .send({ email, password })
      .expect(200);
    const own = await logIn(account);
    const { body } = await list(account, own).expect(200);
    expect(body).toEqual([
      { id: expect.any(String), since: expect.any(String), address: null, userAgent: null, current: true },
      {
        id: expect.any(String),
        since: expect.any(String),
        address: '192.0.2.7',
        userAgent: `Phone ${'x'.repeat(294)}`,
        current: false,
      },
    ]);
    expect(body[0].since >= body[1].since && body[1].since >= before).toBe(true);
    await end(account, own, body[1].id).expect(204);
    expect((await list(account, own)).body.map(({ id }: { id: string }) => id)).toEqual([body[0].id]);
  });

  it('has none that ended, in whichever way, and the one that a change of the password began', async () => {
    const account = await newAccount();
    const [phone, tablet] = [await logIn(account), await logIn(account)];
    await request(auth.app).get('/auth/logout').set('Cookie', `__store_jwt_token=${phone}`).expect(200);
    expect((await list(account, tablet)).body).toHaveLength(1);
    const renewed = tokenIn(await change(account, tablet, old, replacement).expect(204));
    expect((await list(account, renewed)).body).toMatchObject([{ current: true }]);
  });

  it('an ended session is refused at once', async () => {
    const account = await newAccount();
    const [phone, own] = [await logIn(account), await logIn(account)];
    const { body } = await list(account, own);
    await end(account, own, body[1].id).expect(204);
    expect(await Promise.all([phone, own].map(check))).toEqual([401, 200]);
  });

  it("another account's are neither shown nor ended", async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const [own, theirs] = [await logIn(account), await logIn(other)];
    const [session] = (await list(other, theirs)).body;
    expect((await list(account, own, other.id)).status).toBe(404);
    expect((await end(account, own, session.id)).status).toBe(404);
    expect((await end(account, own, session.id, other.id)).status).toBe(404);
    expect(await check(theirs)).toBe(200);
  });
});
