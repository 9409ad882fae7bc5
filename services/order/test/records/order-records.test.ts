import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { describeContract } from '../../../../tests/kit/openapi/contract.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { orderRecordRoutes } from '../../src/order-record-routes.ts';
import { alice, tea, testApp } from '../_app.ts';

const database = useDatabase('order');
const order = database.open(testApp);
const restricted = database.open((url) => testApp(url, { env: newCredentials() }));
const unavailable = testApp(unreachableDatabaseUrl);

const newCredentials = () => ({
  INTERNAL_CREDENTIAL: newCredential(),
  INTERNAL_CREDENTIALS: newCredential(),
  OPERATOR_CREDENTIALS: newCredential(),
});

afterAll(() => unavailable.close());

async function placed(account: string = alice): Promise<string> {
  const items = [{ productId: tea, quantity: 2 }];
  const { body } = await request(order.app).post('/orders').set('id-account', account).send({ items });
  return body.id;
}

const record = async () => ({ path: `/internal/orders/${await placed()}` });

describeContract({
  // Only for the document; the requests go to the application.
  routes: orderRecordRoutes({} as never),
  app: () => order.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  calls: {
    'get /internal/order-demands': { 200: { path: `/internal/order-demands?id=${randomUUID()}` }, 400: {} },
    'get /internal/orders': { 200: { path: `/internal/orders?accountId=${alice}` }, 400: {} },
    'get /internal/stuck-orders': { 200: {}, 400: { path: '/internal/stuck-orders?seconds=0' } },
    'get /internal/orders/{id}': {
      200: record,
      400: { path: '/internal/orders/%ff' },
      404: { path: `/internal/orders/${randomUUID()}` },
    },
  },
});

it('shows an order with its events, those that wait and those that were published, after its owner deleted it', async () => {
  const id = await placed();
  await order.prisma.outbox.updateMany({ where: { key: id }, data: { sentAt: new Date() } });
  await request(order.app).delete(`/orders/${id}`).set('id-account', alice).expect(204);
  const { body } = await request(order.app).get(`/internal/orders/${id}`).expect(200);
  expect(body).toMatchObject({
    id,
    status: 'CANCELLED',
    cancelReason: expect.any(String),
    deletedAt: expect.any(String),
    events: [
      { kind: 'OrderCreated', sentAt: expect.any(String) },
      { kind: 'OrderCancelled', sentAt: null },
    ],
  });
  expect(JSON.parse(body.events[0].payload)).toMatchObject({ orderId: id, customerId: alice });
});

it('tells inventory what orders demand, and nothing of unknown ones; no other path takes its credential', async () => {
  const [first, second] = [await placed(), await placed()];
  const env = newCredentials();
  const guarded = testApp(database.url, { env });
  const ask = (path: string, credential: string) =>
    request(guarded.app).get(path).set('authorization', `Bearer ${credential}`);
  const path = `/internal/order-demands?id=${first}&id=${randomUUID()}&id=${second}`;
  const { body } = await ask(path, env.INTERNAL_CREDENTIALS).expect(200);
  const demand = { items: [{ productId: tea, quantity: 2 }], total: { amount: 9, currency: 'USD' } };
  expect(new Map(body.map((one: { orderId: string }) => [one.orderId, one]))).toEqual(
    new Map([first, second].map((orderId) => [orderId, { orderId, ...demand }])),
  );
  await ask(path, env.OPERATOR_CREDENTIALS).expect(403);
  await ask(`/internal/orders/${first}`, env.INTERNAL_CREDENTIALS).expect(403);
  await ask(`/internal/orders/${first}`, env.OPERATOR_CREDENTIALS).expect(200);
  await guarded.close();
});

it.each(Object.keys(newCredentials()))('refuses to start with %s alone: the other paths would be open', (name) => {
  expect(() => testApp(database.url, { env: { [name]: newCredential() } })).toThrow('set all of them, or none');
});

it('lists the orders of one account alone, the newest first', async () => {
  const account = randomUUID();
  const [first, second] = [await placed(account), await placed(account)];
  await placed();
  const { body } = await request(order.app).get(`/internal/orders?accountId=${account}`).expect(200);
  expect(body.map(({ id }: { id: string }) => id)).toEqual([second, first]);
});
