import { randomUUID } from 'node:crypto';
import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { type Customer, newCustomer, newProducts } from '../../kit/customer.ts';
import { createSend, paginate, type Send } from '../../kit/http.ts';
import { readTopic } from '../../kit/kafka/topic.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from '../_store.ts';

let store: TestStore;
let anonymous: Send;
let ada: Customer;
let products: string[];
let topic: Awaited<ReturnType<typeof readTopic>>;

beforeAll(async () => {
  store = await startTestStore();
  anonymous = createSend(store.gatewayUrl);
  ada = await newCustomer(anonymous);
  products = await newProducts(ada, 3);
  topic = await readTopic('order-events', store.kafkaBrokers);
}, 120_000);

afterAll(async () => {
  await topic?.close();
  await store?.stop();
}, 60_000);

const order = (quantity = 1) => ({ items: products.map((productId) => ({ productId, quantity })) });

const created = (orderId: string) =>
  topic.messages.filter(({ key, headers }) => key === orderId && headers.ce_type === 'OrderCreated');

async function countOrders(): Promise<number> {
  const orders = await queryOnce(store.databaseUrl('order'), 'select from orders');
  return orders.length;
}

describe('a customer', () => {
  it('registers and logs in with a short password, as the specification has no rule', async () => {
    const grace = { name: 'Grace', email: `grace-${randomUUID()}@example.com`, password: 'secret' };
    expect((await anonymous('POST', '/auth/register', grace)).status).toBe(201);
    expect((await anonymous('POST', '/auth/login', grace)).status).toBe(200);
    const refused = await anonymous('POST', '/auth/register', { ...grace, password: '' });
    expect(refused.body.errors).toEqual([{ path: 'body.password', message: 'must have 1 to 128 characters' }]);
  });

  it('sees their own account only', async () => {
    const other = await newCustomer(anonymous);
    const accounts = await ada.send('GET', '/accounts');
    expect(accounts.body).toEqual([expect.objectContaining({ id: ada.accountId, email: ada.email, name: 'Ada' })]);
    expect((await ada.send('GET', `/accounts/${other.accountId}`)).status).toBe(404);
  });

  it('gets 401 without the token cookie, which logout clears', async () => {
    const unauthenticated = await anonymous('GET', '/accounts');
    expect(unauthenticated.status).toBe(401);
    expect(unauthenticated.headers.get('content-type')).toContain('application/problem+json');
    const leaving = await newCustomer(anonymous);
    const logout = await leaving.send('GET', '/auth/logout');
    expect(logout.status).toBe(200);
    expect(logout.headers.get('set-cookie')).toMatch(/^__store_jwt_token=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/);
  });

  it('places an order, whose event is published within the trace of the request', async () => {
    const placed = await ada.send('POST', '/orders', order(2));
    expect(placed.status).toBe(201);
    expect(placed.headers.get('location')).toBe(`/orders/${placed.body.id}`);
    expect(placed.body).toMatchObject({
      customerId: ada.accountId,
      status: 'PENDING',
      total: { amount: 2 * (1.25 + 2.25 + 3.25), currency: 'USD' },
    });
    await until('the event is published', async () => created(placed.body.id).length === 1);
    const [event] = created(placed.body.id);
    expect(JSON.parse(event?.value ?? '')).toMatchObject({ orderId: placed.body.id, customerId: ada.accountId });
    expect(event?.headers).toMatchObject({ ce_type: 'OrderCreated', ce_specversion: '1.0' });
    const traceId = placed.headers.get('x-request-id')?.replaceAll('-', '') ?? 'none';
    expect(event?.headers.traceparent).toContain(traceId);
  });

  it('gets 503 with Retry-After and no order while the product service is unavailable', async () => {
    const before = await countOrders();
    await store.component('product').stop();
    try {
      const response = await ada.send('POST', '/orders', order());
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await countOrders()).toBe(before);
    } finally {
      await store.component('product').restart();
    }
  });

  it('places one order with one event by 20 concurrent requests with the same Idempotency-Key', async () => {
    const before = await countOrders();
    const key = randomUUID();
    const place = () => ada.send('POST', '/orders', order(), { 'idempotency-key': key });
    const responses = await Promise.all(Array.from({ length: 20 }, place));
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const again = await place();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const ids = new Set([...responses, again].filter(({ status }) => status === 201).map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    expect(await countOrders()).toBe(before + 1);
    const last = await ada.send('POST', '/orders', order());
    // The relay publishes in the order of writing: no other event of the key's order can follow the last order's.
    await until('the event of the last order is published', async () => created(last.body.id).length === 1);
    await until('the event is published', async () => created(again.body.id).length > 0);
    expect(created(again.body.id)).toHaveLength(1);
  });
});

