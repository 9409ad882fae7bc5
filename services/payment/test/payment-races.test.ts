import { randomUUID } from 'node:crypto';
import type { DeliveredEvent } from '@store/shared/messaging/consumer/handle-once';
import { deferred } from '../../../tests/kit/deferred.ts';
import { receivedEvent } from '../../../tests/kit/kafka/order-events.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { fakeProvider, orderCancelled, stockReserved, testPayments } from './_payments.ts';

const now = new Date('2026-03-04T05:06:07.089Z');

let provider: ReturnType<typeof fakeProvider>;
let orderId: string;

beforeEach(() => {
  provider = fakeProvider();
  orderId = randomUUID();
});

const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url, { provider, clock: () => now }), 'each');

/** The payment's status and the published kinds. */
const state = async () => ({ status: await payment.statusOf(orderId), kinds: await payment.kinds(orderId) });

describe('concurrent payments', () => {
  it('of one event in eight processes charge and publish once', async () => {
    const event = stockReserved(orderId);
    await Promise.all(Array.from({ length: 8 }, () => payment.apply(event)));
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('of eight events of one order charge and publish once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => payment.apply(stockReserved(orderId))));
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('that are cancelled by eight processes publish one refund', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await Promise.all(Array.from({ length: 8 }, () => payment.apply(event)));
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
  });

  it('that are cancelled while the charge is in flight end as refunded', async () => {
    const { promise: released, resolve: release } = deferred();
    provider.afterCharge = () => released;
    const charging = payment.apply(stockReserved(orderId));
    await until('the charge is in flight', () => provider.charges.length === 1);
    provider.afterCharge = async () => undefined;
    await payment.apply(orderCancelled(orderId));
    release();
    await charging;
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
    expect(provider.holds(orderId)).toBe(false);
  });

  it.each([
    ['complete', (event: ReturnType<typeof stockReserved>) => payment.apply(event)],
    ['crash', (event: ReturnType<typeof stockReserved>) => payment.applyAndCrash(event)],
  ])('that %s while the cancellation is prepared make it retry and refund', async (_, charge) => {
    const event = receivedEvent(orderCancelled(orderId));
    const { group } = payment;
    const interrupted = {
      ...group,
      prepare: async (events: DeliveredEvent[]) => {
        const prepared = await group.prepare?.(events);
        await charge(stockReserved(orderId));
        return prepared;
      },
    };
    await expect(payment.processorOf(interrupted as typeof group).process([event])).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await payment.processorOf().process([event]);
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
  });

  it('and cancellations of forty orders in any order keep no money of a cancelled order', async () => {
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const events = ids.flatMap((id) => [stockReserved(id), orderCancelled(id)]);
    const applyWithRetries = async (event: (typeof events)[number]) => {
      for (;;) {
        const isDone = await payment.apply(event).then(
          () => true,
          (error) => (error.kind === 'unavailable' ? false : Promise.reject(error)),
        );
        if (isDone) return;
      }
    };
    const twice = [...events, ...events].sort(() => Math.random() - 0.5);
    for (let from = 0; from < twice.length; from += 10)
      await Promise.all(twice.slice(from, from + 10).map(applyWithRetries));
    for (const id of ids) {
      const status = await payment.statusOf(id);
      const kinds = await payment.kinds(id);
      expect({ status, kinds }).toEqual(
        status === 'CANCELLED'
          ? { status, kinds: [] }
          : { status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] },
      );
      expect(provider.holds(id)).toBe(false);
    }
  });
});
