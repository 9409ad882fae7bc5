import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Declined, KeyIsSpent } from '../src/providers/provider.ts';
import { createStripeProvider } from '../src/providers/stripe-provider.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: object;
}

const asked: { method: string; path: string; form: Record<string, string>; headers: IncomingHttpHeaders }[] = [];
let answers: Record<string, Answer | Answer[]> = {};
let server: Server;
let stripe: ReturnType<typeof createStripeProvider>;

/** Answers by method and path, as Stripe would. */
beforeAll(async () => {
  server = createServer(async (req, res) => {
    const url = new URL(req.url ?? '', 'http://stripe');
    const form = Object.fromEntries(new URLSearchParams(req.method === 'GET' ? url.search : await text(req)));
    asked.push({ method: req.method ?? '', path: url.pathname, form, headers: req.headers });
    const given = answers[`${req.method} ${url.pathname}`];
    const answer = Array.isArray(given) ? given.shift() : given;
    const {
      status = 200,
      headers,
      body,
    } = answer ?? { status: 404, body: { error: { type: 'invalid_request_error' } } };
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stripe = createStripeProvider({ secretKey: 'sk_test_of_nobody', webhookSecret: 'whsec_of_nobody', url });
});
afterAll(() => server.closeAllConnections());
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  asked.splice(0);
  answers = {};
});

const orderId = '0de70000-3a52-4d0f-9f0e-0d8a55a1c001';
const intent = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 1275,
  currency: 'usd',
  metadata: { orderId },
  status: 'requires_payment_method',
  last_payment_error: null,
  next_action: null,
  latest_charge: null,
  client_secret: 'pi_1_secret_never_shown',
};
const input = { orderId, amount: 1275n, currency: 'USD', key: 'key-1', stepId: 'step-1' };
const confirmation = { ...input, intentId: 'pi_1', token: 'pm_1', returnUrl: 'https://shop.example/#/orders/1' };
const refund = { key: 'key-2', stepId: 'step-2', intentId: 'pi_1', amount: 500n, currency: 'USD' };
const failure = (status: number, error: object, headers = {}) => ({ status, headers, body: { error } });
const create = () => {
  if ('intentIdOf' in stripe) throw new Error('Stripe makes ids itself');
  return stripe.createIntent(input);
};

describe('createIntent', () => {
  it('sends amount, currency, order and step under the key, and no telemetry', async () => {
    answers = { 'POST /v1/payment_intents': { body: intent } };
    expect(await create()).toMatchObject({ id: 'pi_1', orderId, amount: 1275n, currency: 'USD', state: 'unconfirmed' });
    const [{ form, headers } = { form: {}, headers: {} as IncomingHttpHeaders }] = asked;
    expect(form).toMatchObject({
      amount: '1275',
      currency: 'usd',
      'metadata[orderId]': orderId,
      'metadata[stepId]': 'step-1',
    });
    expect(headers).toMatchObject({ 'idempotency-key': 'key-1', authorization: 'Bearer sk_test_of_nobody' });
    expect(headers).not.toHaveProperty('x-stripe-client-telemetry');
  });

  it.each([
    ['JPY', 700n, '700'],
    ['KWD', 4250n, '4250'],
    // Stripe has two decimals for ISK, and none for MGA.
    ['ISK', 700n, '70000'],
    ['MGA', 70_000n, '700'],
  ])('sends %s %s as %s, and reads it as it was', async (currency, amount, sent) => {
    const body = { ...intent, amount: Number(sent), currency: currency.toLowerCase() };
    answers = { 'POST /v1/payment_intents': { body } };
    if ('intentIdOf' in stripe) throw new Error('Stripe makes ids itself');
    expect(await stripe.createIntent({ ...input, amount, currency })).toMatchObject({ amount, currency });
    expect(asked[0]?.form.amount).toBe(sent);
  });

  it.each([
    ['KWD', 4251n],
    ['MGA', 70_001n],
    ['USD', 10n ** 20n],
  ])('declines %s %s, which Stripe cannot express, without asking', async (currency, amount) => {
    if ('intentIdOf' in stripe) throw new Error('Stripe makes ids itself');
    await expect(stripe.createIntent({ ...input, amount, currency })).rejects.toThrow(Declined);
    expect(asked).toEqual([]);
  });

  it.each([
    ['amount_too_small', 'the total is below the smallest that the payment provider takes'],
    ['amount_too_large', 'the total is above the largest that the payment provider takes'],
  ])('is declined, not repeated for ever, for %s', async (code, sentence) => {
    answers = { 'POST /v1/payment_intents': failure(400, { type: 'invalid_request_error', code, param: 'amount' }) };
    const error = await create().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Declined);
    expect(error).toMatchObject({ message: sentence });
  });
});

