import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { blockedBy, openTransaction, whileCommitsFail } from '../../../../tests/kit/postgres/transaction.ts';
import { deleteLateDetails, sagaOn } from '../../src/saga/saga-repository.ts';
import { alice, as, bob, eventsOf } from '../_app.ts';
import { asOperator, olga, openShipping, parcel } from './_shipping.ts';

const database = useDatabase('order');
const order = database.open((url) => openShipping(url, { expects: /refused at commit/ }));
type Fixture = ReturnType<typeof openShipping>;
const ship: Fixture['ship'] = (...given) => order.ship(...given);
const shipments: Fixture['shipments'] = (...given) => order.shipments(...given);
const byAnn: Fixture['byAnn'] = (...given) => order.byAnn(...given);
const newKey = () => ({ 'Idempotency-Key': randomUUID() });

const none = { carrier: null, trackingNumber: null, trackingUrl: null };
const code = (name: string) => `urn:problem:store:${name}`;
const lockRow = 'select from orders where id = $1 for update';

describe('an order that an operator ships', () => {
  it('has one shipment, which the order, its lists and its record show, and announces it without what was entered', async () => {
    const id = await order.onePaid();
    const answer = await ship(id).expect(201);
    const { id: shipmentId, shippedAt } = answer.body;
    expect(answer.body).toEqual({ id: shipmentId, orderId: id, shippedAt, ...parcel });
    expect(answer.headers.location).toBe(`/orders/${id}/shipments/${shipmentId}`);
    expect((await shipments(id, asOperator, `/${shipmentId}`).expect(200)).body).toEqual(answer.body);
    expect((await shipments(id).expect(200)).body).toEqual([answer.body]);

    const shown = { status: 'CONFIRMED', version: 3, shippedAt, updatedAt: shippedAt, shipment: parcel };
    const own = await order.customer.get(id).expect(200);
    expect(own.body).toMatchObject(shown);
    const { body: list } = await order.customer.list('?size=100').expect(200);
    expect(list.content.find((one: { id: string }) => one.id === id)).toEqual(own.body);
    expect((await byAnn('get', `/${id}`).expect(200)).body).toMatchObject(shown);

    const events = await order.prisma.outbox.findMany({ where: { key: id } });
    expect(events.map(({ kind, payload }) => [kind, JSON.parse(payload)])).toEqual([
      ['OrderShipped', { orderId: id, customerId: alice, timestamp: shippedAt, shipmentId }],
    ]);
    expect(await order.changesOf(id)).toEqual([
      { actor: `account ${olga}`, kind: 'order', after: { shipment: shipmentId } },
      { actor: `account ${olga}`, kind: 'look', after: { at: 'order' } },
      { actor: 'operator ann', kind: 'look', after: { at: 'order' } },
    ]);
    expect((await order.customer.cancel(id).expect(409)).body.type).toBe(code('order-shipped'));
  });

  it('shows nothing if nothing was entered', async () => {
    const id = await order.onePaid();
    expect((await ship(id, {}).expect(201)).body).toMatchObject(none);
    expect((await order.customer.get(id)).body.shipment).toBeNull();
    expect((await shipments(id)).body).toMatchObject([none]);
    expect(await order.prisma.shipment.count({ where: { orderId: id } })).toBe(0);
  });

  it('has text and null as they were entered, in the same JSON everywhere', async () => {
    const id = await order.onePaid();
    const odd = { carrier: '"Pé" & <b>🚚</b>', trackingNumber: null, trackingUrl: null };
    await ship(id, { carrier: ` ${odd.carrier} ` }).expect(201);
    const [one, list] = [await order.customer.get(id), await order.customer.list('?size=100')];
    expect(one.body.shipment).toEqual(odd);
    expect(list.text).toContain(one.text);
  });

  it('is 409 with its own code if it is cancelled, shipped or not paid, and nothing changes', async () => {
    const [pending = ''] = await order.paid(1, alice, 'PENDING');
    const [cancelled, shipped] = [await order.onePaid(), await order.onePaid()];
    await order.customer.cancel(cancelled).expect(201);
    await ship(shipped, { carrier: 'First' }).expect(201);
    const before = await order.customer.get(shipped);
    expect((await ship(pending).expect(409)).body.type).toBe(code('order-not-paid'));
    expect((await ship(cancelled).expect(409)).body.type).toBe(code('order-cancelled'));
    expect((await ship(shipped).expect(409)).body.type).toBe(code('order-shipped'));
    expect((await order.customer.get(shipped)).text).toBe(before.text);
    for (const id of [pending, cancelled]) expect(await eventsOf(order.prisma, id)).not.toContain('OrderShipped');
  });

  it.each(['orders', 'shipments', 'outbox', 'audit', 'idempotency_keys'])(
    'does not change if its transaction fails in the table %s, and its key can be used again',
    async (table) => {
      const id = await order.onePaid();
      const key = newKey();
      await whileCommitsFail(database.url, table, async () => ship(id, parcel, key).expect(500));
      expect((await order.customer.get(id)).body).toMatchObject({ version: 2, shipment: null });
      expect(await eventsOf(order.prisma, id)).toEqual([]);
      expect(await order.changesOf(id)).toEqual([]);
      await ship(id, parcel, key).expect(201);
    },
  );

  it('is shipped by an operator in the console, too, once', async () => {
    const id = await order.onePaid();
    const answer = await byAnn('post', `/${id}/shipments`).send(parcel).expect(201);
    expect(answer.headers.location).toBe(`/internal/orders/${id}`);
    expect((await shipments(id)).body).toEqual([answer.body]);
    expect((await byAnn('post', `/${id}/shipments`).send(parcel).expect(409)).body.type).toBe(code('order-shipped'));
    expect((await order.changesOf(id))[0]).toEqual({
      actor: 'operator ann',
      kind: 'order',
      after: { shipment: answer.body.id },
    });
  });
});

