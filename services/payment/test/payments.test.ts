import { randomUUID } from 'node:crypto';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { ConfigError, readConfig } from '@store/shared/values/environment';
import { uuid } from '@store/shared/values/fields';
import { Decimal } from '@store/shared/values/money';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { createBuiltInProvider } from '../src/built-in-provider.ts';
import { configSchema } from '../src/config.ts';
import { aboveLimit, alice, fakeProvider, orderCancelled, stockReserved, testPayments } from './_payments.ts';

const now = new Date('2026-03-04T05:06:07.089Z');

let provider: ReturnType<typeof fakeProvider>;
let orderId: string;

beforeEach(() => {
  provider = fakeProvider();
  orderId = randomUUID();
});

const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url, { provider, clock: () => now }), 'each');

const loseResponse = () => Promise.reject(new Error('the response is lost'));
const respond = async () => undefined;

const state = () => payment.stateOf(orderId);
const paid = ['PAID', 'OrderPaid'];
const failed = ['FAILED', 'PaymentFailed'];
const refunded = ['REFUNDED', 'OrderPaid', 'PaymentRefunded'];

describe('payment on StockReserved', () => {
  it('charges, and writes OrderPaid to the outbox within the same trace', async () => {
    const trace = traceFrom(undefined);
    await payment.apply(runInTrace(trace, () => stockReserved(orderId, '890.1234')));
    expect(await state()).toEqual(paid);
    const { paymentId } = await payment.prisma.payment.findUniqueOrThrow({ where: { orderId } });
    const [event] = await payment.eventsOf(orderId);
    expect(event?.payload).toEqual({
      orderId,
      customerId: alice,
      paymentId,
      timestamp: now.toISOString(),
      amount: { amount: 890.1234, currency: 'USD' },
    });
    expect(event?.traceparent).toContain(trace.traceId);
  });

  it('above the limit publishes PaymentFailed with the reason and charges nothing', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    expect(await state()).toEqual(failed);
    const [event] = await payment.eventsOf(orderId);
    const reason = 'the total is above 1000';
    expect(event?.payload).toEqual({ orderId, customerId: alice, timestamp: now.toISOString(), reason });
    expect(provider.holds(orderId)).toBe(false);
  });

  it('keeps every digit of the largest amount, and succeeds for an amount of 0', async () => {
    const largest = `${'9'.repeat(24)}.9999`;
    const rich = database.closeLater(testPayments(database.url, { provider: fakeProvider(largest) }));
    await rich.apply(stockReserved(orderId, largest));
    await rich.apply(orderCancelled(orderId));
    const rows = await payment.prisma.outbox.findMany({ where: { key: orderId } });
    expect(rows.map(({ kind }) => kind)).toEqual(['OrderPaid', 'PaymentRefunded']);
    for (const { payload } of rows) expect(payload).toContain(`"amount":{"amount":${largest},"currency":"USD"}`);

    orderId = randomUUID();
    await payment.apply(stockReserved(orderId, '0'));
    expect(await state()).toEqual(paid);
  });

  it('changes nothing if it is repeated with the same or another event id, even after a decline', async () => {
    const event = stockReserved(orderId);
    await payment.apply(event);
    for (const again of [event, stockReserved(orderId), stockReserved(orderId, aboveLimit)]) await payment.apply(again);
    expect(await state()).toEqual(paid);
    expect(provider.charges).toEqual([orderId]);

    orderId = randomUUID();
    await payment.apply(stockReserved(orderId, aboveLimit));
    await payment.apply(stockReserved(orderId, '1'));
    expect(await state()).toEqual(failed);
    expect(provider.holds(orderId)).toBe(false);
  });
});

