import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import request from 'supertest';
import { useFolder } from '../../../../tests/kit/folder.ts';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { explain } from '../../../../tests/kit/postgres/plan.ts';
import { recordedStatement } from '../../../../tests/kit/postgres/recorded-statement.ts';
import { type Postgres, startPostgres } from '../../../../tests/kit/postgres/server.ts';
import { commit, openTransaction } from '../../../../tests/kit/postgres/transaction.ts';
import { seededRandom } from '../../../../tests/kit/random.ts';
import { until } from '../../../../tests/kit/until.ts';
import { freePort } from '../../../../tools/free-port.ts';
import { createPaymentDetailsRepository } from '../../src/paying/payment-details-repository.ts';
import { deleteLateDetails, sagaOn } from '../../src/saga/saga-repository.ts';
import { createChangedOrders, renewFutureXids } from '../../src/store-orders/changed-orders-repository.ts';
import { alice, as, bob, oneTea } from '../_app.ts';
import { asOperator, olga, openShipping, parcel } from '../shipping/_shipping.ts';

// A server of its own: on the shared one, transactions of other test files are in progress, too.
let postgres: Postgres;
beforeAll(async () => {
  const options = { dataDir: join(folder, 'data'), port: await freePort(), log: () => undefined };
  postgres = await startPostgres({ ...options, settings: { fsync: 'off' } });
});

const database = useDatabase('order', 'all', () => postgres.superuserUrl);
const order = database.open(openShipping);
// These hooks run after those of the database.
afterAll(() => postgres.stop());
const folder = useFolder();

interface Shown {
  id: string;
  status: string;
  total: { amount: number };
}
interface Page {
  content: Shown[];
  next: string;
  isMore: boolean;
}

const get = (path: string, headers: Record<string, string> = asOperator) => request(order.app).get(path).set(headers);

async function read(changedAfter?: string, query: Record<string, string> = {}): Promise<Page> {
  const given = new URLSearchParams({ ...query, ...(changedAfter !== undefined && { changedAfter }) });
  const { body, headers } = await get(`/store/orders?${given}`).expect(200);
  return { ...body, isMore: headers.link !== undefined };
}

/** Reads until there is no more. @returns the orders in sequence, and the position */
async function readToEnd(changedAfter?: string, query: Record<string, string> = { limit: '100' }) {
  const content: Shown[] = [];
  for (let next = changedAfter; ; ) {
    const page = await read(next, query);
    content.push(...page.content);
    next = page.next;
    if (!page.isMore) return { content, next };
  }
}

const idsOf = ({ content }: { content: Shown[] }) => content.map(({ id }) => id);
/**
 * Waits until no transaction is in progress that is older than a change of an order. Until then changes may come again.
 */
const settled = () =>
  until('no older transaction is in progress', async () => {
    const older = 'select from orders where changed_xid >= pg_snapshot_xmin(pg_current_snapshot()) limit 1';
    return (await queryOnce(database.url, older)).length === 0;
  });
async function end(): Promise<string> {
  await settled();
  return (await readToEnd()).next;
}
const touch = (id: string) => `update orders set updated_at = now() where id = '${id}'`;

