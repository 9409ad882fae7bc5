import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { type Contract, describeContract } from '../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { paymentRoutes } from '../src/routes.ts';
import { alice, orderCancelled, stockReserved, testPayments } from './_payments.ts';

const database = useDatabase('payment');
const payment = database.open(testPayments);
const restricted = database.open((url) => testPayments(url, { env: { INTERNAL_CREDENTIALS: newCredential() } }));
const unavailable = database.open(() => testPayments(unreachableDatabaseUrl));

async function paid(): Promise<string> {
  const orderId = randomUUID();
  await payment.apply(stockReserved(orderId));
  return `/internal/payments/${orderId}`;
}

const contract: Contract = {
  // Used only for the OpenAPI document; requests go to the application.
  routes: paymentRoutes({} as never),
  app: () => payment.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  accountId: alice,
  calls: {
    'get /internal/account-data': { 200: {}, 400: { path: '/internal/account-data?after=' } },
    'get /internal/payments/{orderId}': {
      200: async () => ({ path: await paid() }),
      400: { path: '/internal/payments/%ff' },
      404: { path: `/internal/payments/${randomUUID()}` },
    },
  },
};
describeContract(contract);
describeFuzz({ ...contract, readState: () => payment.prisma.payment.count() });

it('returns the payments of a customer page by page for the account export', async () => {
  const customerId = randomUUID();
  const orderIds = Array.from({ length: 101 }, () => randomUUID()).sort();
  for (const orderId of orderIds) await payment.apply(orderCancelled(orderId, customerId));
  const read = async (after = '') =>
    (await request(payment.app).get(`/internal/account-data${after}`).set('id-account', customerId).expect(200)).body;
  const first = await read();
  const second = await read(`?after=${first.next}`);
  const records = [...first.records, ...second.records];
  expect(records.map(({ orderId }) => orderId)).toEqual(orderIds);
  expect(second).toMatchObject({ records: [{ status: 'CANCELLED', amount: null }], next: null });
});

describe('a payment record', () => {
  it('has the payment and its events, even if the order was cancelled before payment began', async () => {
    const { body } = await request(payment.app)
      .get(await paid())
      .expect(200);
    expect(body).toMatchObject({
      status: 'PAID',
      amount: { amount: 9.99 },
      events: [{ kind: 'OrderPaid', sentAt: null }],
    });
    const orderId = randomUUID();
    await payment.apply(orderCancelled(orderId));
    const cancelled = await request(payment.app).get(`/internal/payments/${orderId}`).expect(200);
    expect(cancelled.body).toMatchObject({ status: 'CANCELLED', amount: null, paymentId: null, events: [] });
  });
});
