import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { type Contract, describeContract, type MadeCall } from '../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { refundRoutes } from '../src/refund-routes.ts';
import { paymentRoutes } from '../src/routes.ts';
import { foreignProvider } from './_foreign-provider.ts';
import { alice, orderCancelled, stockReserved, testPayments } from './_payments.ts';
import { olga, orders, paidOrder, reason, refund, tea, tell, usd } from './_refunds.ts';

const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url, { orders }));
const restricted = database.open((url) =>
  testPayments(url, { env: { INTERNAL_CREDENTIAL: newCredential(), INTERNAL_CREDENTIALS: newCredential() } }),
);
const unavailable = database.open(() => testPayments(unreachableDatabaseUrl));

async function paid(): Promise<string> {
  const orderId = randomUUID();
  await payment.apply(stockReserved(orderId));
  return `/internal/payments/${orderId}`;
}

const settlement = { outcome: 'paid', evidence: 'Statement 7 of the bank has the payment.' };
const settlementOf = (id: string) => `/internal/payment-steps/${id}/settlement`;

/** An OPEN charge, or an OPEN refund of a paid order, that nobody reads for an hour. Starts again if the queue was quicker. */
async function openStep(kind: 'charge' | 'refund' = 'charge'): Promise<{ id: string; orderId: string }> {
  const orderId = randomUUID();
  if (kind === 'refund') await payment.apply(stockReserved(orderId));
  await payment.handle(kind === 'refund' ? orderCancelled(orderId) : stockReserved(orderId));
  const later = new Date(Date.now() + 3_600_000);
  const [step] = await payment.prisma.paymentStep.updateManyAndReturn({
    where: { orderId, dueAt: { not: null } },
    // The outcome of a call that was made before has another number of attempts, and does not count.
    data: { attempts: 9, dueAt: later, openSince: new Date() },
  });
  return step === undefined ? openStep(kind) : { id: step.id, orderId };
}

const body = { amount: usd(1), reason };
const key = () => ({ 'idempotency-key': randomUUID() });

/** Calls for each documented status of a route that makes refunds. */
function refundCalls(prefix: string, operator: Record<string, string>): Record<number, MadeCall> {
  const pathOf = async (amount?: string) => `${prefix}/orders/${await paidOrder(payment, amount)}/refunds`;
  const call = async (more: object = {}) => ({
    path: await pathOf(),
    headers: { ...operator, ...key() },
    body,
    ...more,
  });
  return {
    // A repetition, whose answer has all documented headers.
    201: async () => {
      const first = await call();
      await request(payment.app).post(first.path).set(first.headers).send(body).expect(201);
      return first;
    },
    400: () => call({ body: { ...body, amount: usd(0) } }),
    404: () => call({ path: `${prefix}/orders/${randomUUID()}/refunds` }),
    409: () => call({ body: { ...body, amount: usd(10) } }),
    413: () => call({ body: { ...body, reason: 'x'.repeat(25_000) } }),
    415: () => call({ headers: { ...operator, ...key(), 'Content-Type': 'text/plain' }, body: 'x' }),
    422: async () => {
      const first = await call();
      await request(payment.app).post(first.path).set(first.headers).send(body).expect(201);
      return { ...first, body: { ...body, reason: 'Another.' } };
    },
  };
}