describe('a failure', () => {
  it.each([
    ['a stored 500', failure(500, { type: 'api_error' }, { 'idempotent-replayed': 'true' }), KeyIsSpent],
    ['another body', failure(400, { type: 'idempotency_error' }), KeyIsSpent],
    ['a 500', failure(500, { type: 'api_error' }), Error],
    ['a request in progress', failure(409, { type: 'invalid_request_error', code: 'idempotency_key_in_use' }), Error],
    ['too many requests', failure(429, { type: 'invalid_request_error', code: 'rate_limit' }), Error],
    ['a wrong key', failure(401, { type: 'invalid_request_error' }), Error],
    ['a key with too few rights', failure(403, { type: 'invalid_request_error' }), Error],
  ])('by %s is no decline, and is asked once', async (_, answer, kind) => {
    answers = {
      'POST /v1/payment_intents': answer,
      'POST /v1/refunds': answer,
      'POST /v1/payment_intents/pi_1/confirm': answer,
    };
    for (const call of [create, () => stripe.confirm(confirmation), () => stripe.refund(refund)]) {
      const error = await call().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(kind);
      expect(error).not.toBeInstanceOf(Declined);
      expect(error instanceof KeyIsSpent).toBe(kind === KeyIsSpent);
    }
    expect(asked).toHaveLength(3);
  });

  it('has nothing in it that is secret', async () => {
    const error = { type: 'api_error', message: 'sk_test_of_nobody', payment_intent: intent };
    answers = { 'POST /v1/payment_intents': failure(500, error) };
    const thrown = await create().catch((error: unknown) => error);
    const { inspect } = await import('node:util');
    expect(inspect(thrown, { depth: 20 })).not.toMatch(/secret|sk_test/);
  });
});

