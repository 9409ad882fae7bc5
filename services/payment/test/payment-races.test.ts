import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { receivedEvent } from '../../../tests/kit/order-events.ts';
import { until } from '../../../tests/kit/until.ts';
import { fakeProvider, orderCancelled, stockReserved, testPayments } from './_payments.ts';

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

const answered = async () => undefined;

/** Everything about the order: that it stays the same, or what became of it. */
const state = async () => ({ status: await payment.statusOf(orderId), kinds: await payment.kinds(orderId) });

describe('at the same time', () => {
  /** The answer is held until it is let go. */
  function held() {
    let letGo = () => {};
    const released = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return { answer: () => released, letGo };
  }

  it('the same event in eight processes is paid and told once', async () => {
    const event = stockReserved(orderId);
    await Promise.all(Array.from({ length: 8 }, () => payment.apply(event)));
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('two events of one order are paid and told once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => payment.apply(stockReserved(orderId))));
    expect(await state()).toEqual({ status: 'PAID', kinds: ['OrderPaid'] });
  });

  it('eight processes cancel: one refund is told', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderCancelled(orderId);
    await Promise.all(Array.from({ length: 8 }, () => payment.apply(event)));
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
  });

  it('cancelled while the payment is under way in another process: refunded, and that one changes nothing', async () => {
    const { answer, letGo } = held();
    provider.afterCharge = answer;
    const charging = payment.apply(stockReserved(orderId));
    await until('the charge is under way', () => provider.charges.length === 1);
    provider.afterCharge = answered;
    await payment.apply(orderCancelled(orderId));
    letGo();
    await charging;
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
    expect(provider.holds(orderId)).toBe(false);
  });

  it('a payment that begins while the cancellation is prepared: the cancellation waits, and refunds', async () => {
    const event = receivedEvent(orderCancelled(orderId));
    const { group } = payment;
    const meanwhile = {
      ...group,
      prepare: async () => {
        const answers = await group.prepare?.(event);
        await payment.apply(stockReserved(orderId));
        return answers;
      },
    };
    await expect(payment.processorOf(meanwhile as typeof group).process([event])).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await payment.processorOf().process([event]);
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
  });

  it('a charge that is cut off while the cancellation is prepared: the cancellation waits, and refunds', async () => {
    const event = receivedEvent(orderCancelled(orderId));
    const { group } = payment;
    const meanwhile = {
      ...group,
      prepare: async () => {
        const answers = await group.prepare?.(event);
        await payment.applyAndCrash(stockReserved(orderId));
        return answers;
      },
    };
    await expect(payment.processorOf(meanwhile as typeof group).process([event])).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await payment.processorOf().process([event]);
    expect(await state()).toEqual({ status: 'REFUNDED', kinds: ['OrderPaid', 'PaymentRefunded'] });
  });

  it('both events of forty orders in any order, by two processes: no money is kept of a cancelled order', async () => {
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const events = ids.flatMap((id) => [stockReserved(id), orderCancelled(id)]);
    const patiently = async (event: (typeof events)[number]) => {
      for (;;) {
        const isDone = await payment.apply(event).then(
          () => true,
          (error) => (error.kind === 'unavailable' ? false : Promise.reject(error)),
        );
        if (isDone) return;
      }
    };
    const twice = [...events, ...events].sort(() => Math.random() - 0.5);
    for (let from = 0; from < twice.length; from += 10) await Promise.all(twice.slice(from, from + 10).map(patiently));
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
