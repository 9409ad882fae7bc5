import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { tokens } from '../../../tests/kit/payments/stripe-account.ts';
import { useStripe } from '../../../tests/kit/payments/stripe-proxy.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { orderCancelled, stockReserved, testPayments } from './_payments.ts';
import { refund, usd } from './_refunds.ts';

// With localstripe, which the store's own code knows nothing of.
const fake = useStripe();
const hourMs = 3_600_000;
let now: () => number;

const database = useDatabase('payment', 'each');
const payment = database.open((url) => {
  now = Date.now;
  const env = {
    PAYMENT_PROVIDER: 'stripe',
    STRIPE_SECRET_KEY: fake.secretKey,
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_store',
    STRIPE_URL: `http://${fake.host}:${fake.port}`,
  };
  const orders = { paymentToken: async () => tokens.good };
  return testPayments(url, { provider: 'own', orders, env, clock: () => new Date(now()) });
}, 'each');
beforeEach(() => fake.clear());

async function pay(): Promise<{ orderId: string; intentId: string }> {
  const orderId = randomUUID();
  await payment.apply(stockReserved(orderId));
  expect((await payment.stateOf(orderId))[0]).toBe('PAID');
  return { orderId, intentId: fake.account.intentsOf(orderId)[0] ?? '' };
}

/** Waits until there are entries of these kinds. What happens at Stripe is listed again and again, since nobody sends callbacks. */
const untilBooked = (expected: string) =>
  until(`these are booked: ${expected}`, async () => {
    await payment.prisma.providerListing.updateMany({ data: { turnUntil: new Date(0) } });
    const entries = await payment.prisma.entry.findMany({ orderBy: { kind: 'asc' } });
    return entries.map(({ kind }) => kind).join(' ') === expected;
  });

/** Compares the last hour, an hour later. */
async function reconcile() {
  const to = Date.now() + 60_000;
  now = () => Date.now() + hourMs;
  const period = { run: randomUUID(), from: new Date(to - hourMs).toISOString(), to: new Date(to).toISOString() };
  const { body } = await request(payment.app).post('/internal/books/reconciliations').send(period).expect(200);
  return body;
}

it('agrees with Stripe about charges, refunds of all kinds, refunds that failed, and disputes', async () => {
  const [refunded, cancelled, disputed, returned] = [await pay(), await pay(), await pay(), await pay()];
  await refund(payment, refunded.orderId, { amount: usd(4) }).expect(201);
  await payment.apply(orderCancelled(cancelled.orderId));
  await fake.account.dispute(disputed.intentId);
  const { id } = await fake.account.refund(returned.intentId, 300, {});
  await untilBooked('charge charge charge charge dispute refund refund refund');
  fake.account.settleRefund(id, 'failed');
  await untilBooked('charge charge charge charge dispute refund refund refund refund-failed');
  expect(await reconcile()).toMatchObject({
    ...{ provider: 'stripe', hasList: true, there: 9, here: 9, differences: [], problems: [] },
    ...{ missingHere: 0, missingThere: 0, different: 0 },
  });
});

it('finds what is missing here, there, and different', async () => {
  const [missing, other] = [await pay(), await pay()];
  const { transactions } = fake.account;
  const [first, second] = transactions;
  if (first === undefined || second === undefined) throw new Error('Stripe has not listed the charges.');
  // Somebody else has charged with the same account; a charge has vanished; another has another amount.
  const foreign = { ...first, id: 'txn_foreign', source: { ...first.source, payment_intent: 'pi_foreign' } };
  transactions.splice(0, 2, foreign, { ...second, source: { ...second.source, amount: 1 } });
  const { differences, ...counts } = await reconcile();
  expect(counts).toMatchObject({ there: 2, here: 2, missingHere: 1, missingThere: 1, different: 1 });
  expect(new Set(differences.map(({ subject }: { subject: string }) => subject))).toEqual(
    new Set([missing.orderId, other.orderId, 'pi_foreign']),
  );
});
