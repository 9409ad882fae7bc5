import { randomUUID } from 'node:crypto';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { unavailable } from '@store/shared/values/errors';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
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
const state = async () => ({ status: await payment.statusOf(orderId), kinds: await payment.kinds(orderId) });

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
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('repeated under the same or another event id changes nothing', async () => {
    const event = stockReserved(orderId);
    await payment.apply(event);
    await payment.apply(event);
    await payment.apply(stockReserved(orderId));
    await payment.apply(stockReserved(orderId, aboveLimit));
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
    expect(provider.charges).toEqual([orderId]);
  });

  it('repeated after a decline is not charged', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    await payment.apply(stockReserved(orderId, '1'));
    expect(await state()).toEqual({ status: 'FAILED', kinds: ['PaymentFailed'] });
    expect(provider.charges).toEqual([orderId]);
  });
});

describe('payment on OrderCancelled', () => {
  it('of a paid order refunds once and publishes PaymentRefunded, however often it is repeated', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await payment.apply(event);
    const [paid, refunded] = await payment.eventsOf(orderId);
    expect(refunded).toMatchObject({ kind: 'PaymentRefunded', payload: { ...paid?.payload } });
    expect(provider.holds(orderId)).toBe(false);

    await payment.apply(event);
    await payment.apply(orderCancelled(orderId));
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
    expect(provider).toMatchObject({ charges: [orderId], refunds: [orderId] });
  });

  it('before StockReserved prevents the charge and publishes nothing', async () => {
    await payment.apply(orderCancelled(orderId));
    await payment.apply(orderCancelled(orderId));
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual({ status: 'CANCELLED', kinds: [] });
    expect(provider).toMatchObject({ charges: [], refunds: [] });
  });

  it('after a decline refunds nothing', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual({ status: 'FAILED', kinds: ['PaymentFailed'] });
    expect(provider.refunds).toEqual([]);
  });
});

describe('interrupted payment', () => {
  it('is completed after the response to the charge was lost', async () => {
    const event = stockReserved(orderId);
    provider.afterCharge = loseResponse;
    await expect(payment.apply(event)).rejects.toThrow('lost');
    expect(await state()).toEqual({ status: 'CHARGING', kinds: [] });
    provider.afterCharge = respond;
    await payment.apply(event);
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('is completed once after a crash between charge and commit', async () => {
    const event = stockReserved(orderId);
    await payment.applyAndCrash(event);
    expect(await state()).toEqual({ status: 'CHARGING', kinds: [] });
    await payment.apply(event);
    await payment.apply(event);
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('is refunded once after a crash and a lost response to the refund', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await payment.applyAndCrash(event);
    provider.afterRefund = loseResponse;
    await expect(payment.apply(event)).rejects.toThrow('lost');
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
    provider.afterRefund = respond;
    await payment.apply(event);
    await payment.apply(event);
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
  });

  it('is refunded when cancelled after a crash, and a redriven StockReserved is not charged again', async () => {
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

  it('is not refunded when it was declined before a crash', async () => {
    await payment.applyAndCrash(stockReserved(orderId, aboveLimit));
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual({ status: 'FAILED', kinds: ['PaymentFailed'] });
    expect(provider.refunds).toEqual([]);
  });

  it('fails as unavailable while the provider is', async () => {
    provider.afterCharge = () => Promise.reject(unavailable('The payment provider'));
    await expect(payment.apply(stockReserved(orderId))).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
