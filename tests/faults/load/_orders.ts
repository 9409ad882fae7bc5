import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { HttpResponse } from '../../kit/http.ts';
import type { Fixture } from '../_fixture.ts';
import { cents, type Exchange, isKnown, itemsText, timed } from '../history/_history.ts';
import type { OrderAction } from '../history/_order-model.ts';
import { readOrder } from './_readers.ts';
import type { PlannedOrder } from './_workload.ts';

export interface PlacedOrder extends PlannedOrder {
  id: string;
}

const mostInFlight = 40;

/**
 * Places the orders, paced so that faults hit them; each request is retried until it has a definite response.
 * @returns the cancellations that are still in flight once all orders are placed
 */
export async function placeOrders(
  fixture: Fixture,
  batches: PlannedOrder[][],
  placed: PlacedOrder[],
  pauseMs: () => number,
): Promise<Promise<void>[]> {
  const placements = new Set<Promise<PlacedOrder>>();
  const cancellations: Promise<void>[] = [];
  for (const batch of batches) {
    for (const planned of batch) {
      const placement = place(fixture, planned, placed).finally(() => placements.delete(placement));
      placements.add(placement);
      const cancellation = placement.then((order) => cancel(fixture, order));
      cancellation.catch(fixture.fail);
      cancellations.push(cancellation);
    }
    await wait(pauseMs());
    while (placements.size >= mostInFlight) await wait(50);
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
    history.keys.push([key, { action: isPlaced ? { orderId: id, isReplayed } : {}, invokedAt, respondedAt }]);
    if (!isPlaced || ids.has(id)) return;
    ids.add(id);
    // An earlier request whose response was lost may have placed the order.
    const action = { kind: 'place', total: cents(total.amount), items: itemsText(items) } as const;
    history.orders.push([id, { action, invokedAt: began, respondedAt }]);
  }
  const post = () =>
    sendUntilDefinite(
      fixture,
      'POST /orders',
      () => customer.send('POST', '/orders', { items }, { 'idempotency-key': key }),
      ({ status }) => status === 201,
      record,
      [409, 429], // 409: the first request with the key is in flight
    );
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
  await sendUntilDefinite(
    fixture,
    `${method} ${path}`,
    () => customer.send(method, path, method === 'PATCH' ? { status: 'CANCELLED' } : undefined),
    // 409: already shipped; 404: deleted by a request whose response was lost
    ({ status }) => status < 300 || (method === 'DELETE' ? status === 404 : status === 409),
    (exchange) => {
      const { response, invokedAt, respondedAt } = exchange;
      // An OrderCancelled event reveals a cancellation whose response was lost; nothing reveals a deletion.
      const lost = method === 'DELETE' ? actions[204] : undefined;
      const action = isKnown(exchange) ? actions[response?.status ?? 0] : lost;
      if (action) fixture.history.orders.push([id, { action, invokedAt, respondedAt }]);
    },
  );
}

/** The order as the response to a cancellation describes it. */
const actions: Record<number, OrderAction> = {
  200: { kind: 'cancel' },
  201: { kind: 'cancel', isFirst: true },
  204: { kind: 'delete' },
  404: { kind: 'miss' },
  409: { kind: 'refuse' },
};

const timeoutMs = 120_000;

/**
 * Repeats a request while its outcome is unknown or its status is in `retried`.
 * @param record called with every attempt
 */
async function sendUntilDefinite(
  { signal }: Fixture,
  name: string,
  send: () => Promise<HttpResponse>,
  isDefinite: (response: HttpResponse) => boolean,
  record: (exchange: Exchange) => void,
  retried = [429],
): Promise<HttpResponse> {
  for (const deadline = Date.now() + timeoutMs; ; await wait(200)) {
    signal.throwIfAborted();
    const exchange = await timed(send);
    record(exchange);
    const { response, error } = exchange;
    const last = response ? `${response.status}: ${response.text}` : `${error?.message} (${error?.cause})`;
    if (response !== undefined && isKnown(exchange)) {
      if (isDefinite(response)) return response;
      if (!retried.includes(response.status)) throw new Error(`${name} returned ${last}`);
    }
    if (Date.now() > deadline) throw new Error(`${name} has not succeeded within ${timeoutMs / 1000} s: ${last}`);
  }
}
