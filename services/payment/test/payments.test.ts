import { randomUUID } from 'node:crypto';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { ConfigError, readConfig } from '@store/shared/values/environment';
import { unavailable } from '@store/shared/values/errors';
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

const loseResponse = async () => {
  throw new Error('the response is lost');
};
const respond = async () => undefined;

/** The payment's status and the published kinds. */
const state = async () => [await payment.statusOf(orderId), ...(await payment.kinds(orderId))];
const paid = ['PAID', 'OrderPaid'];
const failed = ['FAILED', 'PaymentFailed'];
const refunded = ['REFUNDED', 'OrderPaid', 'PaymentRefunded'];

describe('payment on StockReserved', () => {
  it('charges, and writes OrderPaid to the outbox within the same trace', async () => {
    const trace = traceFrom(undefined);
    await payment.apply(runInTrace(trace, () => stockReserved(orderId, '890.1234')));
    const { paymentId } = await payment.prisma.payment.findUniqueOrThrow({ where: { orderId } });
    const [event, ...others] = await payment.eventsOf(orderId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      kind: 'OrderPaid',
      payload: {
        orderId,
        customerId: alice,
        paymentId,
        timestamp: now.toISOString(),
        amount: { amount: expect.anything(), currency: 'USD' },
      },
      traceparent: expect.stringContaining(trace.traceId),
    });
    expect(JSON.stringify(event?.payload)).toContain('"amount":"890.1234"');
    expect(await payment.statusOf(orderId)).toBe('PAID');
  });

  it('above the limit publishes PaymentFailed with the reason and charges nothing', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    const [event, ...others] = await payment.eventsOf(orderId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      kind: 'PaymentFailed',
      payload: { orderId, customerId: alice, timestamp: now.toISOString(), reason: 'the total is above 1000' },
    });
    expect(await payment.statusOf(orderId)).toBe('FAILED');
    expect(provider.holds(orderId)).toBe(false);
  });

  it('keeps every digit of the largest amount, and succeeds for an amount of 0', async () => {
    const largest = `${'9'.repeat(24)}.9999`;
    provider = fakeProvider(largest);
    await payment.close();
    Object.assign(payment, testPayments(database.url, { provider }));
    await payment.apply(stockReserved(orderId, largest));
    const row = await payment.prisma.outbox.findFirstOrThrow({ where: { key: orderId } });
    expect(row.payload).toContain(`"amount":{"amount":${largest},"currency":"USD"}`);
    await payment.apply(orderCancelled(orderId));
    const rows = await payment.prisma.outbox.findMany({ where: { key: orderId, kind: 'PaymentRefunded' } });
    expect(rows[0]?.payload).toContain(`"amount":{"amount":${largest},"currency":"USD"}`);

    orderId = randomUUID();
    await payment.apply(stockReserved(orderId, '0'));
    expect(await state()).toEqual(paid);
  });

  it('repeated under the same or another event id changes nothing', async () => {
    const event = stockReserved(orderId);
    await payment.apply(event);
    await payment.apply(event);
    await payment.apply(stockReserved(orderId));
    await payment.apply(stockReserved(orderId, aboveLimit));
    expect(await state()).toEqual(paid);
    expect(provider.charges).toEqual([orderId]);
  });

  it('repeated after a decline is not charged', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    await payment.apply(stockReserved(orderId, '1'));
    expect(await state()).toEqual(failed);
    expect(provider.charges).toEqual([orderId]);
  });
});