describe('payment on OrderCancelled', () => {
  it('of a paid order refunds once and publishes PaymentRefunded once, even if it is repeated', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await payment.apply(event);
    const [first, second] = await payment.eventsOf(orderId);
    expect(second?.payload).toEqual(first?.payload);
    expect(provider.holds(orderId)).toBe(false);

    for (const again of [event, orderCancelled(orderId), stockReserved(orderId)]) await payment.apply(again);
    expect(await state()).toEqual(refunded);
    expect(provider).toMatchObject({ charges: [orderId], refunds: [orderId] });
  });

  it('after a decline refunds nothing, even if the process crashed after the decline', async () => {
    const [declined, crashed] = [randomUUID(), randomUUID()];
    await payment.apply(stockReserved(declined, aboveLimit));
    await payment.applyAndCrash(stockReserved(crashed, aboveLimit));
    for (const id of [declined, crashed]) {
      await payment.apply(orderCancelled(id));
      expect(await payment.stateOf(id)).toEqual(failed);
    }
    expect(provider.refunds).toEqual([]);
  });
});

// chunks.test.ts covers a crash between charge and commit.
describe('interrupted payment', () => {
  it('is completed after the response to the charge was lost', async () => {
    const event = stockReserved(orderId);
    provider.afterCharge = loseResponse;
    await expect(payment.apply(event)).rejects.toThrow('lost');
    expect(await state()).toEqual(['CHARGING']);
    provider.afterCharge = respond;
    await payment.apply(event);
    expect(await state()).toEqual(paid);
  });

  it('is refunded once after a crash and a lost response to the refund', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await payment.applyAndCrash(event);
    provider.afterRefund = loseResponse;
    await expect(payment.apply(event)).rejects.toThrow('lost');
    expect(await state()).toEqual(paid);
    provider.afterRefund = respond;
    await payment.apply(event);
    await payment.apply(event);
    expect(await state()).toEqual(refunded);
  });

  it('is refunded when cancelled after a crash, and a redriven StockReserved is not charged again', async () => {
    const event = stockReserved(orderId);
    await payment.applyAndCrash(event);
    const cancelled = orderCancelled(orderId);
    await payment.applyAndCrash(cancelled);
    await payment.apply(cancelled);
    expect(await state()).toEqual(refunded);
    expect(provider.holds(orderId)).toBe(false);
    const before = provider.charges.length;
    await payment.apply(event);
    expect(provider.charges).toHaveLength(before);
    expect(await state()).toEqual(refunded);
  });
});

describe('the built-in provider', () => {
  const charge = (amount: string, limit = '100000', orderId: string = randomUUID()) => {
    const money = { amount: new Decimal(amount), currency: 'USD' };
    return createBuiltInProvider(new Decimal(limit)).charge({ orderId, customerId: alice, amount: money });
  };
  const largest = '99999999999999999999999.9999';

  it.each([
    ['100000.0000', '100000', true],
    ['100000.0001', '100000', false],
    ['0', '0', true],
    ['0.0001', '0', false],
    [largest, largest, true],
    ['100000000000000000000000', largest, false],
  ])('with an amount of %s and a limit of %s charges: %s', async (amount, limit, ok) => {
    expect(await charge(amount, limit)).toMatchObject({ ok });
  });

  it('returns the same payment id for the same order, and a different id for another order', async () => {
    const [first, again, other] = [await charge('1', '2', orderId), await charge('1', '2', orderId), await charge('1')];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    const { paymentId = '' } = first as { paymentId?: string };
    expect(uuid.parse(paymentId)).toBe(paymentId);
    expect(paymentId).toMatch(/^.{14}8.{4}[89ab]/);
  });
});

describe('PAYMENT_DECLINE_ABOVE', () => {
  const read = (env: object = {}) =>
    readConfig(configSchema, { DATABASE_URL: 'postgresql://u:p@h/d', KAFKA_BROKERS: 'h:1', ...env });

  it('defaults to 100000 and accepts an exact decimal', () => {
    expect(read().PAYMENT_DECLINE_ABOVE.toFixed()).toBe('100000');
    const exact = '123456789012345678901234.5678';
    expect(read({ PAYMENT_DECLINE_ABOVE: exact }).PAYMENT_DECLINE_ABOVE.toFixed()).toBe(exact);
  });

  it.each(['-1', '1e5', '1,000', 'none', '1.00001', ' 1', 'Infinity'])('rejects "%s"', (PAYMENT_DECLINE_ABOVE) => {
    expect(() => read({ PAYMENT_DECLINE_ABOVE })).toThrow(ConfigError);
    expect(() => read({ PAYMENT_DECLINE_ABOVE })).toThrow('PAYMENT_DECLINE_ABOVE');
  });
});