const contract: Contract = {
  // Used only for the OpenAPI document; requests go to the application.
  routes: [...paymentRoutes({ payments: {} } as never), ...refundRoutes({} as never)],
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
    'get /internal/payment-steps': {
      200: { path: '/internal/payment-steps?state=open' },
      400: { path: '/internal/payment-steps?state=closed' },
    },
    'get /internal/returned-money': {
      200: { path: '/internal/returned-money?state=PENDING' },
      400: { path: '/internal/returned-money?state=GONE' },
    },
    'post /internal/payment-steps/{id}/settlement': {
      204: async () => ({ path: settlementOf((await openStep()).id), body: settlement }),
      400: async () => ({ path: settlementOf((await openStep()).id), body: { ...settlement, evidence: ' ' } }),
      404: { path: settlementOf(randomUUID()), body: settlement },
      409: async () => {
        const { id } = await openStep();
        await request(payment.app).post(settlementOf(id)).send(settlement).expect(204);
        return { path: settlementOf(id), body: settlement };
      },
    },
    'post /orders/{id}/refunds': refundCalls('', olga),
    'post /internal/orders/{id}/refunds': refundCalls('/internal', {}),
    'get /orders/{id}/refunds': {
      200: async () => ({ path: `/orders/${await paidOrder(payment)}/refunds` }),
      400: { path: '/orders/%ff/refunds' },
      404: { path: `/orders/${randomUUID()}/refunds` },
    },
    'get /orders/{id}/refunds/{refundId}': {
      200: async () => {
        const orderId = await paidOrder(payment);
        const { body: made } = await refund(payment, orderId, body);
        return { path: `/orders/${orderId}/refunds/${made.id}` };
      },
      400: { path: '/orders/%ff/refunds/x' },
      404: async () => ({ path: `/orders/${await paidOrder(payment)}/refunds/${randomUUID()}` }),
    },
  },
};
describeContract(contract);
// refunds.test.ts has malformed refunds: no body can have all fields, because lines exclude an amount.
const routes = contract.routes.filter(({ path }) => !path.endsWith('/refunds'));
describeFuzz({ ...contract, routes, readState: () => payment.prisma.payment.count() });

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

  it('has refunds and disputes, and the export has refunds without the words of operators', async () => {
    const orderId = await paidOrder(payment);
    const { body: made } = await refund(payment, orderId, { lines: [{ productId: tea, quantity: 2 }] }).expect(201);
    await tell(payment, orderId, (returns, traceparent) => {
      const disputes = [{ id: 'dp_1', amount: 500n, state: 'open' as const }];
      returns.recordOutside(orderId, { refunds: [], disputes }, traceparent);
    });
    const record = (await request(payment.app).get(`/internal/payments/${orderId}`).expect(200)).body;
    expect(record).toMatchObject({
      refunds: [{ id: made.id, amount: usd(0.67), reason, source: 'operator' }],
      disputes: [{ providerRef: 'dp_1', amount: usd(5), state: 'OPEN' }],
    });
    const { text, body } = await request(payment.app)
      .get('/internal/account-data')
      .set('id-account', record.customerId)
      .expect(200);
    const exported = body.records.find((one: { orderId: string }) => one.orderId === orderId);
    expect(exported.refunds).toMatchObject([{ id: made.id, amount: 0.67, lines: [{ productId: tea, quantity: 2 }] }]);
    expect(text).not.toContain(reason);
  });

  it('lists refunds and disputes of all orders, the newest first, page by page, and by state', async () => {
    const orderIds = [await paidOrder(payment), await paidOrder(payment, '700', 'JPY')];
    const at = (second: number) => new Date(Date.UTC(2100, 0, 1, 0, 0, second));
    const refunds = [{ id: 're_a', stepId: undefined, amount: 100n, state: 'failed' as const }];
    const disputes = [{ id: 'dp_b', amount: 300n, state: 'open' as const }];
    for (const [index, orderId] of orderIds.entries()) {
      const of = (one: { id: string }) => ({ ...one, id: `${one.id}_${orderId}` });
      await tell(
        payment,
        orderId,
        ({ recordOutside }, traceparent) => {
          recordOutside(orderId, { refunds: refunds.map(of) as typeof refunds, disputes: [] }, traceparent);
        },
        at(index),
      );
      await tell(
        payment,
        orderId,
        ({ recordOutside }, traceparent) => {
          recordOutside(orderId, { refunds: [], disputes: disputes.map(of) as typeof disputes }, traceparent);
        },
        at(index),
      );
    }
    const read = async (asked: string) =>
      (await request(payment.app).get(`/internal/returned-money?${asked}`).expect(200)).body;
    const [first, second] = [await read('size=2'), await read('size=4')];
    const third = await read(`size=2&after=${encodeURIComponent(first.next)}`);
    expect([...first.returned, ...third.returned]).toEqual(second.returned);
    const [usdOrder, yenOrder] = orderIds;
    const ofYen = { orderId: yenOrder, createdAt: at(1).toISOString() };
    expect(first.returned).toHaveLength(2);
    expect(first.returned).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...ofYen,
          kind: 'refund',
          state: 'FAILED',
          source: 'provider',
          amount: { amount: 100, currency: 'JPY' },
        }),
        expect.objectContaining({ ...ofYen, kind: 'dispute', state: 'OPEN', amount: { amount: 300, currency: 'JPY' } }),
      ]),
    );
    expect(third.returned.map(({ orderId }: { orderId: string }) => orderId)).toEqual([usdOrder, usdOrder]);
    const open = await read('state=OPEN&size=2');
    expect(open.returned).toMatchObject([
      { kind: 'dispute', orderId: yenOrder },
      { kind: 'dispute', orderId: usdOrder },
    ]);
    const failed = await read('state=FAILED&size=1');
    expect(failed.returned).toMatchObject([{ kind: 'refund', orderId: yenOrder, failure: expect.any(String) }]);
    for (const after of ['x', first.next.slice(0, -4)]) {
      await request(payment.app)
        .get(`/internal/returned-money?after=${encodeURIComponent(after)}`)
        .expect(400);
    }
  });

  it('loses the words of operators with the account of the customer', async () => {
    const orderId = await paidOrder(payment);
    await refund(payment, orderId, { amount: usd(1) }).expect(201);
    const deleted = (accountId: string) => ({ kind: 'AccountDeleted' as const, payload: { accountId } });
    const forget = (accountId: string) =>
      payment.database.inTransaction(async (tx) => payment.group.accounts?.handle([deleted(accountId) as never], tx));
    await forget(randomUUID());
    const reasons = async () =>
      (await payment.prisma.refund.findMany({ where: { orderId } })).map(({ reason }) => reason);
    expect(await reasons()).toEqual([reason]);
    await forget(alice);
    expect(await reasons()).toEqual([null]);
  });
});

