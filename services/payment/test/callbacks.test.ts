import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { createStripeProvider } from '../src/providers/stripe-provider.ts';
import { foreignProvider } from './_foreign-provider.ts';
import { stockReserved, testPayments } from './_payments.ts';

const webhookSecret = 'whsec_for_this_test_alone';
const stripe = createStripeProvider({ secretKey: 'sk_test_unused', webhookSecret, url: 'http://127.0.0.1:1' });

let orderId: string;
let provider: ReturnType<typeof withCallbacks>;
let token: string;

function withCallbacks() {
  const foreign = foreignProvider();
  return { ...foreign, foreign, callback: stripe.callback as NonNullable<typeof stripe.callback> };
}

beforeEach(() => {
  provider = withCallbacks();
  orderId = randomUUID();
  token = 'action';
});

const database = useDatabase('payment');
const payment = database.open(
  (url) => testPayments(url, { provider, orders: { paymentToken: async () => token } }),
  'each',
);

/** A callback as Stripe sends it, signed by the code of the stripe package. */
function callback(type: string, object: object, secret = webhookSecret, at = Math.floor(Date.now() / 1000)) {
  const payload = JSON.stringify({ id: `evt_${randomUUID()}`, object: 'event', type, data: { object } });
  const { webhooks } = new Stripe('sk_test_unused');
  const signature = webhooks.generateTestHeaderString({ payload, secret, timestamp: at });
  return { payload, signature };
}

const send = ({ payload, signature }: { payload: string; signature: string }) =>
  request(payment.app).post('/payments/events').set('stripe-signature', signature).type('json').send(payload);

const charge = () =>
  payment.prisma.paymentStep.findFirstOrThrow({ where: { orderId, lane: { in: ['charge', 'check'] } } });

async function waitingIntent(): Promise<string> {
  payment.startJobs();
  await payment.handle(stockReserved(orderId));
  await until('the customer must act', async () => (await charge()).lane === 'check');
  return provider.foreign.of(orderId)[0]?.id ?? '';
}

describe('a callback', () => {
  it('has its intent read at once, not what it says believed', async () => {
    const id = await waitingIntent();
    const succeeded = callback('payment_intent.succeeded', { id, status: 'succeeded' });
    const before = provider.calls.length;
    await send(succeeded).expect(204);
    await until('the intent was read', () => provider.calls.length > before);
    expect(await payment.stateOf(orderId)).toEqual(['CHARGING']);
    provider.foreign.act(orderId, 'captured');
    await send(succeeded).expect(204);
    await until('it is paid', async () => (await payment.stateOf(orderId))[0] === 'PAID');
  });

  it('that comes repeatedly, late or about an unknown intent changes nothing', async () => {
    token = 'card';
    await payment.apply(stockReserved(orderId));
    const [intent] = provider.foreign.of(orderId);
    const reads = () => provider.calls.filter(([operation]) => operation === 'read').length;
    for (const id of [intent?.id, intent?.id, 'pi_of_somebody_else']) {
      await send(callback('payment_intent.succeeded', { id })).expect(204);
    }
    await send(callback('customer.created', { id: 'cus_1' })).expect(204);
    await payment.apply(stockReserved(orderId));
    expect(await payment.stateOf(orderId)).toEqual(['PAID', 'OrderPaid']);
    expect(reads()).toBe(0);
  });

  it('about a refund has the intent of a paid order read', async () => {
    token = 'card';
    await payment.apply(stockReserved(orderId));
    const [intent] = provider.foreign.of(orderId);
    await send(callback('charge.refunded', { object: 'charge', id: 'ch_1', payment_intent: intent?.id })).expect(204);
    await until('it was read', async () => provider.calls.at(-1)?.[0] === 'read' && (await charge()).dueAt === null);
    expect(await payment.stateOf(orderId)).toEqual(['PAID', 'OrderPaid']);
  });

  it('about money that was taken after all, for an order that is over, has it returned', async () => {
    token = 'declined';
    await payment.apply(stockReserved(orderId));
    expect(await payment.stateOf(orderId)).toEqual(['FAILED', 'PaymentFailed']);
    const [intent] = provider.foreign.of(orderId);
    if (intent) intent.state = 'captured';
    await send(callback('payment_intent.succeeded', { id: intent?.id })).expect(204);
    await until('it is returned', async () => (await payment.stateOf(orderId))[0] === 'REFUNDED');
    expect(provider.foreign.holds(orderId)).toBe(0n);
  });

  it.each<[string, () => { payload: string; signature: string }]>([
    ['signed with another secret', () => callback('payment_intent.succeeded', { id: 'pi_1' }, 'whsec_of_another')],
    [
      'signed an hour ago',
      () => callback('payment_intent.succeeded', {}, webhookSecret, Math.floor(Date.now() / 1000) - 3600),
    ],
    ['changed after it was signed', () => ({ ...callback('payment_intent.succeeded', { id: 'pi_1' }), payload: '{}' })],
    ['without a real signature', () => ({ payload: '{}', signature: 't=1,v1=abc' })],
  ])('that is %s is refused, and has nothing read', async (_, forge) => {
    await waitingIntent();
    const [before, { dueAt }] = [provider.calls.length, await charge()];
    await send(forge()).expect(400);
    expect(await charge()).toMatchObject({ dueAt });
    expect(provider.calls).toHaveLength(before);
  });

  it('without a signature, or too large, is refused', async () => {
    await request(payment.app).post('/payments/events').type('json').send('{}').expect(400);
    const { payload, signature } = callback('payment_intent.succeeded', { filler: 'x'.repeat(300_000) });
    await send({ payload, signature }).expect(413);
  });

  it('has no route if the provider sends none', async () => {
    const builtIn = database.closeLater(testPayments(database.url));
    const { payload, signature } = callback('payment_intent.succeeded', {});
    await request(builtIn.app).post('/payments/events').set('stripe-signature', signature).send(payload).expect(404);
  });
});

describe('the listing of changes', () => {
  it('has changed intents read, in one replica at a time, and goes on where it ended', async () => {
    const asked: (string | undefined)[] = [];
    const id = { waiting: '' };
    provider.changesSince = (async (cursor: string | undefined) => {
      asked.push(cursor);
      provider.foreign.act(orderId, 'captured');
      return { changes: [{ intentId: id.waiting, of: 'payment' as const }], cursor: `after ${asked.length}` };
    }) as never;
    const listing = { provider: 'foreign', cursor: null, turnUntil: new Date(Date.now() + 3_600_000) };
    await payment.prisma.providerListing.upsert({ where: { provider: 'foreign' }, create: listing, update: listing });
    id.waiting = await waitingIntent();
    const second = database.closeLater(testPayments(database.url, { provider }));
    second.startJobs();
    await payment.prisma.providerListing.updateMany({ data: { turnUntil: new Date(0) } });
    await until('it is paid', async () => (await payment.stateOf(orderId))[0] === 'PAID', { timeoutMs: 30_000 });
    await until(
      'its cursor is stored',
      async () => (await payment.prisma.providerListing.findFirst())?.cursor === 'after 1',
    );
    await payment.prisma.providerListing.updateMany({ data: { turnUntil: new Date(0) } });
    await until('it was listed again', () => asked.length === 2, { timeoutMs: 30_000 });
    expect(asked).toEqual([undefined, 'after 1']);
  });
});
