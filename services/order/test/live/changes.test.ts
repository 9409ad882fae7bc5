import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import request from 'supertest';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { explain } from '../../../../tests/kit/postgres/plan.ts';
import { recordedStatement } from '../../../../tests/kit/postgres/recorded-statement.ts';
import { commit, openTransaction } from '../../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../../tests/kit/until.ts';
import { createOrderChanges } from '../../src/live/order-change-repository.ts';
import { orderEvent } from '../../src/schemas.ts';
import { alice, as, bob } from '../_app.ts';
import { beganStream, headersOf, type OpenStream, openStream, placing, startReplica } from './_streams.ts';

const database = useDatabase('order');
const [one, other] = [database.open(startReplica), database.open(startReplica)];

const place = (accountId = alice) => as(accountId, one).placed();
const cancel = (id: string) => as(alice, other).cancel(id);
/** Sets a status like the worker, even the worker of a release that does not know the log. */
const set = (
  id: string,
  status: string,
  run: (sql: string) => Promise<unknown> = (sql) => queryOnce(database.url, sql),
) => run(`update orders set status = '${status}', updated_at = now() where id = '${id}'`);

/** @param statuses each once, and nothing else: only clients that come back get repeats (contract 4.11) */
const has = (stream: OpenStream, ...statuses: string[]) =>
  until(
    () => `the stream has ${statuses} and nothing else: ${stream.statuses()}`,
    () => stream.statuses().join() === statuses.join(),
  );
/** @param statuses the last statuses. Repeats of earlier statuses may come before them. */
const endsWith = (stream: OpenStream, ...statuses: string[]) =>
  until(
    () => `the stream ends with ${statuses}: ${stream.statuses()}`,
    () => stream.statuses().join().endsWith(statuses.join()),
  );