describe('what can be entered', () => {
  it.each([
    ['carrier', ''],
    ['carrier', ' '],
    ['carrier', 'x'.repeat(81)],
    ['carrier', 'a\nb'],
    ['carrier', 'a\u202eb'],
    ['carrier', 'a\u0000b'],
    ['carrier', 7],
    ['trackingNumber', ''],
    ['trackingNumber', 'x'.repeat(81)],
    ['trackingNumber', 'a\tb'],
    ['trackingUrl', 'http://www.ctt.pt/1'],
    ['trackingUrl', 'javascript:alert(1)'],
    ['trackingUrl', 'data:text/html,x'],
    ['trackingUrl', 'https:www.ctt.pt'],
    ['trackingUrl', 'https://'],
    ['trackingUrl', 'https:///x'],
    ['trackingUrl', 'https://bank.example@evil.example/'],
    ['trackingUrl', 'https://bank.example\\@evil.example/'],
    ['trackingUrl', 'https://ctt.pt/a b'],
    ['trackingUrl', 'https://ctt.pt/a\nb'],
    ['trackingUrl', `https://ctt.pt/${'x'.repeat(2_000)}`],
    ['trackingUrl', 'www.ctt.pt'],
  ])('is no %s %j', async (field, value) => {
    const id = await order.onePaid();
    const { body } = await ship(id, { ...parcel, [field]: value }).expect(400);
    expect(new Set(body.errors.map(({ path }: { path: string }) => path))).toEqual(new Set([`body.${field}`]));
    expect((await order.customer.get(id)).body.version).toBe(2);
  });

  it('is at most as long as the body admits', async () => {
    const id = await order.onePaid();
    const longest = {
      carrier: '🚚'.repeat(80),
      trackingNumber: '🚚'.repeat(80),
      trackingUrl: `https://ctt.pt/${'🚚'.repeat(1_985)}`,
    };
    const escaped = JSON.stringify(longest).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
    await request(order.app).post(`/orders/${id}/shipments`).set(asOperator).type('json').send(escaped).expect(201);
    expect((await order.customer.get(id)).body.shipment).toEqual(longest);
  });
});