describe('an OPEN step', () => {
  const openSteps = async () =>
    (await request(payment.app).get('/internal/payment-steps?state=open&size=100').expect(200)).body;
  const settle = (id: string, body: object) =>
    request(payment.app).post(settlementOf(id)).set('operator-name', 'Ada').send(body);

  it.each([
    ['charge', 'paid', ['PAID', 'OrderPaid']],
    ['charge', 'failed', ['FAILED', 'PaymentFailed']],
    ['refund', 'refunded', ['REFUNDED', 'OrderPaid', 'PaymentRefunded']],
  ] as const)(
    'of a %s is listed until an operator settles it as %s, which is audited',
    async (kind, outcome, state) => {
      const { id, orderId } = await openStep(kind);
      const { steps } = await openSteps();
      expect(steps).toContainEqual(
        expect.objectContaining({ id, kind, orderId, amount: { amount: 9.99, currency: 'USD' } }),
      );
      const evidence = 'Seen in the dashboard.';
      await settle(id, { outcome, evidence }).expect(204);
      expect(await payment.stateOf(orderId)).toEqual(state);
      const again = await openSteps();
      expect(again.steps.map(({ id }: { id: string }) => id)).not.toContain(id);
      const entries = await payment.prisma.audit.findMany({ where: { subject: orderId } });
      expect(entries).toMatchObject([
        { actor: 'operator Ada', kind: 'payment', after: { step: id, outcome, evidence } },
      ]);
      // Nothing is asked any more.
      expect(await payment.prisma.paymentStep.findUnique({ where: { id } })).toMatchObject({
        dueAt: null,
        openSince: null,
      });
    },
  );

  it('of a cancelled order that was not taken leaves it CANCELLED', async () => {
    const { id, orderId } = await openStep();
    await payment.handle(orderCancelled(orderId));
    await payment.prisma.paymentStep.update({ where: { id }, data: { openSince: new Date() } });
    await settle(id, { outcome: 'failed', evidence: 'Seen.' }).expect(204);
    expect(await payment.stateOf(orderId)).toEqual(['CANCELLED']);
  });

  it('of a charge that has no intent, settled as paid, is not refunded where no money moves', async () => {
    const provider = { ...foreignProvider(), createIntent: async () => Promise.reject(new Error('No answer')) };
    const elsewhere = database.closeLater(testPayments(database.url, { provider }));
    const { id, orderId } = await openStep();
    await request(elsewhere.app).post(settlementOf(id)).send({ outcome: 'paid', evidence: 'Seen.' }).expect(204);
    await elsewhere.handle(orderCancelled(orderId));
    elsewhere.startJobs();
    const refund = () => payment.prisma.paymentStep.findFirst({ where: { orderId, lane: 'refund' } });
    await until('it was tried', async () => ((await refund())?.attempts ?? 0) > 1);
    expect(await refund()).toMatchObject({ dueAt: expect.any(Date) });
    expect(await payment.stateOf(orderId)).toEqual(['PAID', 'OrderPaid']);
  });

  it('has only outcomes of its kind, and changes nothing otherwise', async () => {
    for (const [kind, outcome] of [
      ['charge', 'refunded'],
      ['refund', 'paid'],
    ] as const) {
      const { id, orderId } = await openStep(kind);
      const before = await payment.stateOf(orderId);
      await settle(id, { outcome, evidence: 'Seen.' }).expect(400);
      expect(await payment.stateOf(orderId)).toEqual(before);
      expect(await payment.prisma.paymentStep.findUnique({ where: { id } })).toMatchObject({
        openSince: expect.any(Date),
      });
    }
  });
});
