import { randomUUID } from 'node:crypto';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { lockedOutOfOrder, planWithoutOrder } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { aboveLimit, fakeProvider, orderCancelled, stockReserved, testPayments } from './_payments.ts';

let provider: ReturnType<typeof fakeProvider>;

beforeEach(() => {
  provider = fakeProvider();
});

const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url, { provider }), 'each');
const other = database.open((url) => testPayments(url, { provider }), 'each');

const newIds = (count: number) => Array.from({ length: count }, () => randomUUID() as string);

const statesOf = (ids: string[]) => Promise.all(ids.map(payment.stateOf));
/** Has the provider not answer until it is called. */
function holdCharges(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.afterCharge = () => promise;
  return () => {
    provider.afterCharge = async () => undefined;
    resolve();
  };
}

const paid = ['PAID', 'OrderPaid'];
const refunded = ['REFUNDED', 'OrderPaid', 'PaymentRefunded'];

describe('a chunk of payments', () => {
  it('is stored as CHARGING before the provider is called for all of them at once', async () => {
    const ids = newIds(20);
    const release = holdCharges();
    const applied = payment.apply(...ids.map((id) => stockReserved(id)));
    await until('all are being charged', () => provider.charges.length === ids.length);
    expect(await statesOf(ids)).toEqual(ids.map(() => ['CHARGING']));
    release();
    await applied;
    expect(await statesOf(ids)).toEqual(ids.map(() => paid));
  });

  it('is settled order by order: paid, declined, refunded, cancelled before it began', async () => {
    const [first = '', declined = '', known = '', uncharged = ''] = newIds(4);
    await payment.apply(stockReserved(known));
    await payment.apply(
      stockReserved(first),
      stockReserved(declined, aboveLimit),
      orderCancelled(known),
      orderCancelled(uncharged),
    );
    expect(await statesOf([first, declined, known, uncharged])).toEqual([
      paid,
      ['FAILED', 'PaymentFailed'],
      refunded,
      ['CANCELLED'],
    ]);
    expect(provider.holds(known)).toBe(false);
    expect(provider.charges).not.toContain(uncharged);
  });

  it('may hold several events of an order, which are handled in their order', async () => {
    const [bought = '', never = ''] = newIds(2);
    const event = stockReserved(bought);
    await payment.apply(event, orderCancelled(never), event, stockReserved(never));
    await payment.apply(orderCancelled(bought), orderCancelled(bought));
    expect(await statesOf([bought, never])).toEqual([refunded, ['CANCELLED']]);
    expect(provider).toMatchObject({ charges: [bought], refunds: [bought] });
  });

  it('has those wait for whom the provider gives no answer, and no others', async () => {
    const [broken = '', ...others] = newIds(4);
    const { confirm } = provider;
    provider.confirm = async (asked) => {
      if (asked.orderId === broken) throw new Error('not this one');
      return confirm(asked);
    };
    payment.startJobs();
    await payment.handle(...[broken, ...others].map((id) => stockReserved(id)));
    await payment.apply(...others.map((id) => stockReserved(id)));
    expect(await statesOf([broken, ...others])).toEqual([['CHARGING'], ...others.map(() => paid)]);
    provider.confirm = confirm;
    await payment.apply(stockReserved(broken));
    expect(await payment.stateOf(broken)).toEqual(paid);
  });

  it('hangs with the provider for its own orders: events that come later are handled, and paid', async () => {
    const hung = newIds(3);
    const later = newIds(10);
    const { confirm } = provider;
    provider.confirm = (asked) => (hung.includes(asked.orderId) ? new Promise(() => undefined) : confirm(asked));
    payment.startJobs();
    await payment.handle(...hung.map((id) => stockReserved(id)));
    await payment.apply(...later.map((id) => stockReserved(id)));
    expect(await statesOf([...hung, ...later])).toEqual([...hung.map(() => ['CHARGING']), ...later.map(() => paid)]);
    payment.abandon();
  });

  it('and the chunks of another replica charge and announce once and do not deadlock', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ids = newIds(30);
      const reserved = ids.map((id) => stockReserved(id));
      await Promise.all([payment.apply(...reserved), other.apply(...[...reserved].reverse())]);
      // Under ids of their own, as a producer that repeats itself would write them.
      const cancelled = () => ids.map((id) => orderCancelled(id));
      await Promise.all([payment.apply(...cancelled()), other.apply(...cancelled().reverse())]);
      expect(await statesOf(ids)).toEqual(ids.map(() => refunded));
    }
  });
});

describe('the payments of a chunk', () => {
  const own = useDatabase('payment', 'each');

  it('are locked in the order of ids, whatever the plan', async () => {
    const before = testPayments(own.url);
    const ids = newIds(5).sort();
    // They are stored in the opposite order.
    for (const id of ids.toReversed()) await before.apply(stockReserved(id));
    await before.close();
    await planWithoutOrder(own.url);
    const { apply, stateOf } = own.closeLater(testPayments(own.url, { provider }));
    provider.refund = async ({ stepId, amount }) => ({ id: stepId, stepId, amount, state: 'succeeded' });
    const cancelAll = () => apply(...ids.toReversed().map((id) => orderCancelled(id)));
    const rows = { table: 'payments', key: 'order_id::text' };
    expect(await lockedOutOfOrder(own.url, rows, ids, cancelAll)).toEqual([]);
    expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => refunded));
  });
});

describe('concurrent payments', () => {
  it('and cancellations of one order, by eight processes and eight events, are published once', async () => {
    const orderId = randomUUID();
    for (const event of [stockReserved, orderCancelled]) {
      const same = event(orderId);
      await Promise.all(Array.from({ length: 16 }, (_, n) => payment.apply(n % 2 ? same : event(orderId))));
      expect(await payment.stateOf(orderId)).toEqual(event === stockReserved ? paid : refunded);
    }
  });

  it('that are cancelled while the charge is in flight end as refunded', async () => {
    const orderId = randomUUID();
    const release = holdCharges();
    const charging = payment.apply(stockReserved(orderId));
    await until('the charge is in flight', () => provider.charges.length === 1);
    provider.afterCharge = async () => undefined;
    await payment.handle(orderCancelled(orderId));
    release();
    await charging;
    expect(await payment.stateOf(orderId)).toEqual(refunded);
    expect(provider.holds(orderId)).toBe(false);
  });

  it('and cancellations of forty orders in any order keep no money of a cancelled order', async () => {
    const ids = newIds(40);
    const events = ids.flatMap((id) => [stockReserved(id), orderCancelled(id)]);
    const twice = [...events, ...events].sort(() => Math.random() - 0.5);
    for (let from = 0; from < twice.length; from += 10)
      await Promise.all(twice.slice(from, from + 10).map((event) => payment.apply(event)));
    for (const id of ids) {
      const state = await payment.stateOf(id);
      expect([['CANCELLED'], refunded]).toContainEqual(state);
      expect(provider.holds(id)).toBe(false);
    }
  });
});