describe('collection read through the gateway', () => {
  it.each(['/products?size=7', '/orders?size=7', '/orders?size=7&sort=total,asc'])(
    'returns every item of %s once by Link while others are inserted',
    async (path) => {
      const insert = () =>
        path.startsWith('/orders')
          ? ada.send('POST', '/orders', order(1 + Math.floor(Math.random() * 9)))
          : ada.send('POST', '/products', { name: 'Late', price: 1, unit: 'pc' });
      for (let n = 0; n < 25; n += 1) await insert();
      const idsOf = (page: { body: { id: string }[] & { content?: { id: string }[] } }) =>
        (page.body.content ?? page.body).map(({ id }) => id);
      const before = (await paginate(ada.send, path)).flatMap(idsOf);
      const seen = (await paginate(ada.send, path, insert)).flatMap(idsOf);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(before));
    },
  );

  it('returns every status record in order when each page starts at the last time', async () => {
    await queryOnce(
      store.databaseUrl('status'),
      `insert into station_status (station_id, bikes_available, docks_available, time)
       select n % 5, n, 1, timestamptz '2026-01-01 00:00:00.000001Z' + n * interval '1 second' from generate_series(1, 250) n`,
    );

    const bikes: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await ada.send('GET', `/api/v1/status/?limit=100${cursor}`);
      expect(page.status).toBe(200);
      bikes.push(...page.body.map((record: { bikes_available: number }) => record.bikes_available));
      const last = page.body.at(-1)?.time;
      cursor = last && `&cursor=${encodeURIComponent(last)}`;
    }
    expect(bikes).toEqual(Array.from({ length: 250 }, (_, n) => n + 1));
  });
});

describe('the store under component failures', () => {
  it('returns 503 on secured routes while auth hangs or is stopped', async () => {
    const auth = store.component('auth');
    auth.kill('SIGSTOP');
    try {
      const slow = await ada.send('GET', '/accounts');
      expect(slow.status).toBe(503);
      expect(slow.headers.get('retry-after')).toMatch(/^\d+$/);
    } finally {
      auth.kill('SIGCONT');
    }
    await auth.stop();
    try {
      expect((await ada.send('GET', '/accounts')).status).toBe(503);
    } finally {
      await auth.restart();
    }
    await until('auth responds again', async () => (await ada.send('GET', '/accounts')).status === 200);
  });

  it('publishes all events when the order worker is killed between commit and publishing', async () => {
    await store.component('order-worker').stop();
    const placed = await Promise.all(Array.from({ length: 10 }, () => ada.send('POST', '/orders', order())));
    expect(placed.map(({ status }) => status)).toEqual(Array(10).fill(201));
    await store.component('order').restart();
    await store.component('order-worker').restart();
    store.component('order-worker').kill('SIGKILL');
    await until('all events are published', async () => placed.every(({ body }) => created(body.id).length > 0));
  });

  it('restarts a killed service and reports it', async () => {
    const pid = store.component('product').pid();
    store.component('product').kill('SIGKILL');
    await until('the product service runs again', async () => {
      const now = store.component('product').pid();
      return now !== undefined && now !== pid && (await ada.send('GET', '/products')).status === 200;
    });
    expect(store.supervisorLines.join('\n')).toMatch(/product: killed by SIGKILL/);
  });

  it('accepts orders while Kafka is unavailable and publishes their events afterwards', async () => {
    const kafka = store.component('kafka');
    await kafka.stop();
    const placed = await ada.send('POST', '/orders', order());
    expect(placed.status).toBe(201);
    await kafka.restart();
    await until('the event is published', async () => created(placed.body.id).length > 0, 60_000);
  }, 120_000);

  it('returns 503 while the database is unavailable and 200 once it is back', async () => {
    const postgres = store.component('postgres');
    await postgres.stop();
    const unavailable = await ada.send('GET', '/products');
    expect(unavailable.status).toBe(503);
    expect(unavailable.headers.get('content-type')).toContain('application/problem+json');
    await postgres.restart();
    await until('the products can be listed again', async () => (await ada.send('GET', '/products')).status === 200);
  });
});

describe('make demo', () => {
  it('shows the three outcomes of an order', async () => {
    const demo = ['tools/local/commands/demo.ts'];
    const { stdout } = await execa(process.execPath, demo, {
      cwd: root,
      env: { GATEWAY_URL: store.gatewayUrl, NODE_OPTIONS: '' },
    });
    expect(stdout).toMatch(/First outcome.*CONFIRMED[\s\S]*Second outcome.*CANCELLED[\s\S]*Third outcome/);
    expect(stdout).toContain('Everything went as expected.');
  });
});

describe('the store', () => {
  it.each(['/v3/api-docs', '/apidocs-ui.html', '/internal/accounts', '/check', '/health/ready', '/metrics', '/solve'])(
    'does not route %s',
    async (path) => {
      expect((await ada.send('GET', path)).status).toBe(404);
      expect((await anonymous('GET', path)).status).toBe(401);
    },
  );

  it('writes no password or token to any log', async () => {
    const logs = await store.logs();
    expect(logs).toContain('Request handled');
    expect(logs).not.toContain(ada.password);
    expect(logs).not.toContain(ada.cookie.split('=')[1]);
  });
});
