import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { customerId } from '../consumer/_fixture.ts';
import { type TestGroup, testGroup } from './_group.ts';
import { fakeOrders, line } from './_orders.ts';

let database: TestDatabase;
let service: Awaited<ReturnType<typeof fakeOrders>>;
let invoices: TestGroup;

beforeAll(async () => {
  database = await createTestDatabase('consumers');
  service = await fakeOrders();
  const env = { ORDER_URL: service.url, SELLER: 'Tea & <b>Salt</b>\n1 Market Street' };
  invoices = testGroup(database.url, 'invoice-group', { env });
});

beforeEach(() => {
  Object.assign(service.orders, { status: 200, deleted: new Set(), asked: [] });
});

afterAll(async () => {
  await invoices.close();
  await service.close();
  await database.drop();
});

async function paidOrder(): Promise<string> {
  const amount = { amount: 12.75, currency: 'USD' } as never;
  const event = storedEvent('OrderPaid', { orderId: randomUUID(), customerId, paymentId: randomUUID(), amount });
  await invoices.handle(event);
  return event.key;
}

const get = (orderId: string, headers: Record<string, string> = {}) =>
  request(invoices.app)
    .get(`/orders/${orderId}/invoice`)
    .set({ 'id-account': customerId, ...headers });

test('customers get their own invoices, with the lines of the order and the seller', async () => {
  const orderId = await paidOrder();
  const { status, headers, body } = await get(orderId, { authorization: 'Bearer their.own.token' });
  expect(status).toBe(200);
  expect(headers).toMatchObject({ vary: 'Accept', 'cache-control': 'no-store' });
  expect(body).toEqual({
    number: expect.any(Number),
    orderId,
    customerId,
    paymentId: expect.any(String),
    amount: { amount: 12.75, currency: 'USD' },
    paidAt: expect.any(String),
    createdAt: expect.any(String),
    seller: 'Tea & <b>Salt</b>\n1 Market Street',
    lines: [line],
  });
  expect(service.orders.asked).toMatchObject([{ 'id-account': customerId, authorization: 'Bearer their.own.token' }]);
});

test('an invoice is 404 until there is one, for others, and once its order is deleted', async () => {
  const orderId = await paidOrder();
  expect((await get(randomUUID())).status).toBe(404);
  expect((await get(orderId, { 'id-account': randomUUID() })).status).toBe(404);
  expect(service.orders.asked).toEqual([]);
  service.orders.deleted.add(orderId);
  expect((await get(orderId)).status).toBe(404);
});

test('without an identity an invoice is 401, and without the order service 503', async () => {
  const orderId = await paidOrder();
  expect((await request(invoices.app).get(`/orders/${orderId}/invoice`)).status).toBe(401);
  for (const status of [500, 401, 400]) {
    service.orders.status = status;
    expect((await get(orderId)).status).toBe(503);
  }
});

describe('the page of an invoice', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it('is for clients that prefer HTML, and loads and runs nothing', async () => {
    const orderId = await paidOrder();
    const { status, headers, text } = await get(orderId, { accept: browser });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^ ]+'; base-uri 'none'/,
    );
    for (const part of [orderId, line.productId, '<td>3</td><td>4.25</td><td>12.75</td>', 'Total, USD', '12.75'])
      expect(text).toContain(part);
    expect(text).toContain('<address>Tea &amp; &lt;b&gt;Salt&lt;/b&gt;\n1 Market Street</address>');
    expect(text).not.toContain('<b>');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5'])
      expect((await get(orderId, { accept })).type).toBe('application/json');
  });

  it('is a problem where there is no invoice', async () => {
    const { status, type } = await get(randomUUID(), { accept: browser });
    expect([status, type]).toEqual([404, 'application/problem+json']);
  });
});
