import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Customer, createClient, logIn, newCustomer, newProduct, type Send, storedOrders } from './client.ts';
import { findGateway, say, until } from './cluster.ts';

export interface Failure {
  at: number;
  what: string;
}

/**
 * Reads, orders and logins through the gateway until stopped, on connections that are kept and on new ones. Nothing is
 * sent again, except that with `insists` an order is repeated under its Idempotency-Key until it is taken.
 */
async function startLoad({ insists = false } = {}) {
  const url = await findGateway();
  const setup = createClient(url);
  const customers: Customer[] = [];
  const products: string[] = [];
  for (let n = 0; n < 3; n += 1) customers.push(await newCustomer(setup.send));
  for (let n = 0; n < 5; n += 1) products.push(await newProduct(setup.send, customers[0] as Customer));

  const failures: Failure[] = [];
  const answered: number[] = [];
  /** By their Idempotency-Key. */
  const placed = new Map<string, { id: string; at: number }>();
  let takesOrders = true;
  let isOver = false;
  let isGivenUp = false;

  /** Whether it was answered as it has to be. */
  async function attempt(what: string, expected: number, ask: () => ReturnType<Send>) {
    const began = Date.now();
    const answer = await ask().catch((error: Error) => error.message);
    if (typeof answer !== 'string' && answer.status === expected) {
      answered.push(Date.now());
      return answer;
    }
    const said =
      typeof answer === 'string'
        ? answer
        : `${answer.status} ${JSON.stringify(answer.body)}, request ${answer.headers['x-request-id']},`;
    failures.push({
      at: Date.now(),
      what: `${new Date().toISOString()} ${what}: ${said} after ${Date.now() - began} ms`,
    });
    return undefined;
  }

  async function worker(n: number, restMs: number, turn: (send: Send, n: number) => Promise<unknown>): Promise<void> {
    const fresh = n % 3 === 2;
    const { send, close } = createClient(url, fresh);
    for (let count = n; !isOver; count += 1) {
      await turn(send, count);
      await pause(restMs);
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
    if (!takesOrders) return;
    const key = randomUUID();
    const body = { items: [{ productId: products[n % products.length], quantity: 1 }] };
    const headers = { ...cookieOf(n), 'idempotency-key': key };
    do {
      const answer = await attempt('POST /orders', 201, () => send('POST', '/orders', body, headers));
      if (answer) placed.set(key, { id: answer.body.id, at: Date.now() });
      else if (insists) await pause(250);
    } while (insists && !placed.has(key) && !isGivenUp);
  };
  /** A token that was signed just now is good on whatever copy checks it. */
  const login = async (send: Send, n: number) => {
    const who = customers[n % customers.length] as Customer;
    const answer = await attempt('POST /auth/login', 200, () =>
      send('POST', '/auth/login', { email: who.email, password: who.password }),
    );
    const cookie = String(answer?.headers['set-cookie']).split(';')[0] ?? '';
    for (let times = 0; answer && times < 4; times += 1)
      await attempt('GET /accounts with a new token', 200, () => send('GET', '/accounts', undefined, { cookie }));
  };

  const workers = [
    ...[0, 1, 2, 3, 4, 5].map((n) => worker(n, 300, read)),
    ...[0, 1, 2].map((n) => worker(n, 600, order)),
    ...[0, 2].map((n) => worker(n, 2_000, login)),
  ];

  const stored = async () => (await Promise.all(customers.map((one) => storedOrders(setup.send, one)))).flat();

  return {
    failures,
    answered,
    /** Whether orders are placed; the rest goes on. */
    takeOrders(wanted: boolean) {
      takesOrders = wanted;
    },
    /** How much was done and what failed since that time. */
    since: (time: number) => ({
      answered: answered.filter((at) => at >= time).length,
      orders: [...placed.values()].filter(({ at }) => at >= time).length,
      failures: failures.filter(({ at }) => at >= time),
    }),
    async stop() {
      isOver = true;
      setTimeout(() => {
        isGivenUp = true;
      }, 60_000).unref();
      await Promise.all(workers);
      say(`load: ${answered.length} requests answered, ${placed.size} orders taken, ${failures.length} failed`);
      for (const { what } of failures.slice(0, 10)) say(`  failed: ${what}`);
    },
    settled: () =>
      until(`all ${placed.size} orders have come to their end`, async () =>
        (await stored()).every(({ status }) => status !== 'PENDING'),
      ),
    /** Every order that was taken is stored once, nothing else is, and all are confirmed. */
    async verify() {
      const orders = await stored();
      expect(orders.length).toBeGreaterThan(0);
      expect(orders.map(({ id }) => id).sort()).toEqual([...placed.values()].map(({ id }) => id).sort());
      await this.settled();
      expect((await stored()).filter(({ status }) => status !== 'CONFIRMED')).toEqual([]);
      for (const customer of customers) expect(await logIn(setup.send, customer)).toMatch(/^__store_jwt_token=/);
      setup.close();
      say(`${orders.length} orders stored, none lost, none doubled, all confirmed`);
    },
  };
}

export type Load = Awaited<ReturnType<typeof startLoad>>;

/** Stops the load whatever happens, so that it does not go on beside the next test. */
export async function underLoad(options: { insists?: boolean }, during: (load: Load) => Promise<void>): Promise<Load> {
  const load = await startLoad(options);
  try {
    await pause(5_000);
    await during(load);
    await pause(3_000);
  } finally {
    await load.stop();
  }
  return load;
}

/** 0 failed requests, 0 lost or doubled orders, whatever is done meanwhile. */
export async function losesNothing(during: (load: Load) => Promise<void>): Promise<void> {
  const load = await underLoad({}, during);
  expect(load.failures.map(({ what }) => what)).toEqual([]);
  expect(load.answered.length).toBeGreaterThan(50);
  await load.verify();
}