describe('the orders of all customers', () => {
  it('has each order once, with its last state, however it changed', async () => {
    const [accountId, since] = [randomUUID(), await end()];
    const customer = as(accountId, order);
    const address = { name: 'Ada', lines: ['1'], city: 'Lisbon', country: 'PT' };
    const { body: placed } = await customer.place({ ...oneTea, shippingAddress: address }).expect(201);
    const { id } = placed;
    const [other = ''] = await order.paid(1, bob);
    const operators = { cancelReason: null, deletedAt: null };
    let position = since;
    const changed = async () => {
      await settled();
      const { content, next } = await readToEnd(position);
      position = next;
      return content;
    };
    expect(await changed()).toEqual([{ ...placed, ...operators }, expect.objectContaining({ id: other })]);
    expect(await changed()).toEqual([]);
    await queryOnce(database.url, `update orders set status = 'CONFIRMED', paid_at = now() where id = '${id}'`);
    expect(await changed()).toMatchObject([{ id, status: 'CONFIRMED', version: 2 }]);
    await order.ship(id).expect(201);
    expect(await changed()).toMatchObject([{ id, shipment: parcel, shippingAddress: { name: 'Ada' } }]);
    await customer.remove(id).expect(204);
    expect(await changed()).toMatchObject([{ id, deletedAt: expect.stringMatching(/Z$/) }]);
    await order.database.inTransaction((tx) => sagaOn(tx).deletePersonalData([accountId]));
    expect(await changed()).toMatchObject([{ id, shipment: null, shippingAddress: null }]);
    await order.database.inTransaction((tx) => sagaOn(tx).deletePersonalData([accountId]));
    await deleteLateDetails(order.database);
    expect(await changed()).toEqual([]);
    await as(bob, order).cancel(other).expect(201);
    expect(await changed()).toMatchObject([{ id: other, cancelReason: 'cancelled by the customer' }]);
    const all = await readToEnd(since, { limit: '1' });
    expect(idsOf(all)).toEqual([id, other]);
  });

  it('has an order again when its customer has to do something for the payment, and when that is forgotten', async () => {
    const details = createPaymentDetailsRepository(order.database);
    const { body: placed } = await as(randomUUID(), order).place(oneTea).expect(201);
    const since = await end();
    await details.setAction(placed.id, 'https://bank.example/3ds', new Date());
    const asked = await readToEnd(since);
    expect(asked.content).toMatchObject([{ id: placed.id, payment: { status: 'action-required' } }]);
    // Where to go for it is the customer's alone.
    const { text } = await get(`/store/orders/${placed.id}`).expect(200);
    expect(JSON.stringify(asked) + text).not.toMatch(/bank\.example|nextAction/);
    const position = await end();
    await details.deleteOld(new Date(Date.now() + 60_000));
    const forgotten = await readToEnd(position);
    expect(forgotten.content).toMatchObject([{ id: placed.id, payment: { status: 'pending' } }]);
  });

  it('has what a transaction changed that was in progress when later changes were read', async () => {
    const [early = '', late = '', last = ''] = await order.paid(3);
    const since = await end();
    const open = await openTransaction(database.url);
    await open.query(touch(early));
    await queryOnce(database.url, touch(late));
    const first = await readToEnd(since);
    expect(idsOf(first)).toEqual([late]);
    await queryOnce(database.url, touch(last));
    // What was committed beside a transaction in progress comes again, and other changes are not late.
    const second = await readToEnd(first.next);
    expect(idsOf(second)).toEqual([late, last]);
    await commit(open);
    await settled();
    const third = await readToEnd(second.next, { limit: '1' });
    expect(idsOf(third).sort()).toEqual([early, late, last].sort());
    expect(idsOf(await readToEnd(third.next))).toEqual([]);
  });

  it('has what was committed between two of its pages, with a transaction before the first', async () => {
    const ids = await order.paid(4);
    const [early = '', ...others] = ids;
    const since = await end();
    const open = await openTransaction(database.url);
    await open.query(touch(early));
    for (const id of others) await queryOnce(database.url, touch(id));
    const page = await read(since, { limit: '1' });
    expect([idsOf(page), page.isMore]).toEqual([others.slice(0, 1), true]);
    await commit(open);
    await settled();
    const rest = await readToEnd(page.next, { limit: '1' });
    const resumed = await readToEnd(rest.next, { limit: '1' });
    expect(new Set([...idsOf(page), ...idsOf(rest), ...idsOf(resumed)])).toEqual(new Set(ids));
    expect(idsOf(await readToEnd(resumed.next))).toEqual([]);
  });

  it('shows a reader the last state of each order under 20 writers that commit out of order (seeds 1 to 3)', async () => {
    for (const seed of [1, 2, 3]) {
      const random = seededRandom(seed);
      const ids = await order.paid(150);
      const known = new Map<string, number>();
      const see = ({ content }: { content: Shown[] }) => {
        for (const { id, total } of content) known.set(id, total.amount);
      };
      let position = await end();
      let isWriting = true;
      let amount = 10;
      async function write(): Promise<void> {
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        for (let n = 0; n < 30; n += 1) {
          await client.query('begin isolation level read committed');
          await client.query('select pg_current_xact_id()');
          // In one sequence, so that no two writers wait for each other.
          const some = [ids[random(ids.length)] ?? '', ids[random(ids.length)] ?? ''].sort();
          for (const id of new Set(some)) {
            await client.query('update orders set total_amount = $1, updated_at = now() where id = $2', [amount++, id]);
          }
          // Other writers go on, and commit before or after this one.
          for (let turns = random(4); turns > 0; turns -= 1) await client.query('select pg_sleep(0.002)');
          await client.query(random(10) === 0 ? 'rollback' : 'commit');
        }
        await client.end();
      }
      async function follow(): Promise<void> {
        while (isWriting) {
          const page = await read(position, { limit: '7' });
          see(page);
          position = page.next;
        }
      }
      const writers = Promise.all(Array.from({ length: 20 }, write)).finally(() => {
        isWriting = false;
      });
      await Promise.all([writers, follow()]);
      // To the end, and once more for what was committed beside a transaction in progress.
      const rest = await readToEnd(position);
      see(rest);
      see(await readToEnd(rest.next));
      const rows = await queryOnce<{ id: string; amount: number }>(
        database.url,
        `select id, total_amount::float8 as amount from orders where total_amount >= 10 and id in ('${ids.join("','")}')`,
      );
      expect(rows.length).toBeGreaterThan(100);
      const missed = rows.filter(({ id, amount }) => known.get(id) !== amount);
      expect(missed).toEqual([]);
      await order.empty();
    }
  }, 240_000);

  it('is filtered by status and by the time of the order, on every page', async () => {
    const since = await end();
    const pending = await order.paid(5, alice, 'PENDING');
    await order.paid(5);
    const found = await readToEnd(since, { limit: '2', status: 'PENDING' });
    expect(idsOf(found).sort()).toEqual(pending.sort());
    expect(idsOf(await readToEnd(since, { createdFrom: new Date().toISOString() }))).toEqual([]);
    const hoursAgo = new Date(Date.now() - 7_200_000).toISOString();
    expect(idsOf(await readToEnd(since, { createdFrom: hoursAgo, limit: '3' }))).toHaveLength(10);
  });

  it('goes on behind thousands of orders that were not requested', async () => {
    const since = await end();
    await order.paid(5_001);
    const pending = await order.paid(1, alice, 'PENDING');
    const page = await read(since, { status: 'PENDING' });
    expect([page.content, page.isMore]).toEqual([[], true]);
    expect(idsOf(await readToEnd(page.next, { status: 'PENDING' }))).toEqual(pending);
    await order.empty();
  });

  it('begins with orders of earlier releases, in whatever sequence', async () => {
    await order.empty();
    await queryOnce(
      database.url,
      `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, changed_xid)
       select gen_random_uuid(), gen_random_uuid(), 'CONFIRMED', 1, 'USD', now(), now(), '0' from generate_series(1, 25)`,
    );
    const [newest = ''] = await order.paid(1);
    await settled();
    const ids = idsOf(await readToEnd(undefined, { limit: '4' }));
    expect(new Set(ids).size).toBe(26);
    expect(ids.at(-1)).toBe(newest);
  });

  it('has orders of another server, whose transactions are in the future, and after their renewal only once', async () => {
    await order.empty();
    await queryOnce(
      database.url,
      `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, changed_xid)
       select gen_random_uuid(), gen_random_uuid(), 'CONFIRMED', 1, 'USD', now(), now(), '9000000000000000000'
       from generate_series(1, 3)`,
    );
    const first = await readToEnd();
    expect(idsOf(first)).toHaveLength(3);
    const [newest = ''] = await order.paid(1);
    const second = await readToEnd(first.next);
    expect(idsOf(second)).toContain(newest);
    expect(await renewFutureXids(order.database)).toBe(false);
    await settled();
    const third = await readToEnd(second.next);
    expect(idsOf(await readToEnd(third.next))).toEqual([]);
  });

  it('reads a page by the index, with orders that were just changed or not', async () => {
    await order.paid(3_000);
    await queryOnce(database.url, 'analyze orders');
    const statement = await recordedStatement((recorded) =>
      createChangedOrders(recorded).page(olga, undefined, { limit: 50 }),
    );
    const nodes = await explain(order.database, statement);
    expect(nodes.map((node) => node['Index Name'])).toContain('orders_changed_xid_id_idx');
    await order.empty();
  });
});

