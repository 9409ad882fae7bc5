import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { serve } from '../listen.ts';
import { seededRandom } from '../random.ts';
import { until } from '../until.ts';
import { tokens } from './stripe-account.ts';
import { type Fault, faultsOf, noFaults, randomFaults } from './stripe-faults.ts';
import { useStripe } from './stripe-proxy.ts';

const fake = useStripe();
let stripe: Stripe;
let orderId: string;

beforeAll(() => {
  const { host, port, secretKey } = fake;
  stripe = new Stripe(secretKey, { host, port, protocol: 'http', maxNetworkRetries: 0, timeout: 5_000 });
});
beforeEach(() => {
  orderId = randomUUID();
  fake.meet(noFaults);
  fake.refundsEnd(() => 'at once');
});
afterEach(() => fake.callbacks.sendTo(undefined));

const create = (key: string = randomUUID(), amount = 1_999) =>
  stripe.paymentIntents.create({ amount, currency: 'usd', metadata: { orderId } }, { idempotencyKey: key });
const confirm = (id: string, token: string = tokens.good, key: string = randomUUID()) =>
  stripe.paymentIntents.confirm(id, { payment_method: token, return_url: 'http://shop' }, { idempotencyKey: key });
async function pay() {
  const { id } = await create();
  return confirm(id);
}
const refund = (id: string, amount?: number, key: string = randomUUID()) =>
  stripe.refunds.create(
    { payment_intent: id, ...(amount && { amount }), metadata: { stepId: key } },
    { idempotencyKey: key },
  );
const book = async () => (await fake.account.books()).get(orderId);

/** The error of a call, as the client sees it. */
async function failure(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => new Error('The call succeeded.'),
    (reason) => reason,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw error;
}

/** Has the next request meet a fault, and no later one. */
function once(fault: Fault): void {
  let isOver = false;
  fake.meet(() => {
    if (isOver) return undefined;
    isOver = true;
    return fault;
  });
}

