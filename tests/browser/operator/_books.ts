import type { TestStore } from '../../e2e/_store.ts';
import { auditEffects } from '../../faults/audit/_audit.ts';
import { waitForQuiescence } from '../../faults/audit/_quiescence.ts';
import { readRecordedState } from '../../faults/audit/_recorded-state.ts';
import { queryOnce } from '../../kit/postgres/database.ts';

/** An order of one piece, without the currency. */
export interface Placed {
  id: string;
  productId: string;
  price: number;
}

const initialStock = 1_000; // contract 9
const published = ['OrderCreated', 'StockReserved', 'OrderPaid', 'InvoiceIssued', 'OrderShipped'];
const notified = ['OrderCreated', 'OrderPaid', 'OrderShipped'];

/**
 * Waits until nothing is in flight, and expects every service to hold what these orders caused and nothing else: each order was
 * confirmed, paid and shipped once, and each letter was redriven once.
 * @param letters the number of dead letters, all from payment
 */
export async function expectNothingLostOrDoubled(store: TestStore, orders: Placed[], letters: number): Promise<void> {
  const rows = <T extends object>(database: string, sql: string) => queryOnce<T>(store.databaseUrl(database), sql);
  const view = { store, rows, reported: [], report: () => undefined, signal: AbortSignal.timeout(180_000) };
  await waitForQuiescence(view);
  const state = await readRecordedState(view);
  expect(auditEffects(state)).toEqual([]);

  const placed = orders.sort(byId);
  const sold = new Map<string, number>();
  for (const { productId } of placed) sold.set(productId, (sold.get(productId) ?? 0) + 1);
  const events = state.outboxes.flatMap((outbox) => outbox.events.map(({ key, kind }) => `${key} ${kind}`));
  expect({
    orders: state.orders.sort(byId).map(({ id, status, shippedAt, items }) => [id, status, shippedAt !== null, items]),
    reservations: await rows('inventory', 'select order_id as id, status from reservations order by 1'),
    payments: state.payments.map(({ orderId, status, amount }) => [orderId, status, Number(amount)]).sort(),
    invoices: state.invoices.map(({ orderId, amount }) => [orderId, Number(amount)]).sort(),
    notifications: state.notifications.length,
    events: events.sort(),
    sold: new Map(state.stock.map(({ productId, available }) => [productId, initialStock - available])),
    letters: state.deadLetters.size,
  }).toEqual({
    orders: placed.map(({ id, productId }) => [id, 'CONFIRMED', true, [{ productId, quantity: 1 }]]),
    reservations: placed.map(({ id }) => ({ id, status: 'SHIPPED' })),
    payments: placed.map(({ id, price }) => [id, 'PAID', price]),
    invoices: placed.map(({ id, price }) => [id, price]),
    notifications: placed.length * notified.length,
    events: placed.flatMap(({ id }) => published.map((kind) => `${id} ${kind}`)).sort(),
    sold,
    letters,
  });

  const decisions = await rows<{ id: string; outcome: string }>(
    'payment',
    "select subject as id, after->>'outcome' as outcome from audit where kind = 'dead letter'",
  );
  expect(decisions.map(({ outcome }) => outcome)).toEqual(Array(letters).fill('REDRIVEN'));
  expect(new Set(decisions.map(({ id }) => id)).size).toBe(letters);
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