describe('a position', () => {
  it('is in the answer and in Link while there is more', async () => {
    await order.paid(3);
    const { body, headers } = await get('/store/orders?limit=1&status=CONFIRMED').expect(200);
    expect(headers.link).toBe(`</store/orders?limit=1&status=CONFIRMED&changedAfter=${body.next}>; rel="next"`);
    expect(body.next).toMatch(/^[\w-]{1,200}$/);
  });

  it('of another incarnation of the database is 409 position-lost', async () => {
    const position = await end();
    const digit = position.startsWith('0') ? '1' : '0';
    const { body } = await get(`/store/orders?changedAfter=${digit}${position.slice(1)}`).expect(409);
    expect(body.type).toBe('urn:problem:store:position-lost');
  });

  it.each([
    '',
    'x',
    '0123456789abcdef-1',
    `0123456789abcdef-01-${randomUUID()}`,
    `0123456789abcdef--1-${randomUUID()}`,
    `0123456789abcdef-18446744073709551616-${randomUUID()}`,
    `0123456789abcdef-1-${randomUUID()}-0`,
    `0123456789abcdef-1-${'-'.repeat(36)}`,
    'x'.repeat(201),
  ])('is not %j', async (text) => {
    const { body } = await get(`/store/orders?changedAfter=${text}`).expect(400);
    expect(body.errors).toMatchObject([{ path: 'query.changedAfter' }]);
  });

  it('may be forged by an operator, who reads from there', async () => {
    const incarnation = (await end()).slice(0, 16);
    await get(`/store/orders?changedAfter=${incarnation}-9223372036854775807-${randomUUID()}`).expect(200);
    await get(`/store/orders?changedAfter=${incarnation}-1-${randomUUID()}-9223372036854775807`).expect(200);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'status=SOLD', 'createdFrom=today', 'limit=1&limit=2'])(
    'comes with no %s',
    (query) => get(`/store/orders?${query}`).expect(400),
  );
});

