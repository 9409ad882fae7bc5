import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { type Contract, describeContract } from '../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { paymentRoutes } from '../src/routes.ts';
import { alice, orderCancelled, stockReserved, testPayments } from './_payments.ts';

const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url));
const restricted = database.open((url) =>
  testPayments(url, { env: { INTERNAL_CREDENTIALS: newCredential(), INTERNAL_CREDENTIAL: newCredential() } }),
);
const unavailable = database.open(() => testPayments(unreachableDatabaseUrl));

async function paid(): Promise<string> {
  const orderId = randomUUID();
  await payment.apply(stockReserved(orderId));
  return `/internal/payments/${orderId}`;
}

const settlement = { outcome: 'paid', evidence: 'Statement 7 of the bank has the payment.' };
const settlementOf = (id: string) => `/internal/payment-steps/${id}/settlement`;

/** A charge, or the refund of a paid order, of which nobody could say for a day what became of it. */
async function openStep(kind: 'charge' | 'refund' = 'charge') {
  const orderId = randomUUID();
  if (kind === 'refund') await payment.apply(stockReserved(orderId));
  // The queue leaves it alone until then.
  await payment.handle(kind === 'refund' ? orderCancelled(orderId) : stockReserved(orderId));
  const { id } = await payment.prisma.paymentStep.findFirstOrThrow({ where: { orderId, dueAt: { not: null } } });
  const later = new Date(Date.now() + 3_600_000);
  await payment.prisma.paymentStep.update({
    where: { id },
    data: { attempts: 9, dueAt: later, openSince: new Date() },
  });
  return { id, orderId };
}

const contract: Contract = {
  // Used only for the OpenAPI document; requests go to the application.
  routes: paymentRoutes({ payments: {} } as never),
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
