import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { root } from '../../tools/paths.ts';
import { type Customer, newCustomer, newProducts, paginate, send } from '../kit/customer.ts';
import { readEvents } from './_events.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

let store: TestStore;
let ada: Customer;
let products: string[];
let topic: Awaited<ReturnType<typeof readEvents>>;

beforeAll(async () => {
  store = await startTestStore();
  ada = await newCustomer(store.gatewayUrl);
  products = await newProducts(ada, 3);
  topic = await readEvents(store.kafkaBrokers);
}, 120_000);

afterAll(async () => {
  await topic?.stop();
  await store?.stop();
}, 60_000);

const order = (quantity = 1) => ({ items: products.map((productId) => ({ productId, quantity })) });

/** Its OrderCreated: what comes after it is another matter. */
const created = (orderId: string) => topic.of(orderId).filter(({ headers }) => headers.ce_type === 'OrderCreated');

async function countIn(database: string, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: store.databaseUrl(database) });
  await client.connect();
  const { rows } = await client.query(`select count(*)::int as count from ${table}`);
  await client.end();
  return rows[0].count;
}

describe('a customer', () => {
  it('sees her own account and nobody else', async () => {
    const other = await newCustomer(store.gatewayUrl);
    const accounts = await ada.send('GET', '/accounts');
    expect(accounts.body).toEqual([expect.objectContaining({ id: ada.accountId, email: ada.email, name: 'Ada' })]);
    expect((await ada.send('GET', `/accounts/${other.accountId}`)).status).toBe(404);
  });

  it('is a stranger without the cookie, and after logout clears it', async () => {
    const stranger = await send(`${store.gatewayUrl}/accounts`, 'GET');
    expect(stranger.status).toBe(401);
    expect(stranger.headers.get('content-type')).toContain('application/problem+json');
    const logout = await ada.send('GET', '/auth/logout');
    expect(logout.status).toBe(200);
    expect(logout.headers.get('set-cookie')).toMatch(/^__store_jwt_token=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/);
  });

  it('places an order whose event is on the topic with its trace', async () => {
    const traceId = randomUUID().replaceAll('-', '');
    const placed = await ada.send('POST', '/orders', order(2), { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    expect(placed.status).toBe(201);
    expect(placed.headers.get('location')).toBe(`/orders/${placed.body.id}`);
    expect(placed.body).toMatchObject({
      customerId: ada.accountId,
      status: 'PENDING',
      total: { amount: 2 * (1.25 + 2.25 + 3.25), currency: 'USD' },
    });
    await until('the event is on the topic', async () => created(placed.body.id).length === 1);
    const [event] = created(placed.body.id);
    expect(event?.payload).toMatchObject({ orderId: placed.body.id, customerId: ada.accountId });
    expect(event?.headers).toMatchObject({ ce_type: 'OrderCreated', ce_specversion: '1.0' });
    expect(event?.headers.traceparent).toContain(traceId);
  });

  it('gets 503 with Retry-After while the product service is away, and nothing is stored', async () => {
    const before = await countIn('order', 'orders');
    await store.component('product').stop();
    try {
      const refused = await ada.send('POST', '/orders', order());
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await countIn('order', 'orders')).toBe(before);
    } finally {
      await store.component('product').restart();
    }
  });

  it('places one order and causes one event with 20 concurrent requests of one Idempotency-Key', async () => {
    const before = await countIn('order', 'orders');
    const key = randomUUID();
    const place = () => ada.send('POST', '/orders', order(), { 'idempotency-key': key });
    const answers = await Promise.all(Array.from({ length: 20 }, place));
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const again = await place();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const ids = new Set([...answers, again].filter(({ status }) => status === 201).map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    expect(await countIn('order', 'orders')).toBe(before + 1);
    const last = await ada.send('POST', '/orders', order());
    // The relay keeps the order of writing, so what is behind the key's order has come after all of its events.
    await until('a later event is on the topic', async () => created(last.body.id).length === 1);
    await until('the event is on the topic', async () => created(again.body.id).length > 0);
    expect(created(again.body.id)).toHaveLength(1);
  });
});

describe('collections through the gateway', () => {
  it.each(['/products?size=7', '/orders?size=7', '/orders?size=7&sort=total,asc'])(
    'are walked by Link with every item once while others are inserted: %s',
    async (path) => {
      const insert = () =>
        path.startsWith('/orders')
          ? ada.send('POST', '/orders', order(1 + Math.floor(Math.random() * 9)))
          : ada.send('POST', '/products', { name: 'Late', price: 1, unit: 'pc' });
      for (let n = 0; n < 25; n += 1) await insert();
      const idsOf = (page: { body: { id: string }[] & { content?: { id: string }[] } }) =>
        (page.body.content ?? page.body).map(({ id }) => id);
      const there = (await paginate(ada, path)).flatMap(idsOf);
      const seen = (await paginate(ada, path, insert)).flatMap(idsOf);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(there));
    },
  );

  it('have a status cursor as specified', async () => {
    const client = new pg.Client({ connectionString: store.databaseUrl('status') });
    await client.connect();
    await client.query(
      `insert into station_status (station_id, bikes_available, docks_available, time)
       select n % 5, n, 1, timestamptz '2026-01-01 00:00:00.000001Z' + n * interval '1 second' from generate_series(1, 250) n`,
    );
    await client.end();
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

describe('what is away or dies', () => {
  it('is 503 while auth is stopped, and while it hangs', async () => {
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
    await until('auth answers again', async () => (await ada.send('GET', '/accounts')).status === 200);
  });

  it('loses no event when the order worker is killed between commit and publishing', async () => {
    await store.component('order-worker').stop();
    const placed = await Promise.all(Array.from({ length: 10 }, () => ada.send('POST', '/orders', order())));
    expect(placed.map(({ status }) => status)).toEqual(Array(10).fill(201));
    await store.component('order').restart();
    await store.component('order-worker').restart();
    store.component('order-worker').kill('SIGKILL');
    await until('all events are on the topic', async () => placed.every(({ body }) => created(body.id).length > 0));
  });

  it('is started again, and said so', async () => {
    const pid = store.component('product').pid();
    store.component('product').kill('SIGKILL');
    await until('it runs again', async () => {
      const now = store.component('product').pid();
      return now !== undefined && now !== pid && (await ada.send('GET', '/products')).status === 200;
    });
    expect(store.said.join('\n')).toMatch(/product: was ended by SIGKILL/);
  });

  it('takes orders while Kafka is away and publishes them later', async () => {
    const kafka = store.component('kafka');
    await kafka.stop();
    const placed = await ada.send('POST', '/orders', order());
    expect(placed.status).toBe(201);
    await kafka.restart();
    await until('the event is on the topic', async () => created(placed.body.id).length > 0, 60);
  }, 120_000);

  it('answers 503 while the database is away, and 200 once it is back', async () => {
    const postgres = store.component('postgres');
    await postgres.stop();
    const away = await ada.send('GET', '/products');
    expect(away.status).toBe(503);
    expect(away.headers.get('content-type')).toContain('application/problem+json');
    await postgres.restart();
    await until('products are listed again', async () => (await ada.send('GET', '/products')).status === 200);
  });
});

describe('the README', () => {
  it('prints requests that work as printed', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const [, script = ''] = /## Ten requests[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(script.match(/^.*curl/gm)?.length).toBeGreaterThanOrEqual(10);
    const own = script
      .replaceAll('http://localhost:8080', store.gatewayUrl)
      .replaceAll('http://localhost:8083', store.urls.product);
    const cwd = await mkdtemp(join(tmpdir(), 'store-readme-'));
    const { stdout } = await execa('bash', ['-euc', own], { cwd });
    await rm(cwd, { recursive: true });
    expect(stdout).toContain('"status":"PENDING"');
    expect(stdout).toContain('openapi: 3.1.0');
  });
});

describe('make demo', () => {
  it('shows the three endings of an order', async () => {
    const demo = ['--import', 'tsx', 'tools/local/commands/demo.ts'];
    const { stdout } = await execa(process.execPath, demo, {
      cwd: root,
      env: { GATEWAY_URL: store.gatewayUrl, NODE_OPTIONS: '' },
    });
    expect(stdout).toMatch(/First ending.*CONFIRMED[\s\S]*Second ending.*CANCELLED[\s\S]*Third ending/);
    expect(stdout).toContain('All of it went as it should.');
  });
});

describe('what nobody may see', () => {
  it.each(['/v3/api-docs', '/apidocs-ui.html', '/internal/accounts', '/check', '/health/ready', '/metrics', '/solve'])(
    'is not routed: %s',
    async (path) => {
      expect((await ada.send('GET', path)).status).toBe(404);
      expect((await send(`${store.gatewayUrl}${path}`, 'GET')).status).toBe(401);
    },
  );

  it('keeps passwords, tokens and keys out of every log', async () => {
    const logs = await store.logs();
    expect(logs).toContain('Request handled');
    expect(logs).not.toContain(ada.password);
    expect(logs).not.toContain(ada.cookie.split('=')[1]);
  });
});