describe("any customer's order", () => {
  it('is shown to operators with an ETag, also once its owner has deleted it', async () => {
    const customer = as(randomUUID(), order);
    const id = await customer.placed();
    const own = await customer.get(id);
    const answer = await get(`/store/orders/${id}`).expect(200);
    expect(answer.body).toEqual({ ...own.body, cancelReason: null, deletedAt: null });
    await get(`/store/orders/${id}`, { ...asOperator, 'If-None-Match': String(answer.headers.etag) }).expect(304);
    await customer.remove(id).expect(204);
    await customer.get(id).expect(404);
    const deleted = await get(`/store/orders/${id}`).expect(200);
    expect(deleted.body).toMatchObject({ status: 'CANCELLED', deletedAt: expect.any(String) });
    await get(`/store/orders/${randomUUID()}`).expect(404);
    await get('/store/orders/x').expect(404);
  });
});

describe('who may', () => {
  it.each(['/store/orders', `/store/orders/${randomUUID()}`])('read %s: operators, and their keys', async (path) => {
    const status = async (headers: Record<string, string>) => (await get(path, headers)).status;
    const served = path === '/store/orders' ? 200 : 404;
    const key = { 'account-scopes': 'orders:all' };
    expect(await status({})).toBe(401);
    expect(await status({ 'id-account': alice })).toBe(403);
    expect(await status({ 'id-account': alice, 'account-roles': 'catalogue' })).toBe(403);
    expect(await status({ 'id-account': alice, ...key })).toBe(403);
    for (const scopes of ['', 'orders:read', 'orders:read,orders:write,orders:ship', 'orders:al'])
      expect(await status({ ...asOperator, 'account-scopes': scopes })).toBe(403);
    expect(await status(asOperator)).toBe(served);
    expect(await status({ ...asOperator, ...key })).toBe(served);
  });

  it('is in the audit trail, at most once an hour for a machine that polls', async () => {
    const poller = { ...asOperator, 'id-account': randomUUID(), 'account-scopes': 'orders:all' };
    const id = await order.onePaid();
    for (let n = 0; n < 5; n += 1) {
      await get('/store/orders?limit=1', poller).expect(200);
      await get(`/store/orders/${id}`, poller).expect(200);
    }
    const actor = `account ${poller['id-account']}`;
    const looks = await order.prisma.audit.findMany({ where: { actor }, orderBy: { id: 'asc' } });
    expect(looks.map(({ kind, subject, after }) => ({ kind, subject, after }))).toEqual([
      { kind: 'look', subject: '00000000-0000-0000-0000-000000000000', after: { at: 'orders' } },
      { kind: 'look', subject: id, after: { at: 'order' } },
    ]);
  });
});
