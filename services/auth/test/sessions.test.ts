import { openDatabase } from '@store/shared/database/database';
import { unavailable } from '@store/shared/values/errors';
import { decodeProtectedHeader } from 'jose';
import request from 'supertest';
import { whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createEndedSessions } from '../src/sessions/ended-sessions.ts';
import { createSessionRepository } from '../src/sessions/session-repository.ts';
import { createTokens } from '../src/tokens/tokens.ts';
import { newKey, newSecret, useAuth } from './_app.ts';
import { customersOf, identityOf, type LoggedIn, tokenIn } from './_customers.ts';

const previousSecret = newSecret();
const { accounts, database, query, start, open } = useAuth();
const auth = open({ JWT_PREVIOUS_SECRET_KEYS: previousSecret, JWT_TTL_SECONDS: '600' });
const previous = open({ JWT_SECRET_KEY: previousSecret });
const connection = database.open((url) => openDatabase(PrismaClient, url));
const { loggedIn, logIn, check, logout } = customersOf(auth);

const nowSeconds = Math.floor(Date.now() / 1000);

describe('GET /accounts/{id}/sessions', () => {
  const list = ({ id, headers }: LoggedIn, path = id) =>
    request(auth.app).get(`/accounts/${path}/sessions`).set(headers);
  const end = ({ id, headers }: LoggedIn, session: string, path = id) =>
    request(auth.app).delete(`/accounts/${path}/sessions/${session}`).set(headers);

  it('lists an open session even if 120 later ones have ended', async () => {
    const customer = await loggedIn();
    await query(
      `with ended as (
         insert into sessions (id, account_id, began_at, expires_at)
         select gen_random_uuid(), '${customer.id}', now() + interval '1 s', now() + interval '1 day'
         from generate_series(1, 120) returning id, expires_at
       )
       insert into ended_sessions select id, expires_at from ended`,
    );
    expect((await list(customer)).body).toMatchObject([{ current: true }]);
  });

  it('lists address, browser and start, newest first, without sessions that a logout or DELETE has ended', async () => {
    const before = new Date().toISOString();
    const customer = await loggedIn();
    const { email, password } = customer;
    const headers = { 'user-agent': `Phone ${'x'.repeat(400)}`, 'x-envoy-external-address': '192.0.2.7' };
    const phone = tokenIn(await request(auth.app).post('/auth/login').set(headers).send({ email, password }));
    const tablet = await logIn(customer);
    await logout(tablet).expect(200);
    const { body } = await list(customer).expect(200);
    const common = { id: expect.any(String), since: expect.any(String) };
    expect(body).toEqual([
      { ...common, address: '192.0.2.7', userAgent: `Phone ${'x'.repeat(294)}`, current: false },
      { ...common, address: null, userAgent: null, current: true },
    ]);
    expect(body[0].since >= body[1].since && body[1].since >= before).toBe(true);
    await end(customer, body[0].id).expect(204);
    expect(await Promise.all([phone, tablet, customer.token].map(check))).toEqual([401, 401, 200]);
    expect((await list(customer)).body).toMatchObject([{ id: body[1].id }]);
  });

  it('cannot list or end sessions of another account', async () => {
    const [customer, other] = [await loggedIn(), await loggedIn()];
    const [session] = (await list(other)).body;
    await list(customer, other.id).expect(404);
    await end(customer, session.id).expect(404);
    await end(customer, session.id, other.id).expect(404);
    expect(await check(other.token)).toBe(200);
  });
});

describe('GET /auth/logout', () => {
  it('stores the end of a session once, and only for valid tokens', async () => {
    const stored = async () => (await query('select from ended_sessions')).length;
    const token = await auth.issue(crypto.randomUUID());
    const foreign = createTokens({ key: await newKey(), ttlSeconds: 600, hasEnded: () => false });
    const { token: foreignToken } = await foreign.issue(crypto.randomUUID(), nowSeconds);
    const before = await stored();
    for (const value of ['', 'a.b.c', `x${token}`, `${token}x`, foreignToken]) await logout(value).expect(200);
    expect(await stored()).toBe(before);
    for (let times = 0; times < 3; times += 1) await logout(token).expect(200);
    expect(await stored()).toBe(before + 1);
  });

  it('ends the session of a token that is quoted or URL-encoded', async () => {
    const [quoted, encoded] = [await auth.issue(crypto.randomUUID()), await auth.issue(crypto.randomUUID())];
    await logout(`"${quoted}"`).expect(200);
    await logout(encoded.replaceAll('.', '%2E')).expect(200);
    expect(await Promise.all([quoted, encoded].map(check))).toEqual([401, 401]);
  });
});

