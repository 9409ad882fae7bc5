import { randomUUID } from 'node:crypto';
import { setImmediate as othersToGoOn } from 'node:timers/promises';
import { receivedEvent } from '../../../tests/kit/kafka/order-events.ts';
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
/** Delays the provider's answers until the returned function is called. */
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

  it('may hold several events of an order: each is prepared after the previous event was stored', async () => {
    const [bought = '', never = ''] = newIds(2);
    const event = stockReserved(bought);
    await payment.apply(
      event,
      orderCancelled(never),
      event,
      stockReserved(never),
      orderCancelled(bought),
      orderCancelled(bought),
    );
    expect(await statesOf([bought, never])).toEqual([refunded, ['CANCELLED']]);
    expect(provider).toMatchObject({ charges: [bought], refunds: [bought] });
  });

  it('that crashes before its commit is charged again and announced once', async () => {
    const ids = newIds(5);
    const events = ids.map((id) => stockReserved(id));
    await payment.applyAndCrash(...events);
    expect(await statesOf(ids)).toEqual(ids.map(() => ['CHARGING']));
    await payment.apply(...events);
    await payment.apply(...events);
    expect(await statesOf(ids)).toEqual(ids.map(() => paid));
    expect(provider.charges).toEqual([...ids, ...ids]);
  });

  it('fails after the last call has ended if the provider fails for one order, and the others can be paid', async () => {
    const [broken = '', ...others] = newIds(4);
    const release = holdCharges();
    const { charge } = provider;
    provider.charge = async (asked) => {
      if (asked.orderId === broken) throw new Error('not this one');
      return charge(asked);
    };
    const events = [broken, ...others].map((id) => stockReserved(id));
    let failure = '';
    const applied = payment.apply(...events).catch((error: Error) => {
      failure = error.message;
    });
    await until('all are being charged', () => provider.charges.length === others.length);
    await othersToGoOn();
    expect(failure).toBe('');
    release();
    await applied;
    expect(failure).toBe('not this one');
    for (const event of events.slice(1)) await payment.apply(event);
    expect(await statesOf([broken, ...others])).toEqual([['CHARGING'], ...others.map(() => paid)]);
  });

  it('and the chunks of another replica charge and announce once and do not deadlock', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ids = newIds(30);
      const reserved = ids.map((id) => stockReserved(id));
      await Promise.all([payment.apply(...reserved), other.apply(...[...reserved].reverse())]);
      // With new event ids, as a producer that publishes twice would write them.
      const cancelled = () => ids.map((id) => orderCancelled(id));
      await Promise.all([payment.apply(...cancelled()), other.apply(...cancelled().reverse())]);
      expect(await statesOf(ids)).toEqual(ids.map(() => refunded));
    }
  });
});

describe('the payments of a chunk', () => {
  const own = useDatabase('payment', 'each');

  it('are locked in order of id under any query plan', async () => {
    const before = testPayments(own.url);
    const ids = newIds(5).sort();
    // They are stored in the opposite order.
    for (const id of ids.toReversed()) await before.apply(stockReserved(id));
    await before.close();
    await planWithoutOrder(own.url);
    const { apply, stateOf } = own.closeLater(testPayments(own.url, { provider }));
    provider.refund = async () => undefined;
    const cancelAll = () => apply(...ids.toReversed().map((id) => orderCancelled(id)));
    const rows = { table: 'payments', key: 'order_id::text' };
    expect(await lockedOutOfOrder(own.url, rows, ids, cancelAll)).toEqual([]);
    expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => refunded));
  });
});

describe('concurrent payments', () => {
  it('and cancellations of one order are published once, even if an event and its copies arrive at once', async () => {
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
    await payment.apply(orderCancelled(orderId));
    release();
    await charging;
    expect(await payment.stateOf(orderId)).toEqual(refunded);
    expect(provider.holds(orderId)).toBe(false);
  });

  it.each(['apply', 'applyAndCrash'] as const)(
    'make a cancellation that was prepared before them fail once, and then refund (%s)',
    async (charge) => {
      const id = randomUUID();
      const event = receivedEvent(orderCancelled(id));
      const interrupted = {
        ...payment.group,
        prepare: async (events: Parameters<NonNullable<typeof payment.group.prepare>>[0]) => {
          const prepared = (await payment.group.prepare?.(events)) ?? [];
          await payment[charge](stockReserved(id));
          return prepared;
        },
      };
      const refusal = payment.processorOf(interrupted).process([event]);
      await expect(refusal).rejects.toMatchObject({ kind: 'unavailable' });
      await payment.processorOf().process([event]);
      expect(await payment.stateOf(id)).toEqual(refunded);
    },
  );

  it('and cancellations of forty orders, in random order, leave no cancelled order paid', async () => {
    const ids = newIds(40);
    const events = ids.flatMap((id) => [stockReserved(id), orderCancelled(id)]);
    const applyWithRetries = async (event: (typeof events)[number]): Promise<unknown> =>
      payment.apply(event).catch((error) => {
        if (error.kind === 'unavailable') return applyWithRetries(event);
        throw error;
      });
    const twice = [...events, ...events].sort(() => Math.random() - 0.5);
    for (let from = 0; from < twice.length; from += 10)
      await Promise.all(twice.slice(from, from + 10).map(applyWithRetries));
    for (const id of ids) {
      const state = await payment.stateOf(id);
      expect(state).toEqual(state[0] === 'CANCELLED' ? ['CANCELLED'] : refunded);
      expect(provider.holds(id)).toBe(false);
    }
  });
});