describe('an account', () => {
  it('has the charge of an order once its intent is confirmed', async () => {
    const { id, status } = await create();
    expect(status).toBe('requires_payment_method');
    expect(await book()).toMatchObject({ charged: 0 });
    expect(await confirm(id)).toMatchObject({ id, status: 'succeeded', amount_received: 1_999 });
    expect(await book()).toMatchObject({ charged: 1_999, returned: 0, disputed: 0 });
    const { data } = await stripe.paymentIntents.search({ query: `metadata['orderId']:'${orderId}'` });
    expect(data).toMatchObject([{ id, status: 'succeeded', metadata: { orderId } }]);
    expect(await failure(confirm(id))).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' });
    expect(await failure(stripe.paymentIntents.cancel(id))).toMatchObject({ code: 'payment_intent_unexpected_state' });
  });

  it('takes nothing from a card that is declined, nor for an intent that is cancelled', async () => {
    const { id } = await create();
    expect(await failure(confirm(id, tokens.declined))).toMatchObject({ statusCode: 402, code: 'card_declined' });
    expect(await stripe.paymentIntents.retrieve(id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined' },
    });
    expect(await stripe.paymentIntents.cancel(id)).toMatchObject({ status: 'canceled' });
    expect(await failure(confirm(id))).toMatchObject({ code: 'payment_intent_unexpected_state' });
    expect(await book()).toMatchObject({ charged: 0, intents: [{ id, status: 'canceled' }] });
  });

  it.each([true, false])('waits for an action of the customer, who succeeds: %s', async (succeeds) => {
    const { id } = await create();
    expect(await confirm(id, tokens.action)).toMatchObject({
      status: 'requires_action',
      next_action: { type: 'redirect_to_url', redirect_to_url: { return_url: 'http://shop' } },
    });
    expect(await fake.account.act(id, succeeds)).toBe(true);
    expect(await fake.account.act(id, succeeds)).toBe(false);
    const { status } = await stripe.paymentIntents.retrieve(id);
    expect(status).toBe(succeeds ? 'succeeded' : 'requires_payment_method');
    expect(await book()).toMatchObject({ charged: succeeds ? 1_999 : 0 });
  });

  it.each([true, false])('has a bank decide later, for the charge: %s', async (succeeds) => {
    const { id } = await create();
    expect(await confirm(id, tokens.undecided)).toMatchObject({ status: 'processing' });
    expect(await failure(stripe.paymentIntents.cancel(id))).toMatchObject({ statusCode: 400 });
    expect(await fake.account.decide(id, succeeds)).toBe(true);
    const { status } = await stripe.paymentIntents.retrieve(id);
    expect(status).toBe(succeeds ? 'succeeded' : 'requires_payment_method');
    expect(await book()).toMatchObject({ charged: succeeds ? 1_999 : 0 });
  });

  it.each([
    [49, 'amount_too_small'],
    [100_000_000, 'amount_too_large'],
    [0, 'parameter_invalid_integer'],
    [1.5, 'parameter_invalid_integer'],
  ])('refuses an intent of %s minor units', async (amount, code) => {
    expect(await failure(create(randomUUID(), amount))).toMatchObject({ statusCode: 400, code });
    expect(await book()).toBeUndefined();
  });

  it('refunds parts, and no more than is left, and notes who asked for more', async () => {
    const { id } = await pay();
    await refund(id, 1_000);
    expect(await failure(refund(id, 1_000))).toMatchObject({ statusCode: 400 });
    await refund(id, 999);
    expect(await failure(refund(id, 1))).toMatchObject({ code: 'charge_already_refunded' });
    expect(await book()).toMatchObject({ charged: 1_999, returned: 1_999 });
    expect(fake.account.excesses).toEqual([
      { orderId, amount: 1_000 },
      { orderId, amount: 1 },
    ]);
    const { data } = await stripe.refunds.list({ payment_intent: id });
    expect(data.map(({ amount, status }) => [amount, status])).toEqual([
      [999, 'succeeded'],
      [1_000, 'succeeded'],
    ]);
  });

  it('has refunds that are pending, and fail: then the money is there again', async () => {
    const { id } = await pay();
    fake.refundsEnd(() => 'later');
    const { id: refundId, status } = await refund(id);
    expect(status).toBe('pending');
    expect(await book()).toMatchObject({ returned: 1_999 });
    fake.account.settleRefund(refundId, 'failed');
    expect(await stripe.refunds.retrieve(refundId)).toMatchObject({ status: 'failed' });
    expect(await book()).toMatchObject({ returned: 0 });
    fake.refundsEnd(() => 'at once');
    await refund(id);
    expect(await book()).toMatchObject({ returned: 1_999 });
  });

  it('has refunds that are made outside the store', async () => {
    const { id } = await pay();
    await fake.account.refund(id, 500, {});
    expect((await stripe.refunds.list({ payment_intent: id })).data).toMatchObject([{ amount: 500, metadata: {} }]);
  });

  it('has disputes before, while and after money is refunded', async () => {
    const { id } = await pay();
    await refund(id, 500);
    const disputeId = (await fake.account.dispute(id)) ?? '';
    expect(await stripe.disputes.retrieve(disputeId)).toMatchObject({ amount: 1_499, status: 'needs_response' });
    expect(await failure(refund(id, 100))).toMatchObject({ code: 'charge_disputed' });
    expect(await book()).toMatchObject({ charged: 1_999, returned: 500, disputed: 1_499 });
    fake.account.closeDispute(disputeId, 'won');
    expect(await book()).toMatchObject({ disputed: 0 });
    await refund(id, 1_499);
    expect(await fake.account.dispute(id)).toBeUndefined();
    expect((await stripe.disputes.list({ payment_intent: id })).data).toMatchObject([{ id: disputeId, status: 'won' }]);
  });

  it('lists events and balance transactions, the newest first, by pages in both directions', async () => {
    const { data: before } = await stripe.events.list({ limit: 1 });
    const { id } = await pay();
    await refund(id, 700);
    const types = ['payment_intent.*', 'refund.created'];
    const { data } = await stripe.events.list({ types, ...(before[0] && { ending_before: before[0].id }) });
    expect(data.map(({ type }) => type)).toEqual([
      'refund.created',
      'payment_intent.succeeded',
      'payment_intent.created',
    ]);
    const first = await stripe.events.list({ types, ending_before: data[2]?.id ?? '', limit: 1 });
    expect([first.has_more, first.data[0]?.id]).toEqual([true, data[1]?.id]);
    const last = await stripe.events.list({ types, starting_after: data[0]?.id ?? '', limit: 1 });
    expect(last.data[0]?.id).toBe(data[1]?.id);
    const since = Math.floor(fake.now() / 1_000) - 10;
    const all = await stripe.balanceTransactions.list({ limit: 2, created: { gte: since }, expand: ['data.source'] });
    expect(all.data.map(({ type, amount }) => [type, amount])).toEqual([
      ['refund', -700],
      ['charge', 1_999],
    ]);
    expect(all.data[1]?.source).toMatchObject({ payment_intent: id });
  });
});