describe('the audit trail', () => {
  const trailOf = async (id: string, headers = {}) =>
    (await request(auth.app).get(`/internal/audit?subject=${id}`).set(headers).expect(200)).body.toReversed();

  it('records the end of one session and of all', async () => {
    const customer = await loggedIn();
    const { id, headers } = customer;
    await logIn(customer);
    const { body: sessions } = await request(auth.app).get(`/accounts/${id}/sessions`).set(headers).expect(200);
    const path = `/accounts/${id}/sessions/${sessions[0].id}`;
    for (let times = 0; times < 2; times += 1) await request(auth.app).delete(path).set(headers).expect(204);
    await request(auth.app).delete('/auth/sessions').set(headers).expect(204);
    const entry = { actor: `account ${id}`, kind: 'session', before: {}, after: null };
    expect(await trailOf(sessions[0].id)).toMatchObject([{ ...entry, before: { accountId: id } }]);
    expect(await trailOf(id)).toMatchObject([{ ...entry, before: { sessions: 'all' } }]);
  });

  it('has no entry for the end of sessions if its commit fails', async () => {
    const customer = await loggedIn();
    const { id, headers } = customer;
    await logIn(customer);
    const { body: sessions } = await request(auth.app).get(`/accounts/${id}/sessions`).set(headers).expect(200);
    await whileCommitsFail(database.url, 'ended_sessions', () =>
      request(auth.app).delete(`/accounts/${id}/sessions/${sessions[0].id}`).set(headers).expect(500),
    );
    await whileCommitsFail(database.url, 'session_cutoffs', () =>
      request(auth.app).delete('/auth/sessions').set(headers).expect(500),
    );
    for (const subject of [sessions[0].id, id]) expect(await trailOf(subject)).toEqual([]);
  });

  it('records that an operator looked at keys or roles, once an hour', async () => {
    const { id } = await loggedIn();
    for (const path of ['keys', 'roles', 'keys'])
      await request(auth.app).get(`/internal/accounts/${id}/${path}`).set('operator-name', 'ann').expect(200);
    const entry = { actor: 'operator ann', kind: 'look', before: null };
    expect(await trailOf(id)).toMatchObject([
      { ...entry, after: { at: 'keys' } },
      { ...entry, after: { at: 'roles' } },
    ]);
  });
});

describe('DELETE /auth/sessions', () => {
  const end = (headers: Record<string, string>) => request(auth.app).delete('/auth/sessions').set(headers);

  it('needs the token, not id-account alone', async () => {
    const id = crypto.randomUUID();
    const token = await auth.issue(id);
    await end({ 'id-account': id }).expect(401);
    await end(identityOf(id, await auth.issue(crypto.randomUUID()))).expect(401);
    await end({ authorization: `Bearer ${token}` }).expect(401);
    expect(await check(token)).toBe(200);
  });

  it('first invalidates links in mails, and ends nothing if that fails', async () => {
    const { id, token, headers } = await loggedIn();
    const away = await start({
      accounts: { ...accounts, endMailRequests: () => Promise.reject(unavailable('The account service')) },
    });
    await request(away.app).delete('/auth/sessions').set(headers).expect(503);
    await away.close();
    expect(await check(token)).toBe(200);
    await end(headers).expect(204);
    expect(accounts.calls).toContainEqual({ endMailRequests: id });
    expect(await check(token)).toBe(401);
  });

  it('at its internal path, for an account being deleted, also deletes the stored sessions', async () => {
    const { id, token, headers } = await loggedIn();
    await request(auth.app).delete('/internal/own-sessions').set(headers).expect(204);
    expect(await check(token)).toBe(401);
    expect(await query(`select from sessions where account_id = '${id}'`)).toEqual([]);
  });
});

it('POST /internal/session-checks returns sessions whose key was dropped or that are older than JWT_TTL_SECONDS', async () => {
  const kidOf = async ({ issue }: typeof auth) => decodeProtectedHeader(await issue(crypto.randomUUID())).kid;
  const goOn = [
    { kid: await kidOf(auth) },
    { kid: await kidOf(previous) },
    {}, // as sent by the previous release
    { authenticatedAt: nowSeconds - 500 },
  ];
  const haveEnded = [{ kid: (await newKey()).kid }, { authenticatedAt: nowSeconds - 601 }];
  const sessions = [...haveEnded, ...goOn].map((given) => {
    const [id, accountId] = [crypto.randomUUID(), crypto.randomUUID()];
    return { id, accountId, authenticatedAt: nowSeconds, ...given };
  });
  const { body } = await request(auth.app).post('/internal/session-checks').send({ sessions }).expect(200);
  expect(body).toEqual({ ended: sessions.slice(0, haveEnded.length).map(({ id }) => id) });
});