describe('a stream', () => {
  it('has each status of the orders of the account as it changes', async () => {
    const stream = await beganStream(one.url);
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

  it('repeats the status of an order when its payment changes, so that its client reads it again', async () => {
    const stream = await beganStream(one.url);
    const id = await place();
    await has(stream, `${id} PENDING`);
    const put = (body: object) => request(other.app).put(`/internal/orders/${id}/payment`).send(body).expect(204);
    const action = { status: 'action-required', nextAction: { type: 'redirect', url: 'https://bank.example/' } };
    await put(action);
    await put(action);
    await has(stream, `${id} PENDING`, `${id} PENDING`);
    await put({ status: 'pending', nextAction: null });
    await set(id, 'CONFIRMED');
    await has(stream, ...Array<string>(3).fill(`${id} PENDING`), `${id} CONFIRMED`);
    stream.break();
  });

  it('continues at another replica after each of its events', async () => {
    const stream = await beganStream(one.url);
    const ids = [await place(), await place()];
    // One statement, so that its changes are read at once.
    await queryOnce(database.url, `update orders set status = 'CONFIRMED' where id in ('${ids.join("','")}')`);
    await cancel(ids[0] ?? '');
    await until('all events have come', () => stream.statuses().length === 5);
    const all = stream.statuses();
    stream.break();
    for (const [index, { id }] of stream.events.entries()) {
      const rest = await openStream(other.url, { lastEventId: id ?? '' });
      if (index < all.length) await endsWith(rest, ...all.slice(index));
      rest.break();
    }
    const last = await openStream(other.url, { lastEventId: stream.lastEventId() });
    await endsWith(last, `${await place()} PENDING`);
    last.break();
  });

  it('has a change that is committed after a later change, even for a client that comes back', async () => {
    const [early, late] = [await place(), await place()];
    const stream = await beganStream(one.url);
    const open = await openTransaction(database.url);
    await set(early, 'CONFIRMED', (sql) => open.query(sql));
    await set(late, 'CONFIRMED');
    await has(stream, `${late} CONFIRMED`);
    const lastEventId = stream.lastEventId();
    await commit(open);
    await has(stream, `${late} CONFIRMED`, `${early} CONFIRMED`);
    const back = await openStream(other.url, { lastEventId });
    await until('the change has come', () => back.statuses().includes(`${early} CONFIRMED`));
    for (const each of [stream, back]) each.break();
  });

  it('has the changes of an order in order, even if an older transaction makes the later change', async () => {
    const id = await place();
    const stream = await beganStream(one.url);
    const [older, pending] = [await openTransaction(database.url), await openTransaction(database.url)];
    await set(id, 'CONFIRMED');
    await set(id, 'CANCELLED', (sql) => older.query(sql));
    await commit(older);
    await has(stream, `${id} CONFIRMED`, `${id} CANCELLED`);
    await commit(pending);
    const back = await openStream(other.url, { lastEventId: stream.events[0]?.id ?? '' });
    await endsWith(back, `${id} CONFIRMED`, `${id} CANCELLED`);
    for (const each of [stream, back]) each.break();
  });

  it('has no change that is rolled back', async () => {
    const id = await place();
    const stream = await beganStream(one.url);
    const undone = await openTransaction(database.url);
    await set(id, 'CANCELLED', (sql) => undone.query(sql));
    await undone.end();
    await set(id, 'CONFIRMED');
    await has(stream, `${id} CONFIRMED`);
    stream.break();
  });

  it('has its changes even if there are more than are read at once', async () => {
    const accounts = [randomUUID(), randomUUID()];
    const streams = await Promise.all(accounts.map((id) => beganStream(one.url, { headers: headersOf(id) })));
    await queryOnce(database.url, accounts.map((id) => placing(id, 2, 6_000)).join(';'));
    await until('both streams have their changes', () => streams.every((stream) => stream.statuses().length === 2));
    for (const stream of streams) stream.break();
  });

  it('loses nothing if it breaks at any time and continues at either replica, and repeats end with the last status', async () => {
    const accountId = randomUUID();
    const headers = headersOf(accountId);
    const expected = new Map<string, string[]>();
    const received: string[] = [];
    let isDone = false;

    async function customer() {
      for (let n = 0; n < 15; n += 1) {
        const id = await place(accountId);
        expected.set(id, [`${id} PENDING`, `${id} CONFIRMED`, `${id} CANCELLED`]);
        const open = await openTransaction(database.url);
        await set(id, 'CONFIRMED', (sql) => open.query(sql));
        await pause(Math.random() * 300);
        await commit(open);
        await set(id, 'CANCELLED');
      }
    }
    async function page(begin: string) {
      let lastEventId = begin;
      const isComplete = () => new Set(received).size === [...expected.values()].flat().length;
      for (let breaks = 0; !isDone || !isComplete(); breaks += 1) {
        if (breaks > 300) throw new Error(`Only ${new Set(received).size}`);
        const stream = await openStream(Math.random() < 0.5 ? one.url : other.url, { headers, lastEventId });
        await pause(Math.random() * 400);
        stream.break();
        received.push(...stream.statuses());
        lastEventId = stream.lastEventId();
      }
    }
    const first = await beganStream(one.url, { headers });
    first.break();
    const writing = Promise.all(Array.from({ length: 4 }, customer)).then(() => {
      isDone = true;
    });
    await Promise.all([writing, page(first.lastEventId())]);
    for (const [id, complete] of expected) {
      const all = received.filter((status) => status.startsWith(id));
      expect([...new Set(all)]).toEqual(complete);
      expect(all.at(-1)).toBe(complete.at(-1));
    }
  });
});

it.each([
  ['before its statistics are known', ''],
  ['after', 'analyze order_changes'],
])('changes committed during a long transaction are not read again, %s', async (_, statistics) => {
  const long = await openTransaction(database.url);
  await queryOnce(database.url, placing(randomUUID(), 1, 4_000));
  if (statistics !== '') await queryOnce(database.url, statistics);
  const { present } = createOrderChanges(one.database);
  const seen = await present();
  await queryOnce(database.url, placing(alice));
  const by = await present();
  const statement = await recordedStatement((recording) => createOrderChanges(recording).between(seen, by, 5_000));
  const [read, ...scans] = await explain(one.database, statement);
  expect(read['Actual Rows']).toBe(1);
  const rows = scans.map(
    (scan) => scan['Actual Loops'] * (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)),
  );
  expect(Math.max(...rows)).toBeLessThan(100);
  await commit(long);
});
