import { randomUUID } from 'node:crypto';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { orderOf, testInventory } from './_inventory.ts';

const inventory = useDatabase('inventory').open((url) => testInventory(url, { clock: () => now }));
let now: Date;

beforeEach(() => {
  now = new Date('2026-03-01T12:00:00.000Z');
});

type Step = 'created' | 'paymentFailed' | 'cancelled' | 'shipped';

/** The events that bring an order of 4 of 10 pieces into each state. For a rejection only 3 pieces are available. */
const states = {
  unknown: [],
  reserved: ['created'],
  rejected: ['created'],
  shipped: ['created', 'shipped'],
  paymentFailed: ['created', 'paymentFailed'],
  cancelled: ['created', 'cancelled'],
  cancelledBeforeCreated: ['cancelled'],
} satisfies Record<string, Step[]>;
type State = keyof typeof states;

async function orderIn(state: State) {
  const tea = await inventory.setStock(state === 'rejected' ? 3 : 10);
  const order = orderOf([tea, 4]);
  for (const step of states[state]) await inventory.take(order[step]());
  return { tea, order };
}

type Outcome = [status: string | undefined, available: number, kinds: string[]];

const same = (outcome: Outcome, more: Partial<Record<Step, Outcome>> = {}): Record<Step, Outcome> => ({
  created: outcome,
  paymentFailed: outcome,
  cancelled: outcome,
  shipped: outcome,
  ...more,
});
const isReserved: Outcome = ['RESERVED', 6, ['StockReserved']];
const isReleased: Outcome = ['RELEASED', 10, ['StockReserved', 'StockReleased']];
const isShipped: Outcome = ['SHIPPED', 6, ['StockReserved']];

/** The outcome of each event in each state. The events have new ids, so that only the state shows that an event is late. */
const table: Record<State, Record<Step, Outcome>> = {
  unknown: same([undefined, 10, []], { created: isReserved, cancelled: ['RELEASED', 10, []] }),
  reserved: same(isReserved, { paymentFailed: isReleased, cancelled: isReleased, shipped: isShipped }),
  rejected: same(['REJECTED', 3, ['StockRejected']]),
  shipped: same(isShipped),
  paymentFailed: same(isReleased),
  cancelled: same(isReleased),
  cancelledBeforeCreated: same(['RELEASED', 10, []]),
};

const cases = Object.entries(table).flatMap(([state, outcomes]) =>
  Object.entries(outcomes).map(([step, outcome]) => [step as Step, state as State, outcome] as const),
);

describe('the event', () => {
  it.each(cases)(
    '%s of an order in state %s leads to %j, even if it is repeated',
    async (step, state, [status, available, kinds]) => {
      const { tea, order } = await orderIn(state);
      const event = order[step]();
      await inventory.take(event);
      await inventory.take(event);
      expect(await inventory.statusOf(order.orderId)).toBe(status);
      expect(await inventory.available(tea)).toBe(available);
      expect(await inventory.kindsOf(order.orderId)).toEqual(kinds);
    },
  );

  it('StockReleased contains the items and the reason', async () => {
    const failed = await orderIn('paymentFailed');
    const cancelled = await orderIn('cancelled');
    const released = async (orderId: string) => (await inventory.eventsOf(orderId))[1]?.payload;
    const { orderId, customerId, items } = failed.order;
    const payload = { orderId, customerId, timestamp: now.toISOString(), items, reason: 'payment failed' };
    expect(await released(orderId)).toEqual(payload);
    expect(await released(cancelled.order.orderId)).toMatchObject({ reason: 'changed my mind' });
  });

  it('OrderShipped stores the id of the shipment', async () => {
    const { order } = await orderIn('reserved');
    const shipmentId = randomUUID();
    await inventory.take(order.shipped(shipmentId));
    await inventory.take(order.shipped());
    const { orderId } = order;
    const reservation = await inventory.prisma.reservation.findUniqueOrThrow({ where: { orderId } });
    expect(reservation).toMatchObject({ status: 'SHIPPED', shipmentId });
  });

  it('is handled again after its transaction was rolled back', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, 1]);
    const event = order.created();
    await inventory.prisma.$executeRawUnsafe(
      `alter table outbox add constraint closed check (kind <> 'StockReserved') not valid`,
    );
    try {
      await expect(inventory.take(event)).rejects.toThrow();
    } finally {
      await inventory.prisma.$executeRawUnsafe('alter table outbox drop constraint closed');
    }
    expect(await inventory.available(tea)).toBe(10);
    expect(await inventory.statusOf(order.orderId)).toBeUndefined();
    await inventory.take(event);
    expect(await inventory.available(tea)).toBe(9);
  });
});
