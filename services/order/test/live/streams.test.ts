import { randomUUID } from 'node:crypto';
import { unavailable } from '@store/shared/values/errors';
import { register } from 'prom-client';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { Session } from '../../src/live/session.ts';
import { alice, bob } from '../_app.ts';
import { beganStream, headersOf, openStream, startReplica } from './_streams.ts';

let database: TestDatabase;
let replica: Awaited<ReturnType<typeof startReplica>>;
let ended: Set<string>;
let isAuthAway: boolean;
let asked: Session[];
/** The answer of auth waits for it. */
let held: Promise<void>;

beforeEach(async () => {
  [ended, isAuthAway, asked, held] = [new Set(), false, [], Promise.resolve()];
  database = await createTestDatabase('order');
  replica = await startReplica(database.url, {
    async sessionCheck(sessions) {
      asked = sessions;
      await held;
      if (isAuthAway) throw unavailable('The auth service');
      return ended;
    },
    expects: /Sessions of open streams cannot be checked|A dependency is unavailable/,
  });
});

afterEach(async () => {
  await replica.stop();
  await database.drop();
});

const place = (accountId: string, count: number) =>
  queryOnce(
    database.url,
    `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
     select gen_random_uuid(), '${accountId}', 'PENDING', 1, 'USD', now(), now() from generate_series(1, ${count})`,
  );

it('ends the streams of sessions that have ended or expired, and opens no other for them', async () => {
  const id = randomUUID();
  const other = await beganStream(replica.url);
  const over = await beganStream(replica.url, { headers: headersOf(alice, { id }) });
  const expired = await beganStream(replica.url, { headers: headersOf(alice, { expiresInSeconds: 2 }) });
  ended.add(id);
  await until('both are over', () => over.isOver() && expired.isOver(), { timeoutMs: 5_000 });
  expect(other.isOver()).toBe(false);
  for (const headers of [headersOf(alice, { id }), headersOf(alice, { expiresInSeconds: 0 })])
    expect((await openStream(replica.url, { headers })).status).toBe(401);
});

it('is counted as open from when its changes begin until it is over', async () => {
  const open = async () => (await register.getSingleMetric('order_streams_open')?.get())?.values[0]?.value;
  const { promise, resolve } = deferred();
  held = promise;
  const opening = beganStream(replica.url);
  await until('auth is asked', () => asked.length > 0);
  expect(await open()).toBe(0);
  resolve();
  const stream = await opening;
  expect(await open()).toBe(1);
  stream.break();
  await until('it is over', async () => (await open()) === 0);
});

it('names the key of the token to auth, so that the stream ends with that', async () => {
  const id = randomUUID();
  const stream = await beganStream(replica.url, { headers: headersOf(alice, { id, kid: 'of the key' }) });
  expect(asked).toMatchObject([{ id, accountId: alice, kid: 'of the key' }]);
  asked = [];
  await until('auth is asked again', () => asked.length > 0);
  expect(asked).toMatchObject([{ id, accountId: alice, kid: 'of the key' }]);
  stream.break();
});

it.each([
  ['none', undefined],
  ["another account's", headersOf(bob).authorization],
  ['broken', 'Bearer x.y.z'],
])('a token that is %s is 401', async (_, authorization) => {
  const headers = { 'id-account': alice, ...(authorization !== undefined && { authorization }) };
  expect((await openStream(replica.url, { headers })).status).toBe(401);
});

it('ends all streams when auth cannot be asked for some seconds, and opens none', async () => {
  const stream = await beganStream(replica.url);
  isAuthAway = true;
  expect((await openStream(replica.url)).status).toBe(503);
  expect(stream.isOver()).toBe(false);
  await until('it is over', () => stream.isOver(), { timeoutMs: 8_000 });
});

it('at most ten streams of an account are open', async () => {
  const streams = await Promise.all(Array.from({ length: 10 }, () => beganStream(replica.url)));
  const refused = await openStream(replica.url);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
  expect((await openStream(replica.url, { headers: headersOf(bob) })).status).toBe(200);
  streams[0]?.break();
  await until('there is room again', async () => (await openStream(replica.url)).status === 200);
});

it('who comes back gets up to 200 changes, and is told to read again if they are more', async () => {
  const first = await beganStream(replica.url);
  const lastEventId = first.lastEventId() ?? '';
  const back = () => beganStream(replica.url, { lastEventId });
  await place(alice, 200);
  const some = await back();
  await until('it has all', () => some.events.length === 200);
  expect(new Set(some.statuses()).size).toBe(200);
  await place(alice, 1);
  // Only what has been read of the log can be missed; the rest comes live.
  await until('the log is read', () => first.statuses().length === 201);
  const many = await back();
  expect(many.events.map(({ event }) => event)).toEqual(['reset']);
  await place(alice, 1);
  await until('both go on', () => [some, many].every((stream) => stream.statuses().at(-1) === first.statuses().at(-1)));
  expect(many.events).toHaveLength(2);
});

it('more changes at once than are read at once are sent to all who are concerned', async () => {
  const [ada, ben] = await Promise.all(
    [alice, bob].map((one) => beganStream(replica.url, { headers: headersOf(one) })),
  );
  await queryOnce(
    database.url,
    `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
     select gen_random_uuid(),
       case n when 1 then '${alice}'::uuid when 9000 then '${bob}'::uuid when 12000 then '${alice}'::uuid else gen_random_uuid() end,
       'PENDING', 1, 'USD', now(), now() from generate_series(1, 12000) as n`,
  );
  await until('both have theirs', () => ada?.statuses().length === 2 && ben?.statuses().length === 1);
});

it('ends streams when the process stops, and opens none', async () => {
  const stream = await beganStream(replica.url);
  replica.endStreams?.();
  await until('it is over', () => stream.isOver(), { timeoutMs: 1_000 });
  expect((await openStream(replica.url)).status).toBe(503);
});

it('answers HEAD at once', async () => {
  const answer = await fetch(`${replica.url}/orders/events`, { method: 'HEAD', headers: headersOf(alice) });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
});
