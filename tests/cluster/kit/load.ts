import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Customer, logIn, newCustomer, newProduct, tokenCookie } from '../../kit/customer.ts';
import type { HttpResponse, Send } from '../../kit/http.ts';
import { createClient, storedOrders } from './client.ts';
import { findTrustedGateway, say, until } from './cluster.ts';

export interface Failure {
  at: number;
  what: string;
}

interface LoadOptions {
  retriesOrders?: boolean;
  /** Number of clients that place orders, each at up to 1.6 per second. */
  orderers?: number;
  /** Replaces the address and the trusted authority of findTrustedGateway. */
  gateway?: { url: string; ca?: string };
}

const steadyMs = 10_000;

/**
 * Reads, places orders and logs in through the gateway until stopped, on kept-alive and on new connections. Does not retry
 * failed requests. With `retriesOrders`, retries orders under their Idempotency-Key until they succeed.
 */
async function startLoad({ retriesOrders = false, orderers = 3, gateway }: LoadOptions = {}) {
  const { url, ca } = gateway ?? (await findTrustedGateway());
  // Used before and after the load. A kept-alive connection might be closed at the moment it is used again (RFC 9112,
  // 9.3.1).
  const setup = createClient(url, { ca, keepAlive: false });
  const customers: Customer[] = [];
  const products: string[] = [];
  for (let n = 0; n < 3; n += 1) customers.push(await newCustomer(setup.send));
  for (let n = 0; n < 5; n += 1) products.push(await newProduct(customers[0] as Customer));

  const failures: Failure[] = [];
  /** The times of successful requests. */
  const succeeded: number[] = [];
  /** By Idempotency-Key. */
  const placed = new Map<string, { id: string; at: number }>();
  const beganAt = Date.now();
  let isSteady = false;
  let isStopped = false;
  let isGivenUp = false;

  /** Records success or failure, and returns the response if it has the expected status. */
  async function attempt(
    name: string,
    expected: number,
    send: () => Promise<HttpResponse>,
  ): Promise<HttpResponse | undefined> {
    const startedAt = Date.now();
    const result = await send().catch((error: Error) => error.message);
    if (typeof result !== 'string' && result.status === expected) {
      succeeded.push(Date.now());
      return result;
    }
    const cause =
      typeof result === 'string'
        ? result
        : `${result.status} ${result.text}, request ${result.headers.get('x-request-id')},`;
    failures.push({
      at: Date.now(),
      what: `${new Date().toISOString()} ${name}: ${cause} after ${Date.now() - startedAt} ms`,
    });
    return undefined;
  }

  async function worker(n: number, pauseMs: number, turn: (send: Send, n: number) => Promise<unknown>): Promise<void> {
    const { send, close } = createClient(url, { ca, keepAlive: n % 3 !== 2 });
    for (let count = n; !isStopped; count += 1) {
      await turn(send, count);
      await pause(pauseMs);
    }
    close();
  }

  const cookieOf = (n: number) => ({ cookie: customers[n % customers.length]?.cookie ?? '' });
  const paths = ['/products?size=20', '/orders?size=20', '/accounts', '/api/v1/status/?limit=10'];
  const read = (send: Send, n: number) => {
    const path = paths[n % paths.length] ?? '/';
    return attempt(`GET ${path}`, 200, () => send('GET', path, undefined, cookieOf(n)));
  };
  const order = async (send: Send, n: number) => {
    const key = randomUUID();
    const body = { items: [{ productId: products[n % products.length], quantity: 1 }] };
    const headers = { ...cookieOf(n), 'idempotency-key': key };
    do {
      const response = await attempt('POST /orders', 201, () => send('POST', '/orders', body, headers));
      if (response) placed.set(key, { id: response.body.id, at: Date.now() });
      else if (retriesOrders || !isSteady) await pause(250);
    } while ((retriesOrders || !isSteady) && !placed.has(key) && !isGivenUp);
  };
  /** Every replica of auth must accept a new token at once. */
  const login = async (send: Send, n: number) => {
    const { email, password } = customers[n % customers.length] as Customer;
    const response = await attempt('POST /auth/login', 200, () => send('POST', '/auth/login', { email, password }));
    if (response === undefined) return;
    const cookie = tokenCookie(response.headers);
    for (let times = 0; times < 4; times += 1)
      await attempt('GET /accounts with a new token', 200, () => send('GET', '/accounts', undefined, { cookie }));
  };

  const workers = [
    ...[0, 1, 2, 3, 4, 5].map((n) => worker(n, 300, read)),
    ...Array.from({ length: orderers }, (_, n) => worker(n, 600, order)),
    ...[0, 2].map((n) => worker(n, 2_000, login)),
  ];

  const stored = async () => (await Promise.all(customers.map(({ send }) => storedOrders(send)))).flat();

  return {
    failures,
    succeeded,
    /**
     * Waits until no request has failed for 10 s, and forgets the failures until then: they come from a slow machine or from pods
     * that have just started, not from what the test does next. Until then orders are retried, so that none is stored unacknowledged.
     */
    async untilSteady() {
      const last = () => failures.at(-1)?.at ?? beganAt;
      await until('no request fails for 10 s', async () => Date.now() - last() >= steadyMs, 120);
      isSteady = true;
      if (failures.length > 0) say(`load: ${failures.length} requests failed before it was steady`);
      failures.length = 0;
    },
    /** The acknowledged orders, and when they were acknowledged. */
    placed: () => [...placed.values()],
    /** Returns the successful and failed requests since a time. */
    since: (time: number) => ({
      succeeded: succeeded.filter((at) => at >= time).length,
      orders: [...placed.values()].filter(({ at }) => at >= time).length,
      failures: failures.filter(({ at }) => at >= time),
    }),
    /** The longest time without an order since a time, in seconds. */
    longestPause(since: number) {
      const orders = [...placed.values()].map(({ at }) => at).filter((at) => at >= since);
      const times = [since, ...orders.toSorted((a, b) => a - b), Date.now()];
      return Math.max(...times.slice(1).map((at, n) => at - (times[n] ?? at))) / 1000;
    },
    async stop() {
      isStopped = true;
      setTimeout(() => {
        isGivenUp = true;
      }, 60_000).unref();
      await Promise.all(workers);
      say(`load: ${succeeded.length} requests succeeded, ${failures.length} failed, ${placed.size} orders placed`);
      for (const { what } of failures.slice(0, 10)) say(`  failed: ${what}`);
    },
    untilSettled: () =>
      until(`none of ${placed.size} orders is PENDING`, async () =>
        (await stored()).every(({ status }) => status !== 'PENDING'),
      ),
    /** Expects exactly the placed orders to be stored, each once, and all of them to become CONFIRMED. */
    async verify() {
      const orders = await stored();
      expect(orders.length).toBeGreaterThan(0);
      expect(orders.map(({ id }) => id).sort()).toEqual([...placed.values()].map(({ id }) => id).sort());
      await this.untilSettled();
      expect((await stored()).filter(({ status }) => status !== 'CONFIRMED')).toEqual([]);
      for (const customer of customers) expect(await logIn(setup.send, customer)).toMatch(/^__store_jwt_token=/);
      setup.close();
      say(`${orders.length} orders stored: none lost, none duplicated, all confirmed`);
    },
  };
}

export type Load = Awaited<ReturnType<typeof startLoad>>;

/** Runs `during` under load. Stops the load even on failure, so that it cannot disturb the next test. */
export async function underLoad(options: LoadOptions, during: (load: Load) => Promise<void>): Promise<Load> {
  const load = await startLoad(options);
  try {
    await load.untilSteady();
    await during(load);
    await pause(3_000);
  } finally {
    await load.stop();
  }
  return load;
}

/** Expects no failed request and no lost or duplicated order while `during` runs. */
export async function expectNoLoss(during: (load: Load) => Promise<void>, options: LoadOptions = {}): Promise<void> {
  const load = await underLoad(options, during);
  expect(load.failures.map(({ what }) => what)).toEqual([]);
  expect(load.succeeded.length).toBeGreaterThan(50);
  await load.verify();
}
