import { randomUUID } from 'node:crypto';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { ConfigError, readConfig } from '@store/shared/values/environment';
import { uuid } from '@store/shared/values/fields';
import { Decimal, toMinorUnits } from '@store/shared/values/money';
import { nameUuid } from '@store/shared/values/name-uuid';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
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

/** Does something the first time, and nothing later. */
function once(work: () => Promise<void>): () => Promise<void> {
  let isOver = false;
  return async () => {
    if (isOver) return;
    isOver = true;
    await work();
  };
}

const charge = (id: string) => ({
  orderId: id,
  intentId: id,
  key: id,
  amount: 999n,
  currency: 'USD',
  token: undefined,
  returnUrl: '',
});

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

  it('passes on what is taxed at each rate, with all digits', async () => {
    const gross = new Decimal('99999999999999999999.0001');
    const taxes = [
      { permille: 60, gross: new Decimal('0.99') },
      { permille: 230, gross },
    ];
    await payment.apply(stockReserved(orderId, '9.99', { taxes }));
    const { payload } = await payment.prisma.outbox.findFirstOrThrow({ where: { key: orderId, kind: 'OrderPaid' } });
    expect(payload).toContain(`"taxes":[{"permille":60,"gross":0.99},{"permille":230,"gross":${gross.toFixed()}}]`);
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
    const rich = database.closeLater(testPayments(database.url, { provider: fakeProvider(`1${'0'.repeat(24)}`) }));
    await rich.apply(stockReserved(orderId, largest));
    await rich.apply(orderCancelled(orderId));
    const rows = await payment.prisma.outbox.findMany({ where: { key: orderId } });
    expect(rows.map(({ kind }) => kind)).toEqual(['OrderPaid', 'PaymentRefunded']);
    for (const { payload } of rows) expect(payload).toContain(`"amount":{"amount":${largest},"currency":"USD"}`);

    orderId = randomUUID();
    await payment.apply(stockReserved(orderId, '0'));
    expect(await state()).toEqual(paid);
  });

  it('repeated under the same or another event id changes nothing, after a decline either', async () => {
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
  it('of a paid order refunds once and publishes PaymentRefunded, however often it is repeated', async () => {
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

  it('after a decline refunds nothing', async () => {
    await payment.apply(stockReserved(orderId, aboveLimit));
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual(failed);
    expect(provider.refunds).toEqual([]);
  });

  it('before the provider was asked has it never be asked', async () => {
    await payment.handle(stockReserved(orderId));
    await payment.handle(orderCancelled(orderId));
    payment.startJobs();
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(['CANCELLED']);
    expect(provider.charges).toEqual([]);
  });

  it('after a process died while it asked finds out what became of the charge, and refunds it', async () => {
    const [taken, untaken] = [orderId, randomUUID()];
    await payment.handle(stockReserved(taken), stockReserved(untaken));
    await payment.dieWhileAsking(taken, () => provider.confirm(charge(taken)));
    await payment.dieWhileAsking(untaken);
    await payment.handle(orderCancelled(taken), orderCancelled(untaken));
    expect(await payment.stateOf(taken)).toEqual(['CHARGING']);
    await payment.apply(orderCancelled(taken), orderCancelled(untaken));
    expect(await payment.stateOf(taken)).toEqual(refunded);
    expect(await payment.stateOf(untaken)).toEqual(['CANCELLED']);
    for (const id of [taken, untaken]) expect(provider.holds(id)).toBe(false);
    expect(provider.charges).toEqual([taken]);
  });
});

describe('an interrupted payment', () => {
  it('leaves nothing of an event whose transaction was not committed', async () => {
    const event = stockReserved(orderId);
    await payment.applyAndCrash(event);
    expect(await state()).toEqual([undefined]);
    await payment.apply(event);
    expect(await state()).toEqual(paid);
    expect(provider.charges).toEqual([orderId]);
  });

  it('is completed after the response to the charge was lost', async () => {
    provider.afterCharge = once(loseResponse);
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(paid);
    // Read, not asked again.
    expect(provider.charges).toEqual([orderId]);
  });

  it('is completed after a process died while it asked', async () => {
    await payment.handle(stockReserved(orderId));
    await payment.dieWhileAsking(orderId, () => provider.confirm(charge(orderId)));
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(paid);
    // Read, not asked again.
    expect(provider.charges).toEqual([orderId]);
  });

  it('is refunded once after the response to the refund was lost', async () => {
    await payment.apply(stockReserved(orderId));
    provider.afterRefund = once(loseResponse);
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual(refunded);
    expect(provider.refunds).toEqual([orderId]);
  });

  it.each(['StockReserved', 'OrderCancelled'])(
    'that the previous release left CHARGING, without a step, is finished when %s comes',
    async (kind) => {
      const amount = { amount: '9.99', currency: 'USD' };
      const times = { createdAt: now, updatedAt: now };
      await payment.prisma.payment.create({
        data: { orderId, customerId: alice, status: 'CHARGING', ...amount, ...times },
      });
      await payment.apply(kind === 'StockReserved' ? stockReserved(orderId) : orderCancelled(orderId));
      expect(await state()).toEqual(kind === 'StockReserved' ? paid : refunded);
    },
  );
});

describe('the built-in provider', () => {
  const largest = '99999999999999999999999.99';

  it.each([
    ['100000.00', '100000', 'captured'],
    ['100000.01', '100000', 'declined'],
    ['100000.00', '99999.9999', 'declined'],
    ['0', '0', 'captured'],
    ['0.01', '0', 'declined'],
    [largest, largest, 'captured'],
    ['100000000000000000000000', largest, 'declined'],
  ])('with an amount of %s and a limit of %s charges: %s', async (amount, limit, state) => {
    const builtIn = fakeProvider(limit);
    const units = toMinorUnits({ amount: new Decimal(amount), currency: 'USD' });
    expect(await builtIn.confirm({ ...charge(orderId), amount: units })).toMatchObject({ state });
  });
});

it('has the same payment id for an order whenever it is charged, and another for another order', async () => {
  const other = randomUUID();
  await payment.apply(stockReserved(orderId), stockReserved(other));
  const idOf = async (id: string) => (await payment.eventsOf(id))[0]?.payload.paymentId;
  expect(await idOf(orderId)).toBe(nameUuid(`payment of order ${orderId}`));
  expect(await idOf(other)).not.toBe(await idOf(orderId));
  expect(uuid.parse(await idOf(orderId))).toMatch(/^.{14}8.{4}[89ab]/);
});

describe('PAYMENT_DECLINE_ABOVE', () => {
  const read = (env: object = {}) =>
    readConfig(configSchema, {
      DATABASE_URL: 'postgresql://u:p@h/d',
      KAFKA_BROKERS: 'h:1',
      ORDER_URL: 'http://order',
      ...env,
    });

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