describe('a key', () => {
  it('gets its first answer for 24 hours, and is a new one then', async () => {
    const key = randomUUID();
    const { id } = await create(key);
    fake.advance(86_399_000);
    expect((await create(key)).id).toBe(id);
    fake.advance(2_000);
    expect((await create(key)).id).not.toBe(id);
  });

  it('gets a decline as its answer, too, but no failed validation', async () => {
    const { id } = await create();
    const key = randomUUID();
    for (const _ of [1, 2])
      expect(await failure(confirm(id, tokens.declined, key))).toMatchObject({ code: 'card_declined' });
    const again = randomUUID();
    await failure(create(again, 1));
    expect(await create(again)).toMatchObject({ amount: 1_999 });
  });

  it('is refused for another request', async () => {
    const key = randomUUID();
    await create(key);
    expect(await failure(create(key, 2_000))).toMatchObject({ statusCode: 400, type: 'StripeIdempotencyError' });
  });

  it('is refused while its first request is in progress', async () => {
    const key = randomUUID();
    once({ kind: 'slow', ms: 300 });
    const first = create(key);
    await until('the first request is there', () => fake.calls.at(-1)?.fault === 'slow');
    expect(await failure(create(key))).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    expect((await create(key).catch(() => first)).id).toBe((await first).id);
  });
});

