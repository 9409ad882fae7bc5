import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { alice, orderOf, type TestInventory, testInventory } from './_inventory.ts';

let database: TestDatabase;
let inventory: TestInventory;
let now: Date;

beforeAll(async () => {
  database = await createTestDatabase('inventory');
  inventory = testInventory(database.url, { clock: () => now });
});

beforeEach(() => {
  now = new Date('2026-03-01T12:00:00.000Z');
});

afterAll(async () => {
  await inventory.close();
  await database.drop();
});

const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

async function ship(): Promise<void> {
  now = inSeconds(60);
  await inventory.reservations.shipDue(100);
}

describe('OrderCreated', () => {
  it('reserves all items and says so, with the total that was named', async () => {
    const [tea, salt] = [await inventory.setStock(10), await inventory.setStock(5)];
    const order = orderOf([tea, 3], [salt, 5]);
    await inventory.take(order.created({ total: { amount: 12_345.67, currency: 'EUR' } }));
    expect(await inventory.statusOf(order.orderId)).toBe('RESERVED');
    expect([await inventory.available(tea), await inventory.available(salt)]).toEqual([7, 0]);
    expect(await inventory.eventsOf(order.orderId)).toEqual([
      {
        kind: 'StockReserved',
        payload: {
          orderId: order.orderId,
          customerId: alice,
          timestamp: now.toISOString(),
          items: order.items,
          total: { amount: 12_345.67, currency: 'EUR' },
        },
        traceparent: expect.stringMatching(/^00-/),
      },
    ]);
  });

  it('reserves nothing where one of the items is short, and names what lacks', async () => {
    const [tea, salt, gold] = [await inventory.setStock(10), await inventory.setStock(5), await inventory.setStock(0)];
    const order = orderOf([tea, 3], [salt, 7], [gold, 1]);
    await inventory.take(order.created());
    expect(await inventory.statusOf(order.orderId)).toBe('REJECTED');
    expect([await inventory.available(tea), await inventory.available(salt)]).toEqual([10, 5]);
    const [event] = await inventory.eventsOf(order.orderId);
    expect(event).toMatchObject({ kind: 'StockRejected', payload: { orderId: order.orderId, customerId: alice } });
    expect(event?.payload.items).toEqual([
      { productId: salt, quantity: 2 },
      { productId: gold, quantity: 1 },
    ]);
  });

  it('counts a product that comes twice as one', async () => {
    const tea = await inventory.setStock(10);
    const fits = orderOf([tea, 4], [tea, 5]);
    await inventory.take(fits.created());
    expect(await inventory.available(tea)).toBe(1);
    expect((await inventory.eventsOf(fits.orderId))[0]?.payload.items).toEqual([{ productId: tea, quantity: 9 }]);
    const exceeds = orderOf([tea, 1], [tea, 1]);
    await inventory.take(exceeds.created());
    expect(await inventory.kindsOf(exceeds.orderId)).toEqual(['StockRejected']);
    expect(await inventory.available(tea)).toBe(1);
  });

  it('rejects a quantity beyond everything that a column holds', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, Number.MAX_SAFE_INTEGER]);
    await inventory.take(order.created());
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockRejected']);
  });

  it('keeps every digit of the total', async () => {
    const order = orderOf([await inventory.setStock(1), 1]);
    const event = order.created();
    const payload = event.payload.replace('12.34', '123456789012345678.1234');
    await inventory.take({ ...event, payload });
    const stored = await inventory.prisma.outbox.findFirstOrThrow({ where: { key: order.orderId } });
    expect(stored.payload).toContain('"amount":123456789012345678.1234');
  });

  it.each<[string, object]>([
    ['items', { items: undefined }],
    ['total', { total: undefined }],
  ])('is poison without %s', async (_what, more) => {
    const order = orderOf([await inventory.setStock(1), 1]);
    await expect(inventory.take(order.created(more))).rejects.toMatchObject({ name: 'PoisonError' });
    expect(await inventory.statusOf(order.orderId)).toBeUndefined();
  });

  it('is poison where a sum cannot be counted', async () => {
    const tea = await inventory.setStock(1);
    const order = orderOf([tea, Number.MAX_SAFE_INTEGER], [tea, 1]);
    await expect(inventory.take(order.created())).rejects.toMatchObject({ name: 'PoisonError' });
  });

  it('is the same with fields that nobody knows', async () => {
    const order = orderOf([await inventory.setStock(1), 1]);
    await inventory.take(order.created({ gift: true } as object));
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockReserved']);
  });
});

