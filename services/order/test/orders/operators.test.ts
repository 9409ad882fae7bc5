import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { blockedBy, whileCommitsFail } from '../../../../tests/kit/postgres/transaction.ts';
import { deleteLateDetails, sagaOn } from '../../src/saga/saga-repository.ts';
import { alice, as, eventsOf, testApp } from '../_app.ts';

// Changes of an order by operators.

const database = useDatabase('order');
const order = database.open((url) => testApp(url, { expects: /refused at commit/ }));
const customer = as(alice, order);

const byAnn = (method: 'get' | 'post' | 'put', path: string) =>
  request(order.app)[method](`/internal/orders${path}`).set('operator-name', 'ann');
const recordOf = async (id: string) => (await byAnn('get', `/${id}`).expect(200)).body;
const changesOf = async (id: string) =>
  (await order.prisma.audit.findMany({ where: { subject: id, kind: { not: 'look' } }, orderBy: { id: 'asc' } })).map(
    ({ actor, kind, before, after }) => ({ actor, kind, before, after }),
  );

describe('an order that an operator cancels', () => {
  const reason = 'The customer phoned: wrong size.';
  const cancel = (id: string, why = reason) => byAnn('post', `/${id}/cancellation`).send({ reason: why });

  it('is cancelled once, and shows the reason to operators and in the audit trail, but not to the customer', async () => {
    const id = await customer.placed();
    const first = await cancel(id).expect(201);
    expect(first.headers.location).toBe(`/internal/orders/${id}`);
    expect(first.body).toMatchObject({ id, status: 'CANCELLED', customerId: alice });
    expect((await cancel(id, 'again').expect(200)).body).toEqual(first.body);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
    expect(await recordOf(id)).toMatchObject({
      cancelReason: 'cancelled by the store',
      notes: [{ kind: 'CANCELLATION', actor: 'operator ann', text: reason, createdAt: expect.any(String) }],
    });
    expect(await changesOf(id)).toEqual([
      { actor: 'operator ann', kind: 'order', before: { status: 'PENDING' }, after: { status: 'CANCELLED', reason } },
    ]);
    expect((await customer.cancellation(id)).body.reason).toBe('cancelled by the store');
    const events = await order.prisma.outbox.findMany({ where: { key: id } });
    const told = [await customer.get(id), await customer.list(), events.map(({ payload }) => payload)];
    expect(JSON.stringify(told)).not.toContain('phoned');
  });

  it('is not cancelled once it is shipped, and nothing is recorded', async () => {
    const id = await customer.placed();
    await order.prisma.order.update({ where: { id }, data: { status: 'CONFIRMED', shippedAt: new Date() } });
    expect((await cancel(id).expect(409)).body.type).toBe('urn:problem:store:order-shipped');
    expect(await recordOf(id)).toMatchObject({ status: 'CONFIRMED', notes: [] });
    expect(await changesOf(id)).toEqual([]);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
  });

  it('is 409 if a shipment is recorded while it waits for the row', async () => {
    const id = await customer.placed();
    const shipment = 'update orders set shipped_at = now() where id = $1';
    await blockedBy(database.url, shipment, [id], 1, async () => cancel(id).expect(409));
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
  });

  it('is cancelled once if its owner and an operator cancel it at the same time', async () => {
    const id = await customer.placed();
    const answers = await blockedBy(database.url, 'select from orders where id = $1 for update', [id], 2, () =>
      Promise.all([customer.cancel(id), cancel(id)]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
  });

  it.each(['audit', 'order_notes', 'outbox'])(
    'does not change if its transaction fails in the table %s',
    async (table) => {
      const id = await customer.placed();
      await whileCommitsFail(database.url, table, async () => cancel(id).expect(500));
      expect(await recordOf(id)).toMatchObject({ status: 'PENDING', notes: [] });
      expect(await changesOf(id)).toEqual([]);
      expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
    },
  );

  it('does not count against the limit of cancellations of its customer', async () => {
    const limited = testApp(database.url, { env: { CANCELLATIONS_PER_HOUR: '1' } });
    const own = as(randomUUID(), limited);
    await cancel(await own.placed()).expect(201);
    await own.cancel(await own.placed()).expect(201);
    await own.place().expect(429);
    await limited.close();
  });

  it.each([undefined, '', ' ', 'x'.repeat(501)])('needs a reason: not %j', async (why) => {
    const id = await customer.placed();
    await byAnn('post', `/${id}/cancellation`).send({ reason: why }).expect(400);
    expect(await recordOf(id)).toMatchObject({ status: 'PENDING' });
  });
});

describe('a note on an order', () => {
  const leave = (id: string, noteId: string, text = 'Called back.', by = 'ann') =>
    byAnn('put', `/${id}/notes/${noteId}`).set('operator-name', by).send({ text });

  it('is stored once if it is sent repeatedly, and cannot be changed', async () => {
    const [id, other] = [await customer.placed(), await customer.placed()];
    const [first, second] = [randomUUID(), randomUUID()];
    await leave(id, first).expect(204);
    await leave(id, first).expect(204);
    await leave(id, first, 'Something else.').expect(409);
    await leave(other, first).expect(409);
    await leave(id, second, `🍵${'x'.repeat(1_999)}`, 'ben').expect(204);
    await leave(id, randomUUID(), 'x'.repeat(2_001)).expect(400);
    expect((await recordOf(id)).notes).toMatchObject([
      { id: first, kind: 'NOTE', actor: 'operator ann', text: 'Called back.' },
      { id: second, actor: 'operator ben' },
    ]);
    expect((await recordOf(other)).notes).toEqual([]);
    expect(await changesOf(id)).toEqual([
      { actor: 'operator ann', kind: 'note', before: null, after: { note: first } },
      { actor: 'operator ben', kind: 'note', before: null, after: { note: second } },
    ]);
  });

  it('is stored once, on one of two orders, for ten concurrent requests with its id', async () => {
    const ids = [await customer.placed(), await customer.placed()];
    const note = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => leave(ids[n % 2] ?? '', note)));
    for (const { status } of answers) expect([204, 409]).toContain(status);
    const notes = await Promise.all(ids.map(async (id) => (await recordOf(id)).notes.length));
    expect(notes.sort()).toEqual([0, 1]);
  });

  it('is not stored if its audit entry cannot be stored', async () => {
    const id = await customer.placed();
    await whileCommitsFail(database.url, 'audit', async () => leave(id, randomUUID()).expect(500));
    expect((await recordOf(id)).notes).toEqual([]);
  });

  it('is refused if the order has 100 notes', async () => {
    const id = await customer.placed();
    await queryOnce(
      database.url,
      `insert into order_notes (id, order_id, account_id, kind, actor, text)
       select gen_random_uuid(), '${id}', '${alice}', 'NOTE', 'operator ann', 'n' from generate_series(1, 99)`,
    );
    const last = randomUUID();
    await leave(id, last).expect(204);
    await leave(id, randomUUID()).expect(409);
    await leave(id, last).expect(204);
  });

  it('is never shown to customers or in the export, and is deleted with the account', async () => {
    const accountId = randomUUID();
    const own = as(accountId, order);
    const id = await own.placed();
    await leave(id, randomUUID(), 'Sounds like a reseller.').expect(204);
    const data = await request(order.app).get('/internal/account-data').set('id-account', accountId).expect(200);
    const shown = [await own.get(id), await own.list(), data].map(({ text }) => text);
    expect(shown.join()).not.toContain('reseller');
    const kept = await customer.placed();
    await leave(kept, randomUUID()).expect(204);
    await order.database.inTransaction((tx) => sagaOn(tx).deletePersonalData([accountId]));
    expect((await recordOf(id)).notes).toEqual([]);
    // A note that was in flight at the deletion.
    await queryOnce(
      database.url,
      `insert into order_notes (id, order_id, account_id, kind, actor, text)
       values (gen_random_uuid(), '${id}', '${accountId}', 'NOTE', 'operator ann', 'n')`,
    );
    await deleteLateDetails(order.database);
    expect((await recordOf(id)).notes).toEqual([]);
    expect((await recordOf(kept)).notes).toHaveLength(1);
  });

  it('is refused once the account is deleted, even long ago, and a cancellation then stores no reason', async () => {
    const accountId = randomUUID();
    const id = await as(accountId, order).placed();
    await order.database.inTransaction((tx) => sagaOn(tx).deletePersonalData([accountId]));
    for (const age of ['1 second', '1 year']) {
      await queryOnce(database.url, `update deleted_accounts set deleted_at = now() - interval '${age}'`);
      await deleteLateDetails(order.database);
      const { body } = await leave(id, randomUUID()).expect(409);
      expect(body.detail).toBe('The account of this order has been deleted, so it takes no more notes.');
    }
    await byAnn('post', `/${id}/cancellation`).send({ reason: 'The address does not exist.' }).expect(201);
    expect(await recordOf(id)).toMatchObject({ status: 'CANCELLED', notes: [] });
  });
});
