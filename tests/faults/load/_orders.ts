import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { HttpResponse } from '../../kit/http.ts';
import type { Fixture } from '../_fixture.ts';
import type { PlannedOrder } from './_workload.ts';

export interface PlacedOrder extends PlannedOrder {
  id: string;
  /** Which final state the response to the cancellation implied. The response to a DELETE does not tell. */
  outcome?: 'cancelled' | 'shipped';
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
  const { customer, items, isRepeated } = planned;
  const key = randomUUID();
  const post = () =>
    sendWithRetries(fixture, {
      name: 'POST /orders',
      send: () => customer.send('POST', '/orders', { items }, { 'idempotency-key': key }),
      isDefinite: ({ status }) => status === 201,
      isRetried: ({ status }) => status === 409, // the first request with the key is in flight
    });
  const responses = await Promise.all(isRepeated ? [post(), post()] : [post()]);
  if (isRepeated) responses.push(await post());
  const ids = new Set(responses.map(({ body }) => body.id));
  if (ids.size !== 1) throw new Error(`One Idempotency-Key has created ${ids.size} orders: ${[...ids].join(', ')}`);
  const order: PlacedOrder = { ...planned, id: responses[0]?.body.id };
  placed.push(order);
  if (placed.length % 25 === 0) fixture.report(`${placed.length} orders placed`);
  return order;
}

async function cancel(fixture: Fixture, order: PlacedOrder): Promise<void> {
  const { customer, cancellation } = order;
  if (cancellation === undefined) return;
  const { method, when } = cancellation;
  if (when === 'soon') await wait(150);
  if (when === 'late') await wait(2_000);
  if (when === 'paid') {
    await sendWithRetries(fixture, {
      name: `GET /orders/${order.id} until it is not PENDING`,
      send: () => customer.send('GET', `/orders/${order.id}`),
      isDefinite: ({ body }) => body?.status === 'CONFIRMED' || body?.status === 'CANCELLED',
      isRetried: ({ status }) => status === 200,
      timeoutMs: Number.POSITIVE_INFINITY, // components are being killed again and again
    });
  }
  const path = method === 'POST' ? `/orders/${order.id}/cancellation` : `/orders/${order.id}`;
  const { status } = await sendWithRetries(fixture, {
    name: `${method} ${path}`,
    send: () => customer.send(method, path, method === 'PATCH' ? { status: 'CANCELLED' } : undefined),
    // 409: already shipped; 404: deleted by a request whose response was lost
    isDefinite: ({ status }) => status < 300 || (method === 'DELETE' ? status === 404 : status === 409),
  });
  if (method !== 'DELETE') order.outcome = status === 409 ? 'shipped' : 'cancelled';
}

interface RetriedRequest {
  name: string;
  send(): Promise<HttpResponse>;
  isDefinite(response: HttpResponse): boolean;
  /** Other responses that are retried besides 429 and 5xx. */
  isRetried?(response: HttpResponse): boolean;
  timeoutMs?: number;
}

/** Retries after connection errors, 429 and 5xx, until the response is definite. */
async function sendWithRetries({ signal }: Fixture, request: RetriedRequest): Promise<HttpResponse> {
  const { name, send, isDefinite, isRetried = () => false, timeoutMs = 120_000 } = request;
  for (const deadline = Date.now() + timeoutMs; ; await wait(200)) {
    signal.throwIfAborted();
    const result = await send().catch((error: Error) => error);
    if (!(result instanceof Error)) {
      if (isDefinite(result)) return result;
      if (result.status < 500 && result.status !== 429 && !isRetried(result)) {
        throw new Error(`${name} returned ${result.status}: ${result.text}`);
      }
    }
    if (Date.now() > deadline) {
      const last = result instanceof Error ? `${result.message} (${result.cause})` : `${result.status} ${result.text}`;
      throw new Error(`${name} has not succeeded within ${timeoutMs / 1000} s. The last result: ${last}`);
    }
  }
}
