import { serve } from '../../../../tests/kit/listen.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, eventsOf } from '../_app.ts';
import { events, openSaga } from '../events/_saga.ts';
import { asOperator, openShipping } from './_shipping.ts';

// Two replicas, each with its own connections, over HTTP.

const database = useDatabase('order');
const first = database.open(openShipping);
const second = database.open(openShipping);
const saga = database.open(openSaga);
let urls: [string, string];

beforeAll(async () => {
  urls = await Promise.all([serve((req, res) => first.app(req, res)), serve((req, res) => second.app(req, res))]);
});

beforeEach(() => first.empty());

type Replica = 0 | 1;

/** @returns the status. A request that waited for too long has changed nothing and is repeated, as clients do. */
async function post(replica: Replica, path: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(urls[replica] + path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: '{}',
  });
  await answer.text();
  return answer.status === 503 ? post(replica, path, headers) : answer.status;
}
const ship = (id: string, replica: Replica = 0) => post(replica, `/orders/${id}/shipments`, asOperator);
const cancel = (id: string, replica: Replica = 1) =>
  post(replica, `/orders/${id}/cancellation`, { 'id-account': alice });

/** As many as the requests of an account that may wait for locks at the same time (own-locks.test.ts). */
const atOnce = 4;

/** Begins both at the same moment. */
async function race<A, B>(ids: string[], one: (id: string) => Promise<A>, other: (id: string) => Promise<B>) {
  const outcomes: [id: string, A, B][] = [];
  for (let n = 0; n < ids.length; n += atOnce) {
    const some = ids.slice(n, n + atOnce);
    outcomes.push(
      ...(await Promise.all(
        some.map(async (id, index): Promise<[string, A, B]> => {
          if (index % 2 === 0) return [id, ...(await Promise.all([one(id), other(id)]))];
          const [b, a] = await Promise.all([other(id), one(id)]);
          return [id, a, b];
        }),
      )),
    );
  }
  return outcomes;
}

const stateOf = async (id: string) => {
  const { status, shippedAt, cancelledAt } = await first.prisma.order.findUniqueOrThrow({ where: { id } });
  return `${status}${shippedAt ? ' shipped' : ''}${cancelledAt ? ' cancelled' : ''}`;
};

it('of a shipment and a cancellation at the same moment exactly one succeeds, in 600 races', async () => {
  const outcomes = await race(await first.paid(600), ship, cancel);
  const won = { ship: 0, cancel: 0 };
  for (const [id, shipped, cancelled] of outcomes) {
    expect([shipped, cancelled].sort()).toEqual([201, 409]);
    const isShipped = shipped === 201;
    won[isShipped ? 'ship' : 'cancel'] += 1;
    expect(await eventsOf(first.prisma, id)).toEqual([isShipped ? 'OrderShipped' : 'OrderCancelled']);
    expect(await stateOf(id)).toBe(isShipped ? 'CONFIRMED shipped' : 'CANCELLED cancelled');
  }
  // Otherwise these were no races.
  expect(Math.min(won.ship, won.cancel)).toBeGreaterThan(0);
}, 240_000);

it('of two shipments at the same moment exactly one succeeds', async () => {
  for (const [id, ...statuses] of await race(
    await first.paid(200),
    (id) => ship(id, 0),
    (id) => ship(id, 1),
  )) {
    expect(statuses.sort()).toEqual([201, 409]);
    expect(await eventsOf(first.prisma, id)).toEqual(['OrderShipped']);
  }
}, 120_000);

it('a person and the timer ship an order once', async () => {
  const ids = await first.paid(200);
  const timer = saga.dueAt(new Date());
  let byTimer = 0;
  const outcomes = await race(ids, ship, async () => {
    byTimer += await timer.ship(3);
  });
  while ((await timer.ship(100)) > 0);
  const byPerson = outcomes.filter(([, status]) => status === 201).length;
  expect([byPerson > 0, byTimer > 0]).toEqual([true, true]);
  for (const [id, status] of outcomes) {
    expect([201, 409]).toContain(status);
    expect(await eventsOf(first.prisma, id)).toEqual(['OrderShipped']);
  }
}, 120_000);

it('of a shipment, the payment and the time-out of a PENDING order, the order is shipped only if it was paid', async () => {
  const ids = await first.paid(200, alice, 'PENDING');
  const deadline = saga.dueAt(new Date(Date.now() + 3_600_000));
  const pay = (id: string) => saga.handle(events.OrderPaid(id));
  const outcomes = await race(
    ids,
    async (id) => {
      const [status] = await Promise.all([ship(id), pay(id)]);
      return status;
    },
    () => deadline.cancelTimedOut(2),
  );
  while ((await deadline.cancelTimedOut(100)) > 0);
  const states = new Set<string>();
  for (const [id, status] of outcomes) {
    const state = await stateOf(id);
    states.add(state);
    expect([201, 409]).toContain(status);
    expect(state === 'CONFIRMED shipped').toBe(status === 201);
    const announced = {
      'CONFIRMED shipped': ['OrderShipped'],
      'CANCELLED cancelled': ['OrderCancelled'],
      CONFIRMED: [],
    };
    expect(await eventsOf(first.prisma, id)).toEqual(announced[state as keyof typeof announced]);
  }
  expect(states).toContain('CANCELLED cancelled');
}, 120_000);