describe('a request meets', () => {
  it.each([false, true])('no answer, with its effect: %s', async (effect) => {
    const { id } = await create();
    once({ kind: 'no answer', effect });
    expect((await failure(confirm(id))).type).toBe('StripeConnectionError');
    expect(await book()).toMatchObject({ charged: effect ? 1_999 : 0 });
  });

  it.each([false, true])('a reset, inside the body if it has its effect: %s', async (effect) => {
    const { id } = await create();
    // The client repeats a request by itself whose connection was reset before an answer.
    fake.meet(() => ({ kind: 'reset', effect }));
    expect((await failure(confirm(id))).type).toBe('StripeConnectionError');
    expect(await book()).toMatchObject({ charged: effect ? 1_999 : 0 });
  });

  it.each([
    ['rate limit', 429],
    ['passing error', 500],
  ] as const)('a %s, after which the same key succeeds', async (kind, statusCode) => {
    const { id } = await create();
    const key = randomUUID();
    once({ kind });
    expect(await failure(confirm(id, tokens.good, key))).toMatchObject({ statusCode });
    expect(await confirm(id, tokens.good, key)).toMatchObject({ status: 'succeeded' });
  });

  it.each([false, true])('an error that is kept for its key, with its effect: %s', async (effect) => {
    const { id } = await create();
    const key = randomUUID();
    once({ kind: 'kept error', effect });
    for (const _ of [1, 2]) expect(await failure(confirm(id, tokens.good, key))).toMatchObject({ statusCode: 500 });
    expect(await book()).toMatchObject({ charged: effect ? 1_999 : 0 });
    await (effect ? failure(confirm(id)) : confirm(id));
    expect(await book()).toMatchObject({ charged: 1_999 });
  });

  it('a forgotten key: repeated, it refunds again, but does not charge again', async () => {
    const { id } = await create();
    const key = randomUUID();
    once({ kind: 'forgotten key' });
    await failure(confirm(id, tokens.good, key));
    expect(await failure(confirm(id, tokens.good, key))).toMatchObject({ code: 'payment_intent_unexpected_state' });
    once({ kind: 'forgotten key' });
    await failure(refund(id, 500, key));
    await refund(id, 500, key);
    expect(await book()).toMatchObject({ charged: 1_999, returned: 1_000 });
  });

  it('404 for what is there, or a search without it, and finds it later', async () => {
    const { id } = await create();
    once({ kind: 'not found yet' });
    expect(await failure(stripe.paymentIntents.retrieve(id))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    expect((await stripe.paymentIntents.retrieve(id)).id).toBe(id);
    const search = () => stripe.paymentIntents.search({ query: `metadata['orderId']:'${orderId}'` });
    once({ kind: 'not found yet' });
    expect((await search()).data).toEqual([]);
    expect((await search()).data).toHaveLength(1);
  });

  it('an answer for another id', async () => {
    const { id } = await create();
    once({ kind: 'other id' });
    expect((await stripe.paymentIntents.retrieve(id)).id).not.toBe(id);
    expect((await stripe.paymentIntents.retrieve(id)).id).toBe(id);
  });

  it('a list that changes while it is read', async () => {
    await pay();
    const first = await stripe.events.list({ limit: 1 });
    once({ kind: 'list changes' });
    await stripe.events.list({ limit: 1 });
    const newer = await stripe.events.list({ ending_before: first.data[0]?.id ?? '' });
    expect(newer.data).toHaveLength(1);
  });

  it('504 in place of no answer, if there is a load balancer', async () => {
    fake.hangFor(50);
    once({ kind: 'no answer', effect: true });
    expect(await failure(create())).toMatchObject({ message: expect.stringContaining('JSON') });
    fake.hangFor(undefined);
    expect(await book()).toMatchObject({ charged: 0 });
  });

  it('nobody while the provider is down', async () => {
    const { id } = await create();
    await fake.down();
    expect((await failure(confirm(id))).type).toBe('StripeConnectionError');
    await fake.up();
    expect(await confirm(id)).toMatchObject({ status: 'succeeded' });
  });

  it('the same faults for the same seed, and all of them', () => {
    const operations = ['create', 'confirm', 'cancel', 'read', 'search', 'refund', 'list'] as const;
    const met = (seed: number) => {
      const plan = randomFaults(seededRandom(seed), 3);
      return Array.from({ length: 2_000 }, (_, index) => plan({ operation: operations[index % 7] ?? 'read', orderId }));
    };
    expect(met(1)).toEqual(met(1));
    expect(met(1)).not.toEqual(met(2));
    const asked = (one: Fault[]) => new Set(one.map((fault) => JSON.stringify(fault)));
    expect(asked(met(1).flatMap((fault) => fault ?? []))).toEqual(asked(operations.flatMap(faultsOf)));
  });
});

describe('callbacks', () => {
  const secret = 'whsec_of_the_store';
  const received: { type: string; isGenuine: boolean }[] = [];
  let url: string;
  beforeAll(async () => {
    url = await serve(async (request, response) => {
      const body = await request.toArray();
      const header = request.headers['stripe-signature'] ?? '';
      try {
        const event = stripe.webhooks.constructEvent(Buffer.concat(body), header, secret);
        received.push({ type: event.type, isGenuine: true });
        response.writeHead(204).end();
      } catch {
        received.push({ type: '', isGenuine: false });
        response.writeHead(400).end();
      }
    });
  });
  beforeEach(() => received.splice(0));
  const types = () => received.map(({ type }) => type);

  it('come before the answer, later, twice or never, signed by the secret', async () => {
    fake.callbacks.sendTo({ url, secret, deliveryOf: () => ({ sent: 'early' }) });
    const { id } = await create();
    expect(types()).toEqual(['payment_intent.created']);
    fake.callbacks.sendTo({ url, secret, deliveryOf: () => ({ sent: 'never' }) });
    await confirm(id);
    fake.callbacks.sendTo({
      url,
      secret,
      deliveryOf: ({ type }) => ({ sent: type === 'refund.created' ? 'twice' : 'never' }),
    });
    await refund(id, 100);
    await until('both are there', () => received.length === 3);
    fake.callbacks.sendTo({ url, secret });
    await refund(id, 100);
    await until('the late ones are there', () => received.length === 5);
    expect(types().toSorted()).toEqual([
      'charge.refunded',
      'payment_intent.created',
      ...Array(3).fill('refund.created'),
    ]);
    expect(received.every(({ isGenuine }) => isGenuine)).toBe(true);
  });

  it('are refused if they are forged, or signed too long ago', async () => {
    fake.callbacks.sendTo({ url, secret });
    const [event] = fake.account.events;
    if (event === undefined) throw new Error('There is no event.');
    expect(await fake.callbacks.forge(event)).toBe(400);
    fake.advance(Date.now() - fake.now() - 3_600_000);
    expect(await fake.callbacks.replay(event)).toBe(400);
    expect(received.some(({ isGenuine }) => isGenuine)).toBe(false);
  });
});
