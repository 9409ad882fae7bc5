import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { blockedBy } from '../../../../tests/kit/postgres/transaction.ts';
import { alice, as, eventsOf, testApp } from '../_app.ts';

const database = useDatabase('order');
const order = database.open(testApp);
const customer = as(alice, order);
const elsewhere = as(alice, database.open(testApp));

type Call = 'cancel' | 'change' | 'remove' | 'get' | 'cancellation';
const call = async (name: string, id: string) => `${name} ${(await customer[name as Call](id)).status}`;

describe('cancelling an order', () => {
  it.each([
    ['cancellation 404', 'cancel 201', 'cancel 200', 'change 200', 'cancellation 200', 'get 200'],
    ['change 200', 'change 200', 'cancel 200', 'cancellation 200'],
    ['cancel 201', 'remove 204', 'remove 404', 'cancel 404', 'change 404', 'cancellation 404', 'get 404'],
    ['change 200', 'remove 204', 'get 404'],
    ['remove 204', 'get 404', 'cancellation 404', 'cancel 404', 'change 404', 'remove 404'],
  ])('by %s, … publishes OrderCancelled once', async (...steps) => {
    const id = await customer.placed();
    for (const step of steps) expect(await call(step.split(' ')[0] ?? '', id)).toBe(step);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
  });

  it('returns the order with Location and time, and again if it is repeated', async () => {
    const id = await customer.placed();
    const first = await customer.cancel(id);
    expect(first.headers.location).toBe(`/orders/${id}/cancellation`);
    expect(first.body).toMatchObject({ id, status: 'CANCELLED', cancelledAt: first.body.updatedAt });
    for (const call of ['cancel', 'change', 'get'] as const)
      expect((await customer[call](id)).body).toEqual(first.body);
    expect((await customer.cancellation(id)).body).toEqual({
      orderId: id,
      cancelledAt: first.body.cancelledAt,
      reason: 'cancelled by the customer',
    });
  });

  it('is possible once it is CONFIRMED', async () => {
    const id = await customer.placed();
    await order.prisma.order.update({ where: { id }, data: { status: 'CONFIRMED', paidAt: new Date() } });
    expect((await customer.cancel(id)).body).toMatchObject({ status: 'CANCELLED', paidAt: expect.any(String) });
  });

  it('is impossible once it is shipped, but it can still be deleted', async () => {
    const id = await customer.placed();
    await order.prisma.order.update({ where: { id }, data: { status: 'CONFIRMED', shippedAt: new Date() } });
    expect((await customer.cancel(id)).body).toMatchObject({ status: 409, type: 'urn:problem:store:order-shipped' });
    for (const step of ['change 409', 'cancellation 404', 'remove 204', 'get 404'])
      expect(await call(step.split(' ')[0] ?? '', id)).toBe(step);
    const stored = await order.prisma.order.findUnique({ where: { id } });
    expect(stored).toMatchObject({ status: 'CONFIRMED', cancelledAt: null });
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
  });

  it.each([
    ['PENDING', 422],
    ['CONFIRMED', 422],
    ['SHIPPED', 400],
    [undefined, 400],
  ])('by PATCH with status %s returns %i and changes nothing', async (status, expected) => {
    const id = await customer.placed();
    expect((await customer.change(id, { status })).status).toBe(expected);
    expect((await customer.get(id)).body.status).toBe('PENDING');
  });

  it('happens once and publishes one event, even for 20 concurrent requests at two replicas', async () => {
    const id = await customer.placed();
    const responses = await blockedBy(database.url, 'select from orders where id = $1 for update', [id], 4, () =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const { change, cancel } = index % 2 ? customer : elsewhere;
          return index % 3 === 0 ? change(id) : cancel(id);
        }),
      ),
    );
    const created = responses.filter(({ status }) => status === 201);
    expect(created.length).toBeLessThanOrEqual(1);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20 - created.length);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
  });

  it('publishes one event if the order is deleted at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await customer.placed();
      const [cancelled, removed] = await Promise.all([elsewhere.cancel(id), customer.remove(id)]);
      expect([201, 404]).toContain(cancelled.status);
      expect(removed.status).toBe(204);
      expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
    }
  });

  it('returns 409 if a shipment is recorded while it waits for the row', async () => {
    const id = await customer.placed();
    const shipment = 'update orders set shipped_at = now() where id = $1';
    await blockedBy(database.url, shipment, [id], 1, async () => customer.cancel(id).expect(409));
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
  });
});

describe('changing an order in the state that the client has seen', () => {
  const cancel = (ifMatch: string) => customer.change(id, undefined, { 'if-match': ifMatch });
  const remove = (ifMatch: string) => customer.remove(id, { 'if-match': ifMatch });
  const change = (version: unknown) => customer.change(id, { status: 'CANCELLED', version });
  const expectUnchanged = async () => expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);

  let id: string;
  let seen: string;
  beforeEach(async () => {
    id = await customer.placed();
    seen = (await customer.get(id)).headers.etag ?? '';
  });

  it('by its tag is possible only while the tag is current', async () => {
    expect((await customer.get(id, { 'if-none-match': seen })).status).toBe(304);
    expect((await cancel('"another"')).status).toBe(412);
    expect((await remove('"another"')).status).toBe(412);
    await expectUnchanged();
    expect((await cancel(seen)).status).toBe(200);
    const { status, headers } = await customer.get(id, { 'if-none-match': seen });
    expect({ status, isAnother: headers.etag !== seen }).toEqual({ status: 200, isAnother: true });
    expect((await remove(seen)).status).toBe(412);
    expect((await remove(headers.etag ?? '')).status).toBe(204);
  });

  it('by its version, which counts each visible change, is 409 if the version is another', async () => {
    const versions = [];
    for (const data of [{}, { paidAt: new Date() }, { shippedAt: new Date() }]) {
      await order.prisma.order.update({ where: { id }, data });
      versions.push((await customer.get(id)).body.version);
    }
    expect(versions).toEqual([1, 2, 3]);
    await order.prisma.order.update({ where: { id }, data: { shippedAt: null } });
    const stale = (version: number) => ({
      type: 'urn:problem:store:stale-version',
      status: 409,
      detail: `It has changed since you read it: its version is ${version}.`,
    });
    expect((await change(1)).body).toMatchObject(stale(2));
    await expectUnchanged();
    expect((await change(2)).body).toMatchObject({ status: 'CANCELLED', version: 3 });
    expect((await change(2)).body).toMatchObject(stale(3));
    for (const version of [3, null]) expect((await change(version)).status).toBe(200);
    for (const version of [0, 1.5, '1'])
      expect((await change(version)).body).toMatchObject({ status: 400, errors: [{ path: 'body.version' }] });
  });

  it.each([
    ['tag', 412, () => cancel(seen)],
    ['version', 409, () => change(1)],
  ])('by its %s in several concurrent requests is done once, and %i for the others', async (_, refusal, send) => {
    const answers = await Promise.all(Array.from({ length: 6 }, send));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(refusal)]);
  });
});