describe('payment on OrderCancelled', () => {
  it('of a paid order refunds once and publishes PaymentRefunded, however often it is repeated', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await payment.apply(event);
    const [first, second] = await payment.eventsOf(orderId);
    expect(second).toMatchObject({ kind: 'PaymentRefunded', payload: { ...first?.payload } });
    expect(provider.holds(orderId)).toBe(false);

    await payment.apply(event);
    await payment.apply(orderCancelled(orderId));
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(refunded);
    expect(provider).toMatchObject({ charges: [orderId], refunds: [orderId] });
  });

  it('before StockReserved prevents the charge and publishes nothing', async () => {
    await payment.apply(orderCancelled(orderId));
    await payment.apply(orderCancelled(orderId));
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(['CANCELLED']);
    expect(provider).toMatchObject({ charges: [], refunds: [] });
  });

  it('after a decline refunds nothing', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual(failed);
    expect(provider.refunds).toEqual([]);
  });
});

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

  it('is completed once after a crash between charge and commit', async () => {
    const event = stockReserved(orderId);
    await payment.applyAndCrash(event);
    expect(await state()).toEqual(['CHARGING']);
    await payment.apply(event);
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
    const { charges } = provider;
    const before = charges.length;
    await payment.apply(event);
    expect(charges).toHaveLength(before);
    expect(await state()).toEqual(refunded);
  });

  it('is not refunded when it was declined before a crash', async () => {
    await payment.applyAndCrash(stockReserved(orderId, aboveLimit));
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual(failed);
    expect(provider.refunds).toEqual([]);
  });

  it('fails as unavailable while the provider is', async () => {
    provider.afterCharge = () => Promise.reject(unavailable('The payment provider'));
    await expect(payment.apply(stockReserved(orderId))).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('the built-in provider', () => {
  const charge = (amount: string, limit = '100000', orderId: string = randomUUID()) =>
    createBuiltInProvider(new Decimal(limit)).charge({
      orderId,
      customerId: alice,
      amount: { amount: new Decimal(amount), currency: 'USD' },
    });

  it.each([
    ['100000', '100000', true],
    ['100000.0000', '100000', true],
    ['100000.0001', '100000', false],
    ['0', '0', true],
    ['0.0001', '0', false],
    ['99999999999999999999999.9999', '99999999999999999999999.9999', true],
    ['100000000000000000000000', '99999999999999999999999.9999', false],
  ])('with an amount of %s and a limit of %s charges: %s', async (amount, limit, ok) => {
    expect(await charge(amount, limit)).toMatchObject({ ok });
  });

  it('returns the same payment id for an order, and another for another order', async () => {
    const orderId = randomUUID();
    const [first, again, other] = [await charge('1', '2', orderId), await charge('1', '2', orderId), await charge('1')];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    if (!first.ok) throw new Error(first.reason);
    expect(uuid.parse(first.paymentId)).toBe(first.paymentId);
    expect(first.paymentId).toMatch(/^.{14}8.{4}[89ab]/);
  });
});

describe('PAYMENT_DECLINE_ABOVE', () => {
  const given = { DATABASE_URL: 'postgresql://u:p@h/d', KAFKA_BROKERS: 'h:1' };

  it('defaults to 100000 and accepts an exact decimal', () => {
    expect(readConfig(configSchema, given).PAYMENT_DECLINE_ABOVE.toFixed()).toBe('100000');
    const exact = { ...given, PAYMENT_DECLINE_ABOVE: '123456789012345678901234.5678' };
    expect(readConfig(configSchema, exact).PAYMENT_DECLINE_ABOVE.toFixed()).toBe('123456789012345678901234.5678');
  });

  it.each(['DATABASE_URL', 'KAFKA_BROKERS', 'PAYMENT_DECLINE_ABOVE'])(
    'is named with %s among all that is invalid',
    (name) => {
      const env = { DATABASE_URL: '', KAFKA_BROKERS: 'nowhere', PAYMENT_DECLINE_ABOVE: 'much' };
      expect(() => readConfig(configSchema, env)).toThrow(name);
    },
  );

  it.each(['-1', '1e5', '1,000', 'none', '1.00001', ' 1', 'Infinity'])('rejects "%s"', (PAYMENT_DECLINE_ABOVE) => {
    expect(() => readConfig(configSchema, { ...given, PAYMENT_DECLINE_ABOVE })).toThrow(ConfigError);
  });
});