describe('a request with an Idempotency-Key', () => {
  it('ships once, and a repetition gets the same answer, even at another replica or after another try', async () => {
    const other = openShipping(database.url);
    const id = await order.onePaid();
    const key = newKey();
    const first = await ship(id, parcel, key).expect(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    await ship(id).expect(409);
    for (const replica of [order, other]) {
      const again = await replica.ship(id, { ...parcel, unknown: 1 }, key).expect(201);
      expect(again.body).toEqual(first.body);
      expect(again.headers).toMatchObject({ location: first.headers.location, 'idempotency-replayed': 'true' });
    }
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderShipped']);
    await other.close();
  });

  it('is 422 for another order, other details, or an order that is placed, and for a shipment with the key of an order', async () => {
    const [id, another] = [await order.onePaid(), await order.onePaid()];
    const key = newKey();
    await ship(id, parcel, key).expect(201);
    const reused = code('idempotency-key-reused');
    expect((await ship(another, parcel, key).expect(422)).body.type).toBe(reused);
    expect((await ship(id, {}, key).expect(422)).body.type).toBe(reused);
    const operator = as(olga, order);
    expect((await operator.place(undefined, key).expect(422)).body.type).toBe(reused);
    const placing = newKey();
    await operator.place(undefined, placing).expect(201);
    expect((await ship(another, parcel, placing).expect(422)).body.type).toBe(reused);
    expect((await order.customer.get(another)).body.version).toBe(2);
  });

  it('is of its account, and names no order that was placed', async () => {
    const id = await order.onePaid(olga);
    const key = newKey();
    await ship(id, parcel, key).expect(201);
    const another = await order.onePaid();
    await ship(another, parcel, { ...key, 'id-account': bob }).expect(201);
    const found = await as(olga, order).list(`?idempotencyKey=${key['Idempotency-Key']}`).expect(200);
    expect(found.body.content).toEqual([]);
  });

  it('is free after 24 hours', async () => {
    const [id, another] = [await order.onePaid(), await order.onePaid()];
    const key = newKey();
    await ship(id, parcel, key).expect(201);
    await queryOnce(database.url, `update idempotency_keys set created_at = created_at - interval '24 hours 1 second'`);
    await ship(another, parcel, key).expect(201);
    expect((await ship(another, parcel, key).expect(201)).headers['idempotency-replayed']).toBe('true');
  });

  it('can be used again after a failure', async () => {
    const [pending = ''] = await order.paid(1, alice, 'PENDING');
    const key = newKey();
    await ship(pending, parcel, key).expect(409);
    await ship(await order.onePaid(), parcel, key).expect(201);
  });

  it('is 409 with Retry-After while the first is in flight', async () => {
    const id = await order.onePaid();
    const key = newKey();
    const holder = await openTransaction(database.url);
    const lock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
    await holder.query(lock, [`${olga}${key['Idempotency-Key']}`]);
    const answer = await ship(id, parcel, key).expect(409);
    expect(answer.body.type).toBe(code('idempotency-key-in-use'));
    expect(answer.headers['retry-after']).toBe('1');
    await holder.query('commit');
    await holder.end();
    await ship(id, parcel, key).expect(201);
  });

  it('ships once for 20 concurrent requests at two replicas', async () => {
    const other = openShipping(database.url);
    const id = await order.onePaid();
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? order : other).ship(id, parcel, key)),
    );
    const shipped = answers.filter(({ status }) => status === 201);
    expect(shipped.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    for (const { status, body } of answers) {
      if (status !== 201) expect([status, body.type]).toEqual([409, code('idempotency-key-in-use')]);
    }
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderShipped']);
    await other.close();
  });
});

