import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, eventsOf, tea, testApp } from '../_app.ts';
import { whileHolding } from './_open-transaction.ts';

const database = useDatabase('order');
const order = database.open(testApp);
const replica = database.open(testApp);
const observer = database.open(testApp);
/** Its connections stay free while those of the others wait. */

async function placed(): Promise<string> {
  const body = { items: [{ productId: tea, quantity: 1 }] };
  const response = await request(order.app).post('/orders').set('id-account', alice).send(body);
  return response.body.id;
}

const calls = {
  cancel: (id: string, app = order.app) => request(app).post(`/orders/${id}/cancellation`).set('id-account', alice),
  patch: (id: string, app = order.app) =>
    request(app).patch(`/orders/${id}`).set('id-account', alice).send({ status: 'CANCELLED' }),
  remove: (id: string, app = order.app) => request(app).delete(`/orders/${id}`).set('id-account', alice),
  get: (id: string) => request(order.app).get(`/orders/${id}`).set('id-account', alice),
  cancellation: (id: string) => request(order.app).get(`/orders/${id}/cancellation`).set('id-account', alice),
};
type CallName = keyof typeof calls;

/** Sequences of calls with the expected status of each. */
const sequences: [CallName, number][][] = [
  [
    ['cancellation', 404],
    ['cancel', 201],
    ['cancel', 200],
    ['patch', 200],
    ['cancellation', 200],
    ['get', 200],
  ],
  [
    ['patch', 200],
    ['patch', 200],
    ['cancel', 200],
    ['cancellation', 200],
  ],
  [
    ['cancel', 201],
    ['remove', 204],
    ['remove', 404],
    ['cancel', 404],
    ['patch', 404],
    ['cancellation', 404],
    ['get', 404],
  ],
  [
    ['patch', 200],
    ['remove', 204],
    ['get', 404],
  ],
  [
    ['remove', 204],
    ['get', 404],
    ['cancellation', 404],
    ['cancel', 404],
    ['patch', 404],
    ['remove', 404],
  ],
];

test.each(sequences.map((sequence) => [sequence.map(([name]) => name).join(', '), sequence] as const))(
  'the calls %s publish OrderCancelled once',
  async (_name, sequence) => {
    const id = await placed();
    const statuses: [CallName, number][] = [];
    for (const [name] of sequence) statuses.push([name, (await calls[name](id)).status]);
    expect(statuses).toEqual(sequence);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
  },
);

test('cancelling returns the order with Location and time, also when repeated', async () => {
  const id = await placed();
  const first = await calls.cancel(id);
  expect(first.headers.location).toBe(`/orders/${id}/cancellation`);
  expect(first.body).toMatchObject({ id, status: 'CANCELLED', cancelledAt: first.body.updatedAt });
  const again = await calls.cancel(id);
  expect(again.body).toEqual(first.body);
  expect((await calls.patch(id)).body).toEqual(first.body);
  expect((await calls.get(id)).body).toEqual(first.body);
  expect((await calls.cancellation(id)).body).toEqual({
    orderId: id,
    cancelledAt: first.body.cancelledAt,
    reason: 'cancelled by the customer',
  });
});

test('a CONFIRMED order can be cancelled', async () => {
  const id = await placed();
  await order.prisma.order.update({ where: { id }, data: { status: 'CONFIRMED', paidAt: new Date() } });
  expect((await calls.cancel(id)).body).toMatchObject({ status: 'CANCELLED', paidAt: expect.any(String) });
});

test('a shipped order cannot be cancelled, but deleted', async () => {
  const id = await placed();
  await order.prisma.order.update({ where: { id }, data: { status: 'CONFIRMED', shippedAt: new Date() } });
  const rejected = await calls.cancel(id);
  expect(rejected.status).toBe(409);
  expect(rejected.body.type).toBe('urn:problem:store:order-shipped');
  expect((await calls.patch(id)).status).toBe(409);
  expect((await calls.cancellation(id)).status).toBe(404);
  expect((await calls.remove(id)).status).toBe(204);
  expect((await calls.get(id)).status).toBe(404);
  expect(await order.prisma.order.findUnique({ where: { id } })).toMatchObject({
    status: 'CONFIRMED',
    cancelledAt: null,
  });
  expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
});

test.each([
  ['PENDING', 422],
  ['CONFIRMED', 422],
  ['SHIPPED', 400],
  ['cancelled', 400],
  [null, 400],
  [undefined, 400],
])('PATCH /orders/{id} with status %s returns %i and changes nothing', async (status, expected) => {
  const id = await placed();
  const response = await request(order.app).patch(`/orders/${id}`).set('id-account', alice).send({ status });
  expect(response.status).toBe(expected);
  expect((await calls.get(id)).body.status).toBe('PENDING');
});

/** The responses to requests that all arrived while a transaction held the lock of the order's row. */
async function whileRowIsHeld(id: string, count: number, sql: string, requests: () => Promise<request.Response>[]) {
  const waiting = async () => {
    const [row] = await observer.prisma.$queryRaw<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.n ?? 0;
  };
  const { responses } = await whileHolding(database.url, sql, [id], async () => {
    const responses = Promise.all(requests());
    await until('the requests wait for the row', async () => (await waiting()) >= count);
    return { responses };
  });
  return responses;
}

test('20 concurrent cancellations on two replicas cancel once and publish one event', async () => {
  const id = await placed();
  const responses = await whileRowIsHeld(id, 4, 'select from orders where id = $1 for update', () =>
    Array.from({ length: 20 }, (_, index) =>
      (index % 3 === 0 ? calls.patch : calls.cancel)(id, index % 2 ? order.app : replica.app).then(
        (response) => response,
      ),
    ),
  );
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1);
  expect(statuses.every((status) => status === 200 || status === 201)).toBe(true);
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
});

test('concurrent cancellation and deletion publish one event', async () => {
  for (let round = 0; round < 10; round += 1) {
    const id = await placed();
    const [cancelled, removed] = await Promise.all([calls.cancel(id, replica.app), calls.remove(id)]);
    expect([201, 404]).toContain(cancelled.status);
    expect(removed.status).toBe(204);
    expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
  }
});

test('a cancellation that waits for the row returns 409 when a shipment is recorded first', async () => {
  const id = await placed();
  const [response] = await whileRowIsHeld(id, 1, 'update orders set shipped_at = now() where id = $1', () => [
    calls.cancel(id).then((response) => response),
  ]);
  expect(response?.status).toBe(409);
  expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
});
