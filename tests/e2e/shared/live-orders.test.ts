import { setTimeout as wait } from 'node:timers/promises';
import { createStore, type OrderEvent, StoreProblem } from '@store-platform/client';
import { type Customer, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, type Send, sendExpecting } from '../../kit/http.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from '../_store.ts';

let store: TestStore;
let anonymous: Send;

beforeAll(async () => {
  store = await startTestStore({ components: ['gateway', 'auth', 'account', 'product', 'order'] });
  anonymous = createSend(store.gatewayUrl);
}, 120_000);

afterAll(async () => {
  await store?.stop();
}, 60_000);

/** The orders that a page would show, by the client. */
function follow(cookie: string) {
  const client = createStore({
    url: store.gatewayUrl,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('cookie', cookie);
      return fetch(input, { ...init, headers });
    },
  });
  const events: OrderEvent[] = [];
  const controller = new AbortController();
  const ended = (async () => {
    for await (const event of client.orderEvents({ signal: controller.signal })) events.push(event);
  })().catch((error: unknown) => error);
  return {
    /** Without repeats, which a new connection may bring (contract 4.11). */
    statuses: () => [...new Set(events.map(({ orderId, status }) => `${orderId} ${status}`))],
    ended,
    close: () => controller.abort(),
  };
}

/** A page of a customer that has begun to follow. */
async function following(cookie: string) {
  const before = await openStreams();
  const page = follow(cookie);
  await until('the stream is open', async () => (await openStreams()) > before);
  return page;
}

/** The streams of the process of the order service. */
async function openStreams(): Promise<number> {
  const metrics = await (await fetch(`${store.metricsUrl('order')}/metrics`)).text();
  return Number(/^order_streams_open (\d+)$/m.exec(metrics)?.[1]);
}

async function place(customer: Customer, productId: string): Promise<string> {
  const order = { items: [{ productId, quantity: 1 }] };
  return (await sendExpecting(201, customer.send, 'POST', '/orders', order)).body.id;
}

test('a stream outlives the time-out of routes, and the replica that it was opened at', async () => {
  const ada = await newCustomer(anonymous);
  const tea = await newProduct(ada);
  const page = await following(ada.cookie);
  const first = await place(ada, tea);
  await wait(22_000);
  await sendExpecting(201, ada.send, 'POST', `/orders/${first}/cancellation`);
  const expected = [`${first} PENDING`, `${first} CANCELLED`];
  await until(
    () => `both events have come: ${page.statuses()}`,
    async () => page.statuses().length === 2,
  );
  expect(await openStreams()).toBe(1);

  store.component('order').kill('SIGKILL');
  const orderOf = (sql: string) => queryOnce(store.databaseUrl('order'), sql);
  // While no replica runs, as the worker does.
  await orderOf(`update orders set status = 'CONFIRMED' where id = '${first}'`);
  await until('the replica is started anew', async () => (await ada.send('GET', '/orders')).status === 200);
  const second = await place(ada, tea);
  expected.push(`${first} CONFIRMED`, `${second} PENDING`);
  await until(
    () => `all events have come: ${page.statuses()}`,
    async () => page.statuses().length >= expected.length,
  );
  expect(page.statuses()).toEqual(expected);
  page.close();
  await until('the stream is closed', async () => (await openStreams()) === 0);
}, 120_000);

test.each<[string, (customer: Customer) => Promise<unknown>]>([
  ['a logout', (customer) => sendExpecting(200, customer.send, 'GET', '/auth/logout')],
  ['log out everywhere', async (customer) => customer.send('DELETE', '/auth/sessions')],
])(
  '%s closes the streams of the session within a second, and no others',
  async (_, end) => {
    const [ada, bob] = [await newCustomer(anonymous), await newCustomer(anonymous)];
    const [page, other] = [await following(ada.cookie), await following(bob.cookie)];
    const open = await openStreams();
    await end(ada);
    const endedAt = performance.now();
    await until('the stream is closed', async () => (await openStreams()) === open - 1);
    expect(performance.now() - endedAt).toBeLessThan(1_000);
    const failure = await page.ended;
    expect(failure).toBeInstanceOf(StoreProblem);
    expect(failure).toMatchObject({ status: 401 });
    other.close();
    await other.ended;
  },
  60_000,
);

test('without a token it is 401, and without auth streams are closed', async () => {
  expect((await anonymous('GET', '/orders/events')).status).toBe(401);
  const page = await following((await newCustomer(anonymous)).cookie);
  await store.component('auth').stop();
  try {
    await until('the stream is closed', async () => (await openStreams()) === 0, 12_000);
  } finally {
    await store.component('auth').restart();
  }
  await until('the page is back', async () => (await openStreams()) === 1, 60_000);
  page.close();
}, 120_000);
