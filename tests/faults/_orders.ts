import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Customer, newCustomer, send } from '../kit/customer.ts';
import type { Dice, Fixture } from './_fixture.ts';

export interface Item {
  productId: string;
  quantity: number;
}

/** An order that a customer is going to place, and what he does about it. */
export interface Wish {
  customer: Customer;
  items: Item[];
  /** Sent twice at the same time, and once more afterwards. */
  isRepeated: boolean;
  /** The product whose last piece two want at the same time. */
  race?: string;
  cancelling?: { when: (typeof moments)[number]; method: 'POST' | 'PATCH' | 'DELETE' };
}

/** Of cancelling: when it is surely paid, before that or while it is under way, and about when the order leaves. */
const moments = ['paid', 'at once', 'soon', 'late'] as const;

export interface Placed extends Wish {
  id: string;
  /** What the customer was told about his cancelling. A deletion says nothing about it. */
  told?: 'cancelled' | 'shipped';
}

export interface Shop {
  /** What is placed at one time: one order, or two that race for the last piece. */
  wishes: Wish[][];
  /** The pieces at the beginning, by product. */
  stock: Map<string, number>;
}

export const plenty = 1_000_000;

/** Customers, products, stock and the wishes: for each kind of ending some. */
export async function openShop({ store, say }: Fixture, orders: number, dice: Dice): Promise<Shop> {
  const customers: Customer[] = [];
  for (let n = 0; n < 4; n += 1) customers.push(await newCustomer(store.gatewayUrl));
  const [owner] = customers as [Customer];
  const stock = new Map<string, number>();

  async function newProduct(name: string, price: number, pieces?: number): Promise<string> {
    const { status, body } = await owner.send('POST', '/products', { name, price, unit: 'piece' });
    expect(status).toBe(201);
    stock.set(body.id, pieces ?? plenty);
    if (pieces === undefined) return body.id;
    const set = await send(`${store.urls.inventory}/stock/${body.id}`, 'PUT', { available: pieces });
    expect(set.status).toBeLessThan(300);
    return body.id;
  }

  const races = Math.max(1, Math.round(orders / 25));
  const tea = await newProduct('Tea', 4.5);
  const cup = await newProduct('Cup', 12);
  const samovar = await newProduct('Samovar', 60_000); // two are above what a payment may be
  const rare = await newProduct('Rare', 20, Math.ceil(orders / 8)); // a quarter of the orders want one

  const someone = () => customers[dice(customers.length)] as Customer;
  const wishes: Wish[][] = [];
  for (let n = 0; n < orders - 2 * races; n += 1) {
    const wish: Wish = {
      customer: someone(),
      isRepeated: n % 3 === 0,
      items: [{ productId: tea, quantity: 1 + dice(5) }],
    };
    if (n % 4 === 1) wish.items.push({ productId: rare, quantity: 1 });
    if (n % 4 === 2) wish.items.push({ productId: cup, quantity: 1 + dice(3) });
    if (n % 9 === 4) wish.items = [{ productId: samovar, quantity: n % 2 === 0 ? 2 : 1 }];
    if (n % 5 === 2) {
      const method = (['POST', 'PATCH', 'DELETE'] as const)[dice(3)] ?? 'POST';
      wish.cancelling = { method, when: moments[((n - 2) / 5) % moments.length] ?? 'soon' };
    }
    wishes.push([wish]);
  }
  for (let n = 0; n < races; n += 1) {
    const last = await newProduct(`Last piece ${n}`, 33, 1);
    const [first, second] = [dice(customers.length), 1 + dice(customers.length - 1)];
    const pair = [first, (first + second) % customers.length].map((index) => ({
      customer: customers[index] as Customer,
      items: [{ productId: last, quantity: 1 }],
      isRepeated: false,
      race: last,
    }));
    wishes.splice(dice(wishes.length), 0, pair);
  }
  say(`The shop is open: ${stock.size} products, ${orders} wishes, ${races} races for a last piece`);
  return { wishes, stock };
}

/**
 * Places the orders, paced so that faults meet them; each of them is insisted on.
 * @returns when all are placed, with what is under way still: customers who are going to cancel
 */