describe('who may', () => {
  const asKey = (scopes: string, accountId = olga) => ({
    'id-account': accountId,
    'account-roles': 'operator',
    'account-scopes': scopes,
  });

  it('ship: operators and keys with orders:ship, of operators', async () => {
    const id = await order.onePaid();
    await ship(id, parcel, { 'account-roles': '' }).expect(403);
    await ship(id, parcel, { 'account-roles': 'catalogue' }).expect(403);
    await ship(id, parcel, { 'account-scopes': 'orders:ship', 'account-roles': '' }).expect(403);
    for (const scopes of ['orders:write', 'orders:read,orders:write,orders:all', '']) {
      const { headers } = await ship(id, parcel, asKey(scopes)).expect(403);
      expect(headers['www-authenticate']).toContain('scope="orders:ship"');
    }
    expect((await order.customer.get(id)).body.version).toBe(2);
    await ship(id, parcel, asKey('orders:ship')).expect(201);
  });

  it('read shipments: the owner of the order and operators, and others get 404', async () => {
    const id = await order.onePaid();
    const { body } = await ship(id).expect(201);
    const one = `/${body.id}`;
    for (const suffix of ['', one]) {
      await shipments(id, { 'id-account': alice }, suffix).expect(200);
      await shipments(id, asKey('orders:read', alice), suffix).expect(200);
      await shipments(id, asKey('orders:ship'), suffix).expect(200);
      await shipments(id, asKey('orders:all'), suffix).expect(200);
      await shipments(id, { 'id-account': bob }, suffix).expect(404);
      // Scopes for the key's own orders do not reach those of others, although its owner is an operator.
      await shipments(id, asKey('orders:read'), suffix).expect(404);
      // The owner of the key was an operator when it was made.
      await shipments(id, { 'id-account': bob, 'account-scopes': 'orders:ship,orders:all' }, suffix).expect(404);
      await shipments(id, asKey('orders:write'), suffix).expect(403);
    }
    await shipments(id, asOperator, `/${randomUUID()}`).expect(404);
    await shipments(randomUUID()).expect(404);
    await ship(randomUUID()).expect(404);
  });

  it('read shipments: not the owner once the order is deleted', async () => {
    const id = await order.onePaid();
    await ship(id).expect(201);
    await order.customer.remove(id).expect(204);
    await shipments(id, { 'id-account': alice }).expect(404);
    await shipments(id).expect(200);
  });
});

it('an order without a shipment has none, and one that the previous release shipped has one with the id of the order', async () => {
  const id = await order.onePaid();
  expect((await shipments(id).expect(200)).body).toEqual([]);
  await queryOnce(database.url, `update orders set shipped_at = '2026-01-01T00:00:00Z' where id = '${id}'`);
  const shipped = { id, orderId: id, shippedAt: '2026-01-01T00:00:00.000Z', ...none };
  expect((await shipments(id).expect(200)).body).toEqual([shipped]);
  expect((await shipments(id, asOperator, `/${id}`).expect(200)).body).toEqual(shipped);
});

describe('after the deletion of the account', () => {
  const deleteAccount = (accountId: string) =>
    order.database.inTransaction((tx) => sagaOn(tx).deletePersonalData([accountId]));

  it('a shipment stays without what was entered', async () => {
    const accountId = randomUUID();
    const [id, kept] = [await order.onePaid(accountId), await order.onePaid()];
    const key = newKey();
    await ship(id, parcel, key).expect(201);
    await ship(kept).expect(201);
    await deleteAccount(accountId);
    expect((await shipments(id)).body).toMatchObject([none]);
    expect((await ship(id, parcel, key).expect(201)).body).toMatchObject(none);
    expect((await shipments(kept)).body).toMatchObject([parcel]);
  });

  it('an order is still shipped, and nothing that was entered is kept', async () => {
    const accountId = randomUUID();
    const id = await order.onePaid(accountId);
    await deleteAccount(accountId);
    expect((await ship(id).expect(201)).body).toMatchObject(none);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderShipped']);
    expect(await order.prisma.shipment.count({ where: { orderId: id } })).toBe(0);
  });

  it('details that were in flight at the deletion are deleted', async () => {
    const accountId = randomUUID();
    const id = await order.onePaid(accountId);
    await ship(id).expect(201);
    await queryOnce(database.url, `insert into deleted_accounts (account_id) values ('${accountId}')`);
    await deleteLateDetails(order.database);
    expect((await shipments(id)).body).toMatchObject([none]);
  });
});

describe('a shipment that waits for the row of its order', () => {
  it('is 409 if the order is cancelled while the shipment waits for its row', async () => {
    const id = await order.onePaid();
    const cancel = `update orders set status = 'CANCELLED', cancelled_at = now() where id = $1`;
    await blockedBy(database.url, cancel, [id], 1, async () => ship(id).expect(409));
    expect(await eventsOf(order.prisma, id)).toEqual([]);
  });

  it('is 201 once if two operators ship while the row is locked', async () => {
    const id = await order.onePaid();
    const answers = await blockedBy(database.url, lockRow, [id], 2, () => Promise.all([ship(id), ship(id, {})]));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderShipped']);
  });
});
