import { randomUUID } from 'node:crypto';
import { unavailable } from '@store/shared/values/errors';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
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

it('a burst of changes cuts off nobody: who reads slowly gets all of them later', async () => {
  const slow = await beganStream(replica.url);
  slow.response.pause();
  const reading = await beganStream(replica.url);
  // More than the buffers of both sockets hold.
  for (let sent = 5_000; sent <= 40_000; sent += 5_000) {
    await place(alice, 5_000);
    await until('the reader has all', () => reading.events.length === sent + 1);
  }
  slow.response.resume();
  await until('the slow one has all, too', () => slow.events.length === 40_001);
  expect(new Set(slow.statuses()).size).toBe(40_000);
  await place(alice, 1);
  await until('both go on', () => slow.events.length === 40_002 && reading.events.length === 40_002);
});

it('who comes back to many changes gets them in one stream, with those that come meanwhile', async () => {
  const first = await beganStream(replica.url);
  first.break();
  await place(alice, 20_000);
  const back = await openStream(replica.url, { lastEventId: first.lastEventId() ?? '' });
  back.response.pause();
  const reading = await beganStream(replica.url);
  await place(alice, 5_000);
  await until('others have the new ones', () => reading.statuses().length === 5_000);
  back.response.resume();
  await until('it has all', () => back.events.length === 25_000);
  expect(new Set(back.statuses()).size).toBe(25_000);
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