export async function placeAll(
  fixture: Fixture,
  wishes: Wish[][],
  placed: Placed[],
  pauseMs: () => number,
): Promise<Promise<void>[]> {
  const placing: Promise<Placed>[] = [];
  const cancelling: Promise<void>[] = [];
  let underWay = 0;
  for (const together of wishes) {
    for (const wish of together) {
      underWay += 1;
      const order = place(fixture, wish, placed).finally(() => {
        underWay -= 1;
      });
      const end = order.then((order) => cancel(fixture, order));
      end.catch(fixture.fail);
      placing.push(order);
      cancelling.push(end);
    }
    await wait(pauseMs());
    while (underWay >= 40) await wait(50);
    fixture.signal.throwIfAborted();
  }
  await Promise.all(placing);
  return cancelling;
}

async function place(fixture: Fixture, wish: Wish, placed: Placed[]): Promise<Placed> {
  const { customer, items, isRepeated } = wish;
  const key = randomUUID();
  const post = () =>
    insist(fixture, {
      what: 'POST /orders',
      ask: () => customer.send('POST', '/orders', { items }, { 'idempotency-key': key }),
      isAnswer: ({ status }) => status === 201,
      isToRepeat: ({ status }) => status === 409, // the first request with the key is still running
    });
  const answers = await Promise.all(isRepeated ? [post(), post()] : [post()]);
  if (isRepeated) answers.push(await post());
  const ids = new Set(answers.map(({ body }) => body.id));
  if (ids.size !== 1) throw new Error(`One Idempotency-Key has made ${ids.size} orders: ${[...ids].join(', ')}`);
  const order: Placed = { ...wish, id: answers[0]?.body.id };
  placed.push(order);
  if (placed.length % 25 === 0) fixture.say(`${placed.length} orders placed`);
  return order;
}

async function cancel(fixture: Fixture, order: Placed): Promise<void> {
  const { customer, cancelling } = order;
  if (cancelling === undefined) return;
  const { method, when } = cancelling;
  if (when === 'soon') await wait(150);
  if (when === 'late') await wait(2_000);
  if (when === 'paid') {
    await insist(fixture, {
      what: `GET /orders/${order.id}, decided`,
      ask: () => customer.send('GET', `/orders/${order.id}`),
      isAnswer: ({ body }) => body?.status === 'CONFIRMED' || body?.status === 'CANCELLED',
      isToRepeat: ({ status }) => status === 200,
      longestMs: Number.POSITIVE_INFINITY, // with the parts being killed again and again
    });
  }
  const path = method === 'POST' ? `/orders/${order.id}/cancellation` : `/orders/${order.id}`;
  const { status } = await insist(fixture, {
    what: `${method} ${path}`,
    ask: () => customer.send(method, path, method === 'PATCH' ? { status: 'CANCELLED' } : undefined),
    // 409: it is shipped; 404: deleted by a request whose answer was lost
    isAnswer: ({ status }) => status < 300 || (method === 'DELETE' ? status === 404 : status === 409),
  });
  if (method !== 'DELETE') order.told = status === 409 ? 'shipped' : 'cancelled';
}

interface Request {
  what: string;
  ask(): Promise<Answer>;
  isAnswer(answer: Answer): boolean;
  isToRepeat?(answer: Answer): boolean;
  longestMs?: number;
}

/** As a careful client does: again after a broken connection and after 5xx, until there is an answer. */
async function insist({ signal }: Fixture, request: Request): Promise<Answer> {
  const { what, ask, isAnswer, isToRepeat = () => false, longestMs = 120_000 } = request;
  for (const deadline = Date.now() + longestMs; ; await wait(200)) {
    signal.throwIfAborted();
    const answer = await ask().catch((error: Error) => error);
    if (!(answer instanceof Error)) {
      if (isAnswer(answer)) return answer;
      if (answer.status < 500 && answer.status !== 429 && !isToRepeat(answer)) {
        throw new Error(`${what} is answered with ${answer.status}: ${answer.text}`);
      }
    }
    if (Date.now() > deadline) {
      const last = answer instanceof Error ? `${answer.message} (${answer.cause})` : `${answer.status} ${answer.text}`;
      throw new Error(`${what} has had no answer for ${longestMs / 1000} s, at last: ${last}`);
    }
  }
}
