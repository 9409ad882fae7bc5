import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, dust, gold, salt, tea, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);

beforeEach(() => order.prisma.$executeRaw`truncate orders, order_items, idempotency_keys, outbox`);

const own = { 'id-account': alice };
const place = (items: object[]) => request(order.app).post('/orders').set(own).send({ items });
const get = (path: string) => request(order.app).get(path).set(own);
const envelope = (content: string[]) =>
  `{"content":[${content}],"page":{"size":20,"number":0,"totalElements":${content.length},"totalPages":1}}`;

test.each([
  ['one line', [{ productId: tea, quantity: 2 }]],
  ['exact decimals', [tea, salt, gold, dust].map((productId, index) => ({ productId, quantity: 3 + index }))],
  ['the largest total', [{ productId: gold, quantity: 10_000 }]],
  ['a total of 0', [{ productId: dust, quantity: 1 }]],
])('an order with %s is the same text when it is placed, alone, and in lists', async (_name, items) => {
  const { text, body, headers } = await place(items).expect(201);
  expect(text).not.toMatch(/\s/);
  expect((await get(headers.location ?? '')).text).toBe(text);
  expect((await get('/orders')).text).toBe(envelope([text]));
  const records = await request(order.app).get(`/internal/orders?accountId=${alice}`);
  expect(records.text).toBe(`[${text}]`);
  const record = await request(order.app).get(`/internal/orders/${body.id}`);
  expect(record.text.startsWith(`${text.slice(0, -1)},"cancelReason":null,"deletedAt":null,"events":[{`)).toBe(true);
});

test('a changed order is the same text in the answer to the change, alone, and in lists', async () => {
  const { headers } = await place([{ productId: tea, quantity: 1 }]);
  const path = headers.location ?? '';
  await order.prisma.order.updateMany({
    data: { status: 'CONFIRMED', paidAt: new Date('2026-01-01T10:00:00.007Z'), updatedAt: new Date() },
  });
  const paid = await get(path);
  expect(paid.text).toContain('"paidAt":"2026-01-01T10:00:00.007Z"');
  expect((await get('/orders')).text).toBe(envelope([paid.text]));
  const { text } = await request(order.app).patch(path).set(own).send({ status: 'CANCELLED' }).expect(200);
  expect(text).toMatch(/"cancelledAt":"[^"]{24}"}$/);
  expect((await request(order.app).post(`${path}/cancellation`).set(own).expect(200)).text).toBe(text);
  expect((await get(path)).text).toBe(text);
  expect((await get('/orders')).text).toBe(envelope([text]));
});

test('an empty page has no blanks either', async () => {
  expect((await get('/orders')).text).toBe(
    '{"content":[],"page":{"size":20,"number":0,"totalElements":0,"totalPages":0}}',
  );
});
