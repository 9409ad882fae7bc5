import { randomUUID } from 'node:crypto';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { unavailable } from '@store/shared/values/errors';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { aboveLimit, alice, fakeProvider, orderCancelled, stockReserved, testPayments } from './_payments.ts';

const now = new Date('2026-03-04T05:06:07.089Z');

let database: TestDatabase;
let provider: ReturnType<typeof fakeProvider>;
let payment: ReturnType<typeof testPayments>;
let orderId: string;

beforeAll(async () => {
  database = await createTestDatabase('payment');
});
afterAll(() => database.drop());

beforeEach(() => {
  provider = fakeProvider();
  payment = testPayments(database.url, { provider, clock: () => now });
  orderId = randomUUID();
});
afterEach(() => payment.close());

const lost = async () => {
  throw new Error('the answer is lost');
};
const answered = async () => undefined;

/** Everything about the order: that it stays the same, or what became of it. */
const state = async () => ({ status: await payment.statusOf(orderId), kinds: await payment.kinds(orderId) });

describe('StockReserved', () => {
  it('is paid: OrderPaid in the outbox, in the same trace, and the relay is rung', async () => {
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    let rings = 0;
    listener.on('notification', () => {
      rings += 1;
    });
    await listener.query('listen outbox');

    const trace = traceFrom(undefined);
    await payment.apply(runInTrace(trace, () => stockReserved(orderId, '890.1234')));
    const { paymentId } = await payment.prisma.payment.findUniqueOrThrow({ where: { orderId } });
    const [event, ...others] = await payment.told(orderId);
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
    await until('the relay is rung', () => rings === 1);
    await listener.end();
  });

  it('is refused above the limit: PaymentFailed with the reason, and nothing is taken', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    const [event, ...others] = await payment.told(orderId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      kind: 'PaymentFailed',
      payload: { orderId, customerId: alice, timestamp: now.toISOString(), reason: 'the total is above 1000' },
    });
    expect(await payment.statusOf(orderId)).toBe('FAILED');
    expect(provider.holds(orderId)).toBe(false);
  });

  it('keeps every digit of the largest amount, and takes nothing at all where nothing is due', async () => {
    const largest = `${'9'.repeat(24)}.9999`;
    provider = fakeProvider(largest);
    await payment.close();
    payment = testPayments(database.url, { provider });
    await payment.apply(stockReserved(orderId, largest));
    const row = await payment.prisma.outbox.findFirstOrThrow({ where: { key: orderId } });
    expect(row.payload).toContain(`"amount":{"amount":${largest},"currency":"USD"}`);
    await payment.apply(orderCancelled(orderId));
    const rows = await payment.prisma.outbox.findMany({ where: { key: orderId, kind: 'PaymentRefunded' } });
    expect(rows[0]?.payload).toContain(`"amount":{"amount":${largest},"currency":"USD"}`);

    orderId = randomUUID();
    await payment.apply(stockReserved(orderId, '0'));
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('again, with its own id or another, changes nothing', async () => {
    const event = stockReserved(orderId);
    await payment.apply(event);
    await payment.apply(event);
    await payment.apply(stockReserved(orderId));
    await payment.apply(stockReserved(orderId, aboveLimit));
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
    expect(provider.charges).toEqual([orderId]);
  });

  it('again after a refusal is not charged', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    await payment.apply(stockReserved(orderId, '1'));
    expect(await state()).toEqual({ status: 'FAILED', kinds: ['PaymentFailed'] });
    expect(provider.charges).toEqual([orderId]);
  });
});

describe('OrderCancelled', () => {
  it('refunds what was paid: PaymentRefunded once, however often it comes', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await payment.apply(event);
    const [paid, refunded] = await payment.told(orderId);
    expect(refunded).toMatchObject({ kind: 'PaymentRefunded', payload: { ...paid?.payload } });
    expect(provider.holds(orderId)).toBe(false);

    await payment.apply(event);
    await payment.apply(orderCancelled(orderId));
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
    expect(provider).toMatchObject({ charges: [orderId], refunds: [orderId] });
  });

  it('before StockReserved: the order is never charged, and nothing is told', async () => {
    await payment.apply(orderCancelled(orderId));
    await payment.apply(orderCancelled(orderId));
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual({ status: 'CANCELLED', kinds: [] });
    expect(provider).toMatchObject({ charges: [], refunds: [] });
  });

  it('after a refusal gives nothing back', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual({ status: 'FAILED', kinds: ['PaymentFailed'] });
    expect(provider.refunds).toEqual([]);
  });
});

describe('whatever is cut off is done again, with the same outcome', () => {
  it('charged, and the answer lost', async () => {
    const event = stockReserved(orderId);
    provider.afterCharge = lost;
    await expect(payment.apply(event)).rejects.toThrow('lost');
    expect(await state()).toEqual({ status: 'CHARGING', kinds: [] });
    provider.afterCharge = answered;
    await payment.apply(event);
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('charged, and not stored: the same payment', async () => {
    const event = stockReserved(orderId);
    await payment.applyAndCrash(event);
    expect(await state()).toEqual({ status: 'CHARGING', kinds: [] });
    await payment.apply(event);
    await payment.apply(event);
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('refunded, and not stored; refunded, and the answer lost', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await payment.applyAndCrash(event);
    provider.afterRefund = lost;
    await expect(payment.apply(event)).rejects.toThrow('lost');
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
    provider.afterRefund = answered;
    await payment.apply(event);
    await payment.apply(event);
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
  });

  it('charged, given up, and then cancelled: what was taken goes back; handed back later, it is not charged', async () => {
    const event = stockReserved(orderId);
    await payment.applyAndCrash(event);
    const cancelled = orderCancelled(orderId);
    await payment.applyAndCrash(cancelled);
    await payment.apply(cancelled);
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
    expect(provider.holds(orderId)).toBe(false);
    const { charges } = provider;
    const before = charges.length;
    await payment.apply(event);
    expect(charges).toHaveLength(before);
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
  });

  it('refused, given up, and then cancelled: nothing goes back', async () => {
    await payment.applyAndCrash(stockReserved(orderId, aboveLimit));
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual({ status: 'FAILED', kinds: ['PaymentFailed'] });
    expect(provider.refunds).toEqual([]);
  });

  it('a provider that is away leaves the event waiting', async () => {
    provider.afterCharge = () => Promise.reject(unavailable('The payment provider'));
    await expect(payment.apply(stockReserved(orderId))).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
