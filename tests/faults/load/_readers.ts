import { setTimeout as wait } from 'node:timers/promises';
import { createSend, type Send } from '../../kit/http.ts';
import type { Random } from '../../kit/random.ts';
import type { Fixture } from '../_fixture.ts';
import { cents, isKnown, timed } from '../history/_history.ts';
import { type Shown, shownOf } from '../history/_order-model.ts';
import type { PlacedOrder } from './_orders.ts';
import type { Workload } from './_workload.ts';

/** Limit for unknown outcomes of setting the stock in each part of a run: with ten of them the checker gives up. */
const maxUnknownOutcomes = 2;

// biome-ignore lint/suspicious/noExplicitAny: an order as JSON
type OrderBody = any;

/** Reads an order and records what it shows. @returns undefined if it was deleted or could not be read */
export async function readOrder({ history }: Fixture, { id, customer }: PlacedOrder): Promise<Shown | undefined> {
  const { response, ...times } = await timed(() => customer.send('GET', `/orders/${id}`));
  if (response?.status === 404) history.orders.push([id, { action: { kind: 'miss' }, ...times }]);
  if (response?.status !== 200) return undefined;
  const action = readingOf(response.body);
  history.orders.push([id, { action, ...times }]);
  return action.shown;
}

const readingOf = (order: OrderBody) =>
  ({ kind: 'read', shown: shownOf(order), total: cents(order.total.amount) }) as const;

/** Reads a customer's latest orders. The service reads a list in two steps, so it may show orders deleted in between. */
async function listOrders({ history }: Fixture, { customer }: PlacedOrder): Promise<void> {
  const { response, ...times } = await timed(() => customer.send('GET', '/orders'));
  if (response?.status !== 200) return;
  for (const order of response.body.content) {
    history.orders.push([order.id, { action: { ...readingOf(order), isListed: true }, ...times }]);
  }
}

async function readStock({ history }: Fixture, inventory: Send, productId: string): Promise<void> {
  const { response, ...times } = await timed(() => inventory('GET', `/stock/${productId}`));
  if (response?.status !== 200) return;
  history.stock.push([productId, { action: { kind: 'read', pieces: response.body.available }, ...times }]);
}

/** @returns true if the outcome is known */
async function setStock({ history }: Fixture, inventory: Send, productId: string, available: number): Promise<boolean> {
  const exchange = await timed(() => inventory('PUT', `/stock/${productId}`, { available }));
  const { invokedAt, respondedAt } = exchange;
  const isRefused = isKnown(exchange) && ![200, 201].includes(exchange.response?.status ?? 0);
  if (isRefused) throw new Error(`The stock of ${productId} was not set: ${exchange.response?.text}`);
  history.stock.push([productId, { action: { kind: 'set', pieces: available }, invokedAt, respondedAt }]);
  return isKnown(exchange);
}

/** Starts customers who read their orders, and a warehouse that reads and sets the stock, until stopped. */
export function startReaders(fixture: Fixture, workload: Workload, placed: PlacedOrder[], random: Random) {
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, fixture.signal]);
  const inventory = createSend(fixture.store.url('inventory'), 10_000);
  const done = new Set<PlacedOrder>();
  let unknownOutcomes = 0;
  const oneOf = <T>(some: T[]) => some[random(some.length)];

  async function repeat(pauseMs: number, read: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await read();
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
  async function readOne(): Promise<void> {
    const order = oneOf(placed.filter((order) => !done.has(order)));
    if (order === undefined) return;
    const shown = await readOrder(fixture, order);
    if (shown === 'SHIPPED' || shown === 'CANCELLED PAID') done.add(order);
  }
  async function listSome(): Promise<void> {
    const order = placed.at(-1);
    if (order !== undefined) await listOrders(fixture, order);
  }
  async function restock(): Promise<void> {
    if (unknownOutcomes === maxUnknownOutcomes) return;
    if (!(await setStock(fixture, inventory, workload.restocked, 5_000 + random(1_000)))) unknownOutcomes += 1;
  }
  const readSomeStock = () => readStock(fixture, inventory, oneOf(workload.products) ?? '');
  const readers = [
    ...[100, 100, 150].map((pauseMs) => repeat(pauseMs, readOne)),
    repeat(500, listSome),
    ...[200, 300].map((pauseMs) => repeat(pauseMs, readSomeStock)),
    repeat(2_000, restock),
  ];
  for (const reader of readers) reader.catch(fixture.fail);
  return async () => {
    stopping.abort();
    await Promise.all(readers);
  };
}
