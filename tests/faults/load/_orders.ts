import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fixture } from '../_fixture.ts';
import { cents, type Exchange, isKnown, itemsText } from '../history/_history.ts';
import type { OrderAction } from '../history/_order-model.ts';
import { readOrder } from './_readers.ts';
import { sendWithRetries } from './_requests.ts';
import type { PlannedOrder } from './_workload.ts';

export interface PlacedOrder extends PlannedOrder {
  id: string;
}

const mostInFlight = 40;

/**
 * Places the orders, paced so that faults hit them; each request is retried until it has a definite response.
 * @returns once all are placed; the cancellations that are still in flight
 */
export async function placeOrders(
  fixture: Fixture,
  batches: PlannedOrder[][],
  placed: PlacedOrder[],
  pauseMs: () => number,
): Promise<Promise<void>[]> {
  const placements: Promise<PlacedOrder>[] = [];
  const cancellations: Promise<void>[] = [];
  let inFlight = 0;
  for (const batch of batches) {
    for (const planned of batch) {
      inFlight += 1;
      const placement = place(fixture, planned, placed).finally(() => {
        inFlight -= 1;
      });
      const cancellation = placement.then((order) => cancel(fixture, order));
      cancellation.catch(fixture.fail);
      placements.push(placement);
      cancellations.push(cancellation);
    }
    await wait(pauseMs());
    while (inFlight >= mostInFlight) await wait(50);
    fixture.signal.throwIfAborted();
  }
  await Promise.all(placements);
  return cancellations;
}

async function place(fixture: Fixture, planned: PlannedOrder, placed: PlacedOrder[]): Promise<PlacedOrder> {
  const { history, report } = fixture;
  const { customer, items, isRepeated } = planned;
  const key = randomUUID();
  const began = Date.now();
  const ids = new Set<string>();

  function record({ response, invokedAt, respondedAt }: Exchange): void {
    const isPlaced = response?.status === 201;
    if (!isPlaced && respondedAt !== Number.POSITIVE_INFINITY) return; // refused
    const { id, total } = isPlaced ? response.body : {};
    const isReplayed = response?.headers.has('idempotency-replayed') ?? false;
    history.keys.add(key, { action: isPlaced ? { orderId: id, isReplayed } : {}, invokedAt, respondedAt });
    if (!isPlaced || ids.has(id)) return;
    ids.add(id);
    // An earlier request, whose response was lost, may have placed it.
    const action = { kind: 'place', total: cents(total.amount), items: itemsText(items) } as const;
    history.orders.add(id, { action, invokedAt: began, respondedAt });
  }
  const post = () =>
    sendWithRetries(fixture, {
      name: 'POST /orders',
      send: () => customer.send('POST', '/orders', { items }, { 'idempotency-key': key }),
      isDefinite: ({ status }) => status === 201,
      isRetried: ({ status }) => status === 409, // the first request with the key is in flight
      record,
    });
  const [first] = await Promise.all(isRepeated ? [post(), post()] : [post()]);
  if (isRepeated) await post();
  const order: PlacedOrder = { ...planned, id: first?.body.id };
  placed.push(order);
  if (placed.length % 25 === 0) report(`${placed.length} orders placed`);
  return order;
}

async function cancel(fixture: Fixture, order: PlacedOrder): Promise<void> {
  const { customer, cancellation, id } = order;
  if (cancellation === undefined) return;
  const { method, when } = cancellation;
  if (when === 'soon') await wait(150);
  if (when === 'late') await wait(2_000);
  while (when === 'paid' && ['PENDING', undefined].includes(await readOrder(fixture, order))) {
    fixture.signal.throwIfAborted();
    await wait(200);
  }
  const path = method === 'POST' ? `/orders/${id}/cancellation` : `/orders/${id}`;
  await sendWithRetries(fixture, {
    name: `${method} ${path}`,
    send: () => customer.send(method, path, method === 'PATCH' ? { status: 'CANCELLED' } : undefined),
    // 409: already shipped; 404: deleted by a request whose response was lost
    isDefinite: ({ status }) => status < 300 || (method === 'DELETE' ? status === 404 : status === 409),
    record(exchange) {
      const action = cancellationOf(method, exchange);
      const { invokedAt, respondedAt } = exchange;
      if (action) fixture.history.orders.add(id, { action, invokedAt, respondedAt });
    },
  });
}

/** Records the exchange in the order's history. OrderCancelled tells of a lost response, but nothing tells of a deletion. */
function cancellationOf(method: string, exchange: Exchange): OrderAction | undefined {
  if (!isKnown(exchange)) return method === 'DELETE' ? { kind: 'delete' } : undefined;
  switch (exchange.response?.status) {
    case 200:
      return { kind: 'cancel' };
    case 201:
      return { kind: 'cancel', isFirst: true };
    case 204:
      return { kind: 'delete' };
    case 404:
      return { kind: 'miss' };
    case 409:
      return { kind: 'refuse' };
    default:
      return undefined; // 429
  }
}
