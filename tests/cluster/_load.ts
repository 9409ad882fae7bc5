import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Customer, newCustomer, newProducts, send } from '../e2e/_customer.ts';

export interface Load {
  /** What was not answered as it should, with its time. */
  failures: string[];
  /** Ids of the orders that were confirmed to the customer. */
  orders: Map<string, Customer>;
  requests(): number;
  stop(): Promise<void>;
}

/** Reads and orders through the gateway at a constant rate, whether answered or not, until it is stopped. */
export async function startLoad(url: string, { perSecond = 20, customers: count = 5 } = {}): Promise<Load> {
  const customers: Customer[] = [];
  for (let n = 0; n < count; n += 1) customers.push(await newCustomer(url));
  const products = await newProducts(customers[0] as Customer, 10);

  const failures: string[] = [];
  const orders = new Map<string, Customer>();
  const underWay = new Set<Promise<void>>();
  let requests = 0;

  async function once(n: number): Promise<void> {
    const customer = customers[n % count] as Customer;
    const productId = products[n % products.length] as string;
    const kinds = [
      () => expectStatus(customer.send('POST', '/orders', { items: [{ productId, quantity: 1 }] }, key()), 201),
      () => expectStatus(customer.send('GET', '/products?size=20'), 200),
      () => expectStatus(customer.send('GET', '/orders?size=5'), 200),
      () => expectStatus(customer.send('GET', `/products/${productId}`), 200),
      () => expectStatus(customer.send('GET', '/accounts'), 200),
      () => expectStatus(customer.send('GET', '/api/v1/status/?limit=5'), 200),
      () => expectStatus(send(`${url}/health-check`, 'GET'), 200),
      () => expectStatus(send(`${url}/`, 'GET'), 200),
    ];
    // Checking a password costs as much as a hundred other requests.
    if (n % 50 === 49) return expectStatus(login(customer), 200);
    const body = await (kinds[n % kinds.length] as () => Promise<{ id?: string }>)();
    if (n % kinds.length === 0) orders.set(String(body.id), customer);
  }

  const key = () => ({ 'idempotency-key': randomUUID() });
  const login = ({ email, password }: Customer) => send(`${url}/auth/login`, 'POST', { email, password });

  const timer = setInterval(() => {
    const n = requests;
    requests += 1;
    const began = new Date();
    const work = once(n).catch((error) => {
      const cause = error.cause ? ` (${error.cause.code ?? error.cause.message})` : '';
      failures.push(`${began.toISOString()} after ${Date.now() - began.getTime()} ms: ${error.message}${cause}`);
    });
    underWay.add(work);
    work.finally(() => underWay.delete(work));
  }, 1000 / perSecond);

  return {
    failures,
    orders,
    requests: () => requests,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

async function expectStatus(answer: ReturnType<typeof send>, status: number) {
  const { status: actual, text, body } = await answer;
  if (actual !== status) throw new Error(`${actual} instead of ${status}: ${text.slice(0, 200)}`);
  return body ?? {};
}

/** The orders of these customers, all pages, by id with their state. */
export async function allOrders(customers: Iterable<Customer>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const customer of new Set(customers)) {
    for (let page = 0; ; page += 1) {
      const { body } = await customer.send('GET', `/orders?size=100&page=${page}`);
      for (const { id, status } of body.content) found.set(id, status);
      if (body.content.length < 100) break;
    }
  }
  return found;
}

export async function untilConfirmed(load: Load, seconds = 120): Promise<Map<string, string>> {
  for (const deadline = Date.now() + seconds * 1000; ; await sleep(1000)) {
    const found = await allOrders(load.orders.values());
    if ([...found.values()].every((status) => status === 'CONFIRMED') || Date.now() > deadline) return found;
  }
}
