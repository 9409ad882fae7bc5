import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { orderEvent } from '../../src/schemas.ts';
import { alice, bob, tea } from '../_app.ts';
import { beganStream, headersOf, type OpenStream, openStream, startReplica } from './_streams.ts';

let database: TestDatabase;
let replicas: Awaited<ReturnType<typeof startReplica>>[];
let url: string;
let other: string;

beforeAll(async () => {
  database = await createTestDatabase('order');
  replicas = await Promise.all([startReplica(database.url), startReplica(database.url)]);
  [url = '', other = ''] = replicas.map((replica) => replica.url);
});

afterAll(async () => {
  for (const replica of replicas) await replica.stop();
  await database.drop();
});

async function place(accountId = alice): Promise<string> {
  const response = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { ...headersOf(accountId), 'content-type': 'application/json' },
    body: JSON.stringify({ items: [{ productId: tea, quantity: 1 }] }),
  });
  return ((await response.json()) as { id: string }).id;
}

const cancel = (id: string) =>
  fetch(`${other}/orders/${id}/cancellation`, { method: 'POST', headers: headersOf(alice) });
/** As the worker does, also that of a release that knows nothing of the log. */
const set = (
  id: string,
  status: string,
  run: (sql: string) => Promise<unknown> = (sql) => queryOnce(database.url, sql),
) => run(`update orders set status = '${status}', updated_at = now() where id = '${id}'`);

const has = (stream: OpenStream, ...statuses: string[]) =>
  until(
    () => `the stream has ${statuses} and nothing else: ${stream.statuses()}`,
    () => JSON.stringify(stream.statuses()) === JSON.stringify(statuses),
    { timeoutMs: 5_000 },
  );

async function transaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  return client;
}

it('sends each status of the orders of the account as it changes', async () => {
  const stream = await beganStream(url);
  expect(stream).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
  await place(bob);
  const id = await place();
  await has(stream, `${id} PENDING`);
  await set(id, 'CONFIRMED');
  await set(id, 'CONFIRMED');
  await cancel(id);
  await has(stream, `${id} PENDING`, `${id} CONFIRMED`, `${id} CANCELLED`);
  for (const { event, data } of stream.events.slice(1)) {
    expect(event).toBe('order');
    expect(orderEvent.strict().parse(JSON.parse(data)).orderId).toBe(id);
  }
  stream.break();
});

it('goes on at another replica, after each of its events', async () => {
  const stream = await beganStream(url);
  const ids = [await place(), await place()];
  // Three changes of one commit, and so of one reading.
  await queryOnce(database.url, `update orders set status = 'CONFIRMED' where id in ('${ids.join("','")}')`);
  await cancel(ids[0] ?? '');
  await until('all have come', () => stream.statuses().length === 5);
  const all = stream.statuses();
  stream.break();
  for (const [index, { id }] of stream.events.entries()) {
    const rest = await openStream(other, { lastEventId: id ?? '' });
    // After some of what was read at once all of that comes again.
    const isAfterAll = stream.events[index - 1]?.id !== id;
    await until(
      'the rest has come',
      () =>
        rest
          .statuses()
          .slice(-all.length + index)
          .join() === all.slice(index).join(),
    );
    if (isAfterAll) expect(rest.statuses()).toEqual(all.slice(index));
    rest.break();
  }
  const last = await openStream(other, { lastEventId: stream.lastEventId() ?? '' });
  const next = await place();
  await has(last, `${next} PENDING`);
  last.break();
});

it('a change that is committed after a later one is sent too, to who was there and to who comes back', async () => {
  const [early, late] = [await place(), await place()];
  const stream = await beganStream(url);
  const open = await transaction();
  await set(early, 'CONFIRMED', (sql) => open.query(sql));
  await set(late, 'CONFIRMED');
  await has(stream, `${late} CONFIRMED`);
  const cursor = stream.lastEventId() ?? '';
  await open.query('commit');
  await open.end();
  await has(stream, `${late} CONFIRMED`, `${early} CONFIRMED`);
  const back = await openStream(other, { lastEventId: cursor });
  await has(back, `${early} CONFIRMED`);
  for (const one of [stream, back]) one.break();
});

it('the changes of an order are in order, also where an older transaction makes the later one', async () => {
  const id = await place();
  const stream = await beganStream(url);
  const older = await transaction();
  await older.query('select pg_current_xact_id()');
  const pending = await transaction();
  await pending.query('select pg_current_xact_id()');
  await set(id, 'CONFIRMED');
  await set(id, 'CANCELLED', (sql) => older.query(sql));
  await older.query('commit');
  await has(stream, `${id} CONFIRMED`, `${id} CANCELLED`);
  await pending.query('rollback');
  const back = await openStream(other, { lastEventId: stream.events[0]?.id ?? '' });
  await has(back, `${id} CONFIRMED`, `${id} CANCELLED`);
  for (const one of [stream, back]) one.break();
  for (const client of [older, pending]) await client.end();
});

it('what is rolled back is not sent', async () => {
  const id = await place();
  const stream = await beganStream(url);
  const undone = await transaction();
  await set(id, 'CANCELLED', (sql) => undone.query(sql));
  await undone.query('rollback');
  await undone.end();
  await set(id, 'CONFIRMED');
  await has(stream, `${id} CONFIRMED`);
  stream.break();
});

it('random breaks, between two replicas, lose nothing, and what is repeated ends as it was', async () => {
  const accountId = randomUUID();
  const headers = headersOf(accountId);
  const expected = new Map<string, string[]>();
  const received: string[] = [];
  let isDone = false;

  async function customer() {
    for (let n = 0; n < 15; n += 1) {
      const id = await place(accountId);
      expected.set(id, ['PENDING', 'CONFIRMED', 'CANCELLED']);
      const client = await transaction();
      await set(id, 'CONFIRMED', (sql) => client.query(sql));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
      await client.query('commit');
      await client.end();
      await set(id, 'CANCELLED');
    }
  }
  async function page(begin: string | undefined) {
    let lastEventId = begin;
    const isComplete = () => new Set(received).size === [...expected.values()].flat().length;
    for (let breaks = 0; !isDone || !isComplete(); breaks += 1) {
      if (breaks > 300) throw new Error(`Only ${new Set(received).size}`);
      const stream: OpenStream = await openStream(Math.random() < 0.5 ? url : other, {
        headers,
        ...(lastEventId !== undefined && { lastEventId }),
      });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
      stream.break();
      received.push(...stream.statuses());
      lastEventId = stream.lastEventId();
    }
  }
  const first = await beganStream(url, { headers });
  first.break();
  const writing = Promise.all(Array.from({ length: 4 }, customer)).then(() => {
    isDone = true;
  });
  await Promise.all([writing, page(first.lastEventId())]);
  let repeated = 0;
  for (const [id, statuses] of expected) {
    const all = received.filter((one) => one.startsWith(id));
    const complete = statuses.map((status) => `${id} ${status}`);
    expect([...new Set(all)]).toEqual(complete);
    expect(all.at(-1)).toBe(complete.at(-1));
    repeated += all.length - complete.length;
  }
  expect(repeated).toBeLessThan(60);
});