describe('confirm', () => {
  const path = 'POST /v1/payment_intents/pi_1/confirm';

  it('sends the token, and where the customer returns, under a key of its own', async () => {
    answers = { [path]: { body: { ...intent, status: 'succeeded', latest_charge: 'ch_1' } } };
    expect(await stripe.confirm(confirmation)).toMatchObject({ id: 'pi_1', state: 'captured' });
    expect(asked[0]).toMatchObject({
      form: { payment_method: 'pm_1', return_url: confirmation.returnUrl },
      headers: { 'idempotency-key': 'key-1-confirm' },
    });
  });

  it('that needs an action has its URL', async () => {
    const next_action = { type: 'redirect_to_url', redirect_to_url: { url: 'https://bank.example/3ds' } };
    answers = { [path]: { body: { ...intent, status: 'requires_action', next_action } } };
    expect(await stripe.confirm(confirmation)).toMatchObject({
      state: 'action',
      actionUrl: 'https://bank.example/3ds',
    });
  });

  it('that the card refuses is a decline with its code', async () => {
    const declined = { ...intent, last_payment_error: { code: 'card_declined', decline_code: 'insufficient_funds' } };
    answers = {
      [path]: failure(402, { type: 'card_error', code: 'card_declined', payment_intent: declined }),
      'GET /v1/payment_intents/pi_1': { body: declined },
    };
    expect(await stripe.confirm(confirmation)).toMatchObject({
      state: 'declined',
      reason: 'the payment was declined (insufficient funds)',
    });
  });

  it('with an unknown token is a decline', async () => {
    answers = {
      [path]: failure(400, { type: 'invalid_request_error', code: 'resource_missing', param: 'payment_method' }),
      'GET /v1/payment_intents/pi_1': { body: intent },
    };
    expect(await stripe.confirm(confirmation)).toMatchObject({ state: 'declined' });
  });

  it('of an intent that is confirmed already reads what became of it', async () => {
    answers = {
      [path]: failure(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state' }),
      'GET /v1/payment_intents/pi_1': { body: { ...intent, status: 'processing' } },
    };
    expect(await stripe.confirm(confirmation)).toMatchObject({ state: 'processing' });
  });
});

describe('refund', () => {
  const path = 'POST /v1/refunds';
  const refused = { id: 'refused-step-2', stepId: 'step-2', amount: 500n, state: 'failed' };

  it.each([
    { code: 'charge_already_refunded' },
    { code: 'charge_disputed' },
    // More than is left.
    { param: 'amount' },
  ])('that Stripe refuses by %j has failed', async (error) => {
    answers = { [path]: failure(400, { type: 'invalid_request_error', ...error }) };
    expect(await stripe.refund(refund)).toEqual(refused);
  });

  it.each([
    [400, { message: 'This PaymentIntent does not have a successful charge to refund.' }],
    [400, { code: 'parameter_unknown', param: 'metadata' }],
    [404, { code: 'resource_missing', param: 'payment_intent' }],
  ])('that is answered %s, %j is not known to have failed', async (status, error) => {
    answers = { [path]: failure(status, { type: 'invalid_request_error', ...error }) };
    await expect(stripe.refund(refund)).rejects.toThrow(`Stripe answered ${status}`);
  });

  it('of an amount that Stripe cannot express has failed, without asking', async () => {
    expect(await stripe.refund({ ...refund, amount: 501n, currency: 'KWD' })).toEqual({ ...refused, amount: 501n });
    expect(asked).toEqual([]);
  });
});

const list = (data: object[]) => ({ body: { object: 'list', url: '/', has_more: false, data } });

it('reads refunds by their steps, and disputes that move money', async () => {
  const of = { currency: 'usd', payment_intent: 'pi_1' };
  answers = {
    'GET /v1/payment_intents/pi_1': {
      body: { ...intent, status: 'succeeded', latest_charge: { id: 'ch_1', object: 'charge', disputed: true } },
    },
    'GET /v1/refunds': list([
      { id: 're_1', ...of, amount: 500, status: 'succeeded', metadata: { stepId: 'step-2' } },
      { id: 're_2', ...of, amount: 100, status: 'failed', metadata: {} },
    ]),
    'GET /v1/disputes': list([
      { id: 'dp_1', ...of, amount: 1275, status: 'under_review' },
      { id: 'dp_2', ...of, amount: 1275, status: 'warning_needs_response' },
    ]),
  };
  expect(await stripe.read('pi_1')).toMatchObject({
    state: 'captured',
    refunds: [
      { id: 're_1', stepId: 'step-2', amount: 500n, state: 'succeeded' },
      { id: 're_2', stepId: undefined, amount: 100n, state: 'failed' },
    ],
    disputes: [{ id: 'dp_1', amount: 1275n, state: 'open' }],
  });
});

it('believes no list of refunds of another intent', async () => {
  answers = {
    'GET /v1/payment_intents/pi_1': { body: { ...intent, status: 'succeeded', latest_charge: null } },
    'GET /v1/refunds': list([{ id: 're_1', amount: 1, currency: 'usd', status: 'succeeded', payment_intent: 'pi_2' }]),
  };
  await expect(stripe.read('pi_1')).rejects.toThrow('another intent');
});

it('lists changes since a cursor, and again what is just before it: events may be shown late, and the caller may have crashed', async () => {
  const event = (id: string, type: string, created: number, object: object) => ({
    id,
    object: 'event',
    type,
    created,
    data: { object },
  });
  const first = event('evt_1', 'payment_intent.succeeded', 1_000, { id: 'pi_1' });
  const second = event('evt_2', 'charge.dispute.created', 900, { id: 'dp_1', payment_intent: 'pi_2' });
  const page = (data: object[]) => ({ body: { object: 'list', url: '/v1/events', has_more: false, data } });
  answers = { 'GET /v1/events': [page([first]), page([first, second])] };
  expect(await stripe.changesSince('950')).toEqual({ changes: [{ intentId: 'pi_1', of: 'payment' }], cursor: '1000' });
  expect(await stripe.changesSince('1000')).toEqual({
    changes: [
      { intentId: 'pi_1', of: 'payment' },
      { intentId: 'pi_2', of: 'captured' },
    ],
    cursor: '1000',
  });
  expect(asked.map(({ form }) => form['created[gte]'])).toEqual(['650', '700']);
});

it('lists what moved money, in the amounts of charges and refunds', async () => {
  const entry = (id: string, net: number, source: object | null) => ({ id, created: 1_000, net, source });
  const data = [
    entry('txn_1', 1200, { object: 'charge', amount: 1275, currency: 'usd', payment_intent: 'pi_1' }),
    entry('txn_2', -480, {
      object: 'refund',
      amount: 500,
      currency: 'usd',
      payment_intent: 'pi_1',
      metadata: { stepId: 'step-2' },
    }),
    entry('txn_3', -1290, { object: 'dispute', amount: 1275, currency: 'usd', payment_intent: 'pi_1' }),
    entry('txn_4', -9_000, { object: 'payout', amount: 9_000, currency: 'usd' }),
  ];
  answers = { 'GET /v1/balance_transactions': { body: { object: 'list', url: '/', has_more: true, data } } };
  const page = await stripe.transactions?.({ from: new Date(0), to: new Date(2_000_000) });
  expect(page?.transactions).toMatchObject([
    { kind: 'charge', amount: 1275n, intentId: 'pi_1' },
    { kind: 'refund', amount: -500n, stepId: 'step-2' },
    { kind: 'dispute', amount: -1275n },
  ]);
  expect(page?.next).toBe('txn_4');
});
