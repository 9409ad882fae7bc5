import pg from 'pg';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice } from '../_app.ts';
import { beganStream, openStream, startReplica } from './_streams.ts';

let database: TestDatabase;
let replica: Awaited<ReturnType<typeof startReplica>>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  replica = await startReplica(database.url);
});

afterAll(async () => {
  await replica.stop();
  await database.drop();
});

const placing = (count: number) =>
  `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
   select gen_random_uuid(), '${alice}', 'PENDING', 1, 'USD', now(), now() from generate_series(1, ${count})`;
const place = (count: number) => queryOnce(database.url, placing(count));

const day = 24 * 3_600_000;

it.each([
  ['empty', ''],
  ['no cursor', 'x'],
  ['53 KB of what an earlier release gave out', `${Date.now()}-1:100:${'1,'.repeat(26_500)}1-1:100:-0`],
  ['a snapshot that is none', `${Date.now()}-9:5:-9:5:-1`],
  ['of another database', `${Date.now()}-0123456789abcdef-1:1:`],
])('a Last-Event-ID that is %s is answered by reset, and never sent back', async (_, lastEventId) => {
  await place(100);
  const stream = await beganStream(replica.url, { lastEventId });
  expect(stream.events.map(({ event }) => event)).toEqual(['reset']);
  await place(1);
  await until('the next change has come', () => stream.events.length === 2);
  for (const { id } of stream.events) expect(id).toMatch(/^.{1,200}$/);
  stream.break();
});

it('a Last-Event-ID that is eight days old is answered by reset', async () => {
  const first = await beganStream(replica.url);
  const aged = (days: number) => `${Date.now() - days * day}${first.lastEventId()?.slice(13)}`;
  const [old, young] = [
    await beganStream(replica.url, { lastEventId: aged(8) }),
    await openStream(replica.url, { lastEventId: aged(6) }),
  ];
  expect(old.events.map(({ event }) => event)).toEqual(['reset']);
  await place(1);
  await until('the next change has come', () => young.events.length > 0);
  expect(young.events.map(({ event }) => event)).toEqual(['order']);
  for (const stream of [first, old, young]) stream.break();
});

it.each([
  ['of the past', '1:1:', 'reset'],
  ['of the future', `1:${'9'.repeat(18)}:`, 'order'],
  ['that is none', '7:5:9,8,7', 'reset'],
])('a forged snapshot %s is worth no more than the log of the account', async (_, snapshot, event) => {
  const first = await beganStream(replica.url);
  const stream = await openStream(replica.url, { lastEventId: `${first.lastEventId()?.slice(0, 31)}${snapshot}` });
  await until('the stream has begun', async () => {
    await place(1);
    return stream.events.length > 0;
  });
  expect(stream.events[0]?.event).toBe(event);
  for (const one of [first, stream]) one.break();
});

it.each([
  ['more than 200 characters long', `${Date.now()}-$-1:1:${'1,'.repeat(90)}1`],
  ['no number of a transaction', `${Date.now()}-$-1:${'9'.repeat(19)}:`],
])('an id of this database that is %s is answered by reset', async (_, forged) => {
  const first = await beganStream(replica.url);
  const incarnation = first.lastEventId()?.slice(14, 30) ?? '';
  const stream = await beganStream(replica.url, { lastEventId: forged.replace('$', incarnation) });
  expect(stream.events[0]?.event).toBe('reset');
  for (const one of [first, stream]) one.break();
});

it('ids are short however many transactions are in progress, and lose nothing', async () => {
  const clients = Array.from({ length: 60 }, () => new pg.Client({ connectionString: database.url }));
  for (const client of clients) {
    await client.connect();
    await client.query('begin');
    await client.query('select pg_current_xact_id()');
  }
  const stream = await beganStream(replica.url);
  await place(1);
  await until('a change has come', () => stream.statuses().length === 1);
  stream.break();
  for (const { id } of stream.events) expect(id).toMatch(/^.{1,200}$/);
  await clients[20]?.query(placing(1));
  for (const client of clients) await client.query('commit');
  const back = await openStream(replica.url, { lastEventId: stream.lastEventId() ?? '' });
  // The first one again.
  await until('it has what was committed since', () => back.statuses().length === 2);
  expect(back.statuses()[0]).toBe(stream.statuses()[0]);
  back.break();
  for (const client of clients) await client.end();
});