it('an ended session stays ended and an open one stays listed after restarts of auth', async () => {
  const customer = await loggedIn();
  const ended = await logIn(customer);
  await logout(ended).expect(200);
  for (let times = 0; times < 2; times += 1) {
    const over = "select gen_random_uuid(), now(), now() - interval '2 hours'";
    await query(`insert into session_cutoffs ${over}`);
    const again = await start();
    const isDeleted = async () => (await query('select from session_cutoffs where expires_at < now()')).length === 0;
    await until('it has deleted the old cutoff', isDeleted).finally(again.close);
  }
  const again = await start();
  const { check: checkAgain } = customersOf(again);
  expect([await checkAgain(ended), await checkAgain(customer.token)]).toEqual([401, 200]);
  const { body } = await request(again.app).get(`/accounts/${customer.id}/sessions`).set(customer.headers);
  expect(body).toMatchObject([{ current: true }]);
  await again.close();
});

describe('ended sessions', () => {
  const sessionOf = (id: string) => ({
    id,
    accountId: crypto.randomUUID(),
    authenticatedAt: nowSeconds,
    expiresAt: nowSeconds + 3600,
  });
  let sessions: ReturnType<typeof createSessionRepository>;
  beforeAll(() => {
    sessions = createSessionRepository(connection);
  });
  beforeEach(() => query('truncate ended_sessions, session_cutoffs'));

  it('leave memory only a minute after their tokens have expired', () => {
    const ended = createEndedSessions();
    const now = Date.now() / 1000;
    const both = [30, 70].flatMap((secondsAgo) => {
      const [alone, ofAll] = [sessionOf(`alone ${secondsAgo}`), sessionOf(`of all ${secondsAgo}`)];
      ended.add({ id: alone.id, expiresAt: now - secondsAgo });
      ended.add({ accountId: ofAll.accountId, endedAt: nowSeconds, expiresAt: now - secondsAgo });
      return [alone, ofAll];
    });
    expect(both.map(ended.has)).toEqual([true, true, true, true]);
    ended.forgetExpired();
    expect(both.map(ended.has)).toEqual([true, true, false, false]);
  });

  it('follow the latest cutoff, even if an older one arrives after it', () => {
    const ended = createEndedSessions();
    const session = { ...sessionOf('one'), authenticatedAt: nowSeconds + 0.000001 };
    const cutoff = (endedAt: number) =>
      ended.add({ accountId: session.accountId, endedAt, expiresAt: nowSeconds + 60 });
    cutoff(nowSeconds);
    expect(ended.has(session)).toBe(false);
    cutoff(nowSeconds + 0.000001);
    cutoff(nowSeconds);
    expect(ended.has(session)).toBe(true);
  });

  it('are all loaded, even 17,000 of them', async () => {
    await query(`insert into ended_sessions
      select gen_random_uuid(), now() + interval '1 hour' from generate_series(1, 12000)`);
    await query(`insert into session_cutoffs
      select gen_random_uuid(), now(), now() + interval '1 hour' from generate_series(1, 5000)`);
    const [{ id }] = (await query('select id from ended_sessions order by random() limit 1')) as [{ id: string }];
    const ended = createEndedSessions();
    let count = 0;
    await sessions.load((one) => {
      count += 1;
      ended.add(one);
    });
    expect(count).toBe(17_000);
    expect(ended.has(sessionOf(id))).toBe(true);
  });

  it('are deleted an hour after they expire', async () => {
    const [id, accountId] = [crypto.randomUUID(), crypto.randomUUID()];
    await sessions.end({ id, expiresAt: nowSeconds - 3300 });
    await sessions.endAll('operator', accountId, -3300);
    await query(`insert into ended_sessions
      select gen_random_uuid(), now() - interval '61 minutes' from generate_series(1, 6000)`);
    await query(`insert into session_cutoffs values (gen_random_uuid(), now(), now() - interval '61 minutes')`);
    await sessions.deleteExpired();
    expect(await query('select id from ended_sessions')).toEqual([{ id }]);
    expect(await query('select account_id from session_cutoffs')).toEqual([{ account_id: accountId }]);
  });

  it('are still notified after notifications of an unknown form', async () => {
    const token = await auth.issue(crypto.randomUUID());
    for (const payload of ['', 'garbage', 'null', '{}', '{"id":7}', '{"accountId":"a","endedAt":"b"}'])
      await query(`select pg_notify('ended_sessions', '${payload}')`);
    expect(await check(token)).toBe(200);
    await sessions.end({ id: JSON.parse(atob(token.split('.')[1] ?? '')).jti, expiresAt: nowSeconds + 60 });
    await until('the next notification arrives', async () => (await check(token)) === 401);
  });
});