/** An order of 4 out of 10 pieces in each state, its stock left beside it. */
const states = {
  async nothing() {
    const tea = await inventory.setStock(10);
    return { tea, order: orderOf([tea, 4]) };
  },
  async reserved() {
    const made = await states.nothing();
    await inventory.take(made.order.created());
    return made;
  },
  async rejected() {
    const tea = await inventory.setStock(3);
    const order = orderOf([tea, 4]);
    await inventory.take(order.created());
    return { tea, order };
  },
  async paid() {
    const made = await states.reserved();
    await inventory.take(made.order.paid());
    return made;
  },
  async shipped() {
    const made = await states.paid();
    await ship();
    return made;
  },
  async unpaid() {
    const made = await states.reserved();
    await inventory.take(made.order.unpaid());
    return made;
  },
  async cancelled() {
    const made = await states.reserved();
    await inventory.take(made.order.cancelled());
    return made;
  },
  async cancelledFirst() {
    const made = await states.nothing();
    await inventory.take(made.order.cancelled());
    return made;
  },
  async calledBack() {
    const made = await states.shipped();
    await inventory.take(made.order.cancelled());
    return made;
  },
};

type State = keyof typeof states;
type Step = 'created' | 'paid' | 'unpaid' | 'cancelled';
type Outcome = [status: string | undefined, available: number, kinds: string[]];

/** What each event makes of each state; an event under a new id, so that only the state can tell that it is late. */
const table: [State, Record<Step, Outcome>][] = (() => {
  const [reserved, released, shipped] = ['StockReserved', 'StockReleased', 'OrderShipped'];
  const same = (outcome: Outcome, more: Partial<Record<Step, Outcome>> = {}) => ({
    ...{ created: outcome, paid: outcome, unpaid: outcome, cancelled: outcome },
    ...more,
  });
  const back: Outcome = ['RELEASED', 10, [reserved, released]];
  const taken: Outcome = ['RESERVED', 6, [reserved]];
  const gone: Outcome = ['SHIPPED', 6, [reserved, shipped]];
  const calledBack: Outcome = ['RELEASED', 10, [reserved, shipped, released]];
  return [
    ['nothing', same([undefined, 10, []], { created: taken, cancelled: ['RELEASED', 10, []] })],
    ['reserved', same(taken, { unpaid: back, cancelled: back })],
    ['rejected', same(['REJECTED', 3, ['StockRejected']])],
    ['paid', same(taken, { unpaid: back, cancelled: back })],
    ['shipped', same(gone, { cancelled: calledBack })],
    ['unpaid', same(back)],
    ['cancelled', same(back)],
    ['cancelledFirst', same(['RELEASED', 10, []])],
    ['calledBack', same(calledBack)],
  ];
})();

const cases = table.flatMap(([state, outcomes]) =>
  Object.entries(outcomes).map(([step, outcome]) => [step as Step, state, outcome] as const),
);

it.each(cases)('%s in the state %s', async (step, state, [status, available, kinds]) => {
  const { tea, order } = await states[state]();
  const event = order[step]();
  await inventory.take(event);
  await inventory.take(event); // as at-least-once delivers it
  expect(await inventory.statusOf(order.orderId)).toBe(status);
  expect(await inventory.available(tea)).toBe(available);
  expect(await inventory.kindsOf(order.orderId)).toEqual(kinds);
});

it('says why stock was released, and which', async () => {
  const unpaid = await states.unpaid();
  const cancelled = await states.cancelled();
  const released = async (orderId: string) => (await inventory.eventsOf(orderId))[1]?.payload;
  expect(await released(unpaid.order.orderId)).toEqual({
    orderId: unpaid.order.orderId,
    customerId: alice,
    timestamp: now.toISOString(),
    items: unpaid.order.items,
    reason: 'payment failed',
  });
  expect(await released(cancelled.order.orderId)).toMatchObject({ reason: 'changed my mind' });
});

it('ends as RELEASED, its stock complete, in whatever order payment and cancellation come', async () => {
  for (const steps of [
    ['paid', 'cancelled'],
    ['cancelled', 'paid'],
    ['unpaid', 'cancelled'],
    ['cancelled', 'unpaid'],
  ] as const) {
    const { tea, order } = await states.reserved();
    for (const step of steps) await inventory.take(order[step]());
    await ship();
    expect(await inventory.statusOf(order.orderId)).toBe('RELEASED');
    expect(await inventory.available(tea)).toBe(10);
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockReserved', 'StockReleased']);
  }
});

it('remembers nothing of an event whose effect failed', async () => {
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
