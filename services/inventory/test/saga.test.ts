import { randomUUID } from 'node:crypto';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { alice, orderOf, testInventory } from './_inventory.ts';

const inventory = useDatabase('inventory').open((url) => testInventory(url, { clock: () => now }));
let now: Date;

beforeEach(() => {
  now = new Date('2026-03-01T12:00:00.000Z');
});

/** Brings an order of 4 of 10 pieces into each state. */
const states = {
  async unknown() {
    const tea = await inventory.setStock(10);
    return { tea, order: orderOf([tea, 4]) };
  },
  async reserved() {
    const made = await states.unknown();
    await inventory.take(made.order.created());
    return made;
  },
  async rejected() {
    const tea = await inventory.setStock(3);
    const order = orderOf([tea, 4]);
    await inventory.take(order.created());
    return { tea, order };
  },
  async shipped() {
    const made = await states.reserved();
    await inventory.take(made.order.shipped());
    return made;
  },
  async paymentFailed() {
    const made = await states.reserved();
    await inventory.take(made.order.paymentFailed());
    return made;
  },
  async cancelled() {
    const made = await states.reserved();
    await inventory.take(made.order.cancelled());
    return made;
  },
  async cancelledBeforeCreated() {
    const made = await states.unknown();
    await inventory.take(made.order.cancelled());
    return made;
  },
};

type State = keyof typeof states;
type Step = 'created' | 'paymentFailed' | 'cancelled' | 'shipped';
type Outcome = [status: string | undefined, available: number, kinds: string[]];

/** The outcome of each event in each state. The events have new ids, so that only the state can tell that one is late. */
const table: [State, Record<Step, Outcome>][] = (() => {
  const [reserved, released] = ['StockReserved', 'StockReleased'];
  const same = (outcome: Outcome, more: Partial<Record<Step, Outcome>> = {}) => ({
    created: outcome,
    paymentFailed: outcome,
    cancelled: outcome,
    shipped: outcome,
    ...more,
  });
  const isReserved: Outcome = ['RESERVED', 6, [reserved]];
  const isReleased: Outcome = ['RELEASED', 10, [reserved, released]];
  const isShipped: Outcome = ['SHIPPED', 6, [reserved]];
  return [
    ['unknown', same([undefined, 10, []], { created: isReserved, cancelled: ['RELEASED', 10, []] })],
    ['reserved', same(isReserved, { paymentFailed: isReleased, cancelled: isReleased, shipped: isShipped })],
    ['rejected', same(['REJECTED', 3, ['StockRejected']])],
    ['shipped', same(isShipped)],
    ['paymentFailed', same(isReleased)],
    ['cancelled', same(isReleased)],
    ['cancelledBeforeCreated', same(['RELEASED', 10, []])],
  ];
})();

const cases = table.flatMap(([state, outcomes]) =>
  Object.entries(outcomes).map(([step, outcome]) => [step as Step, state, outcome] as const),
);

test.each(cases)(
  'event %s of an order in state %s leads to %j, also when repeated',
  async (step, state, [status, available, kinds]) => {
    const { tea, order } = await states[state]();
    const event = order[step]();
    await inventory.take(event);
    await inventory.take(event);
    expect(await inventory.statusOf(order.orderId)).toBe(status);
    expect(await inventory.available(tea)).toBe(available);
    expect(await inventory.kindsOf(order.orderId)).toEqual(kinds);
  },
);

test('StockReleased contains the items and the reason', async () => {
  const failed = await states.paymentFailed();
  const cancelled = await states.cancelled();
  const released = async (orderId: string) => (await inventory.eventsOf(orderId))[1]?.payload;
  expect(await released(failed.order.orderId)).toEqual({
    orderId: failed.order.orderId,
    customerId: alice,
    timestamp: now.toISOString(),
    items: failed.order.items,
    reason: 'payment failed',
  });
  expect(await released(cancelled.order.orderId)).toMatchObject({ reason: 'changed my mind' });
});

test('a shipment is recorded with its id', async () => {
  const { order } = await states.reserved();
  const shipmentId = randomUUID();
  await inventory.take(order.shipped(shipmentId));
  await inventory.take(order.shipped());
  const { orderId } = order;
  const reservation = await inventory.prisma.reservation.findUniqueOrThrow({ where: { orderId } });
  expect(reservation).toMatchObject({ status: 'SHIPPED', shipmentId });
});

test('a failed payment and a cancellation in any order release the reservation with its whole stock', async () => {
  for (const steps of [
    ['paymentFailed', 'cancelled'],
    ['cancelled', 'paymentFailed'],
  ] as const) {
    const { tea, order } = await states.reserved();
    for (const step of steps) await inventory.take(order[step]());
    expect(await inventory.statusOf(order.orderId)).toBe('RELEASED');
    expect(await inventory.available(tea)).toBe(10);
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockReserved', 'StockReleased']);
  }
});

test('inventory handles an event again after its transaction was rolled back', async () => {
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
