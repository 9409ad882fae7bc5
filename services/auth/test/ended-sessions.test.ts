import { openDatabase } from '@store/shared/database/database';
import request from 'supertest';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { createEndedSessions } from '../src/ended-sessions.ts';
import { PrismaClient } from '../src/generated/client.ts';
import type { DB } from '../src/generated/tables.ts';
import { createSessionRepository } from '../src/session-repository.ts';
import { testApp } from './_app.ts';

const nowSeconds = Math.floor(Date.now() / 1000);
const sessionOf = (id: string, accountId = crypto.randomUUID()) => ({
  id,
  accountId,
  authenticatedAt: nowSeconds,
  expiresAt: nowSeconds + 3600,
});

let database: TestDatabase;
let connection: ReturnType<typeof openDatabase<DB>>;
let sessions: ReturnType<typeof createSessionRepository>;

beforeEach(async () => {
  database = await createTestDatabase('auth');
  connection = openDatabase<DB>(database.url);
  sessions = createSessionRepository(new PrismaClient({ adapter: connection.adapter }), connection.kysely);
});

afterEach(async () => {
  await connection.close();
  await database.drop();
});

const query = (sql: string) => queryOnce(database.url, sql);

test('sessions are forgotten once their tokens have expired, and not before', () => {
  let now = nowSeconds;
  const ended = createEndedSessions(() => now * 1000);
  const [session, other] = [sessionOf('one'), sessionOf('two')];
  ended.add(session);
  ended.add({ accountId: other.accountId, endedAt: nowSeconds, expiresAt: nowSeconds + 7200 });
  now += 3630;
  ended.forgetExpired();
  expect([ended.has(session), ended.has(other), ended.size()]).toEqual([true, true, 2]);
  now += 31;
  ended.forgetExpired();
  expect([ended.has(session), ended.has(other), ended.size()]).toEqual([false, true, 1]);
  now += 3600;
  ended.forgetExpired();
  expect(ended.size()).toBe(0);
});

test('an older cutoff that arrives late does not replace a newer one', () => {
  const ended = createEndedSessions();
  const session = { ...sessionOf('one'), authenticatedAt: nowSeconds + 0.000001 };
  const cutoff = (endedAt: number) => ended.add({ accountId: session.accountId, endedAt, expiresAt: nowSeconds + 60 });
  cutoff(nowSeconds);
  expect(ended.has(session)).toBe(false);
  cutoff(nowSeconds + 0.000001);
  cutoff(nowSeconds);
  expect(ended.has(session)).toBe(true);
});

test('everything that ended is loaded, however much it is', async () => {
  await query(
    `insert into ended_sessions select gen_random_uuid(), now() + interval '1 hour' from generate_series(1, 12000)`,
  );
  await query(
    `insert into session_cutoffs select gen_random_uuid(), now(), now() + interval '1 hour' from generate_series(1, 5000)`,
  );
  const [{ id }] = (await query('select id from ended_sessions order by random() limit 1')) as [{ id: string }];
  const ended = createEndedSessions();
  await sessions.load(ended.add);
  expect(ended.size()).toBe(17_000);
  expect(ended.has(sessionOf(id))).toBe(true);
});

test('rows are deleted an hour after they expired', async () => {
  const [id, accountId] = [crypto.randomUUID(), crypto.randomUUID()];
  await sessions.end({ id, expiresAt: nowSeconds - 3590 });
  await sessions.endAll(accountId, -3590);
  await query(
    `insert into ended_sessions select gen_random_uuid(), now() - interval '61 minutes' from generate_series(1, 6000)`,
  );
  await query(`insert into session_cutoffs values (gen_random_uuid(), now(), now() - interval '61 minutes')`);
  await sessions.deleteForgotten();
  expect(await query('select id from ended_sessions')).toEqual([{ id }]);
  expect(await query('select account_id from session_cutoffs')).toEqual([{ account_id: accountId }]);
});

test('notifications that are not understood are ignored', async () => {
  const auth = await testApp({ databaseUrl: database.url });
  const token = await auth.issue(crypto.randomUUID());
  for (const payload of ['', 'garbage', 'null', '{}', '{"id":7}', '{"accountId":"a","endedAt":"b"}'])
    await query(`select pg_notify('ended_sessions', '${payload}')`);
  await request(auth.app).get('/check').set('Cookie', `__store_jwt_token=${token}`).expect(200);
  await sessions.end({ id: JSON.parse(atob(token.split('.')[1] ?? '')).jti, expiresAt: nowSeconds + 60 });
  await until('what follows is heard', async () => {
    const { status } = await request(auth.app).get('/check').set('Cookie', `__store_jwt_token=${token}`);
    return status === 401;
  });
  await auth.close();
});
