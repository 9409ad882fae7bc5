import { randomUUID } from 'node:crypto';
import { unavailable } from '@store/shared/values/errors';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../../tests/kit/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, bob } from '../_app.ts';
import { beganStream, headersOf, openStream, startReplica } from './_streams.ts';

let database: TestDatabase;
let replica: Awaited<ReturnType<typeof startReplica>>;
let ended: Set<string>;
let isAuthAway: boolean;

beforeEach(async () => {
  [ended, isAuthAway] = [new Set(), false];
  database = await createTestDatabase('order');
  replica = await startReplica(database.url, {
    async sessionCheck() {
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
  const [over, expired, other] = await Promise.all(
    [headersOf(alice, { id }), headersOf(alice, { expiresInSeconds: 1 }), headersOf(alice)].map((headers) =>
      beganStream(replica.url, { headers }),
    ),
  );
  ended.add(id);
  await until('both are over', () => over?.isOver() === true && expired?.isOver() === true, { timeoutMs: 3_000 });
  expect(other?.isOver()).toBe(false);
  expect((await openStream(replica.url, { headers: headersOf(alice, { id }) })).status).toBe(401);
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

it('ten streams of an account are the most, until one ends', async () => {
  const streams = await Promise.all(Array.from({ length: 10 }, () => beganStream(replica.url)));
  const refused = await openStream(replica.url);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
  expect((await openStream(replica.url, { headers: headersOf(bob) })).status).toBe(200);
  streams[0]?.break();
  await until('there is room again', async () => (await openStream(replica.url)).status === 200);
});

it('cuts off who does not read, who later misses nothing', async () => {
  const slow = await beganStream(replica.url);
  slow.response.pause();
  const reading = await beganStream(replica.url);
  // More than the buffers of both sockets hold, in parts that a stream may leave unread.
  for (let sent = 800; sent <= 40_000; sent += 800) {
    await place(alice, 800);
    await until('the reader has all', () => reading.events.length === sent + 1);
  }
  slow.response.resume();
  await until('the slow one is cut off', () => slow.isOver());
  const received = slow.statuses();
  expect(received.length).toBeLessThan(40_000);
  const back = await openStream(replica.url, { lastEventId: slow.lastEventId() ?? '' });
  await until('it has the rest', () => received.length + back.statuses().length >= 40_000);
  expect(new Set([...received, ...back.statuses()]).size).toBe(40_000);
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
