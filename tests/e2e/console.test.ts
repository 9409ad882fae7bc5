import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSend, sendExpecting } from '../kit/http.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

// Replies of the console while processes hang; tests/browser/long/night.test.ts looks at its pages.

let store: TestStore;
let cookie: string;

beforeAll(async () => {
  store = await startTestStore({
    components: ['product', 'order', 'order-worker', 'inventory', 'payment', 'console'],
    env: { SHIP_AFTER_SECONDS: '5' },
  });
  const token = (await readFile(join(store.dir, 'data/console-token'), 'utf8')).trim();
  const url = store.url('console');
  const login = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ token, name: 'ann' }),
  });
  cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
}, 120_000);

afterAll(() => store?.stop(), 60_000);

async function read(path: string) {
  const begin = performance.now();
  const answer = await createSend(store.url('console'))('GET', `/console/api${path}`, undefined, { cookie });
  return { ...answer, ms: performance.now() - begin };
}

async function place(): Promise<string> {
  const account = { 'id-account': randomUUID() };
  const product = { name: 'Tea', price: 2, unit: 'kg' };
  const { body } = await sendExpecting(201, createSend(store.url('product')), 'POST', '/products', product, account);
  const items = [{ productId: body.id, quantity: 1 }];
  return (await sendExpecting(201, createSend(store.url('order')), 'POST', '/orders', { items }, account)).body.id;
}

async function paused(name: string, work: () => Promise<void>): Promise<void> {
  store.component(name).kill('SIGSTOP');
  try {
    await work();
  } finally {
    store.component(name).kill('SIGCONT');
  }
}

it.each(['inventory', 'payment', 'order'])(
  'while %s hangs, an order shows what the others know, and Now goes on',
  async (name) => {
    const id = await place();
    await until('it is confirmed', async () => (await read(`/orders/${id}`)).body.order.status === 'CONFIRMED');
    await paused(name, async () => {
      const { status, body, ms } = await read(`/orders/${id}`);
      expect(status).toBe(200);
      expect(ms).toBeLessThan(6_000);
      expect(body.problems).toContain(`The ${name} service has not answered within 3 s.`);
      const services = new Set(body.timeline.map(({ service }: { service: string }) => service));
      for (const other of ['order', 'payment']) expect(services.has(other)).toBe(other !== name);
      await until('Now names it', async () => {
        const now = await read('/now');
        expect(now.status).toBe(200);
        const replica = now.body.replicas.find(({ service }: { service: string }) => service === name);
        return replica.state === 'GONE' && replica.waitingFor[0] === 'no answer within 3 s';
      });
    });
  },
  90_000,
);

it('an order that inventory does not see is stuck after a minute, counted and listed', async () => {
  await paused('inventory', async () => {
    const id = await place();
    const placedBefore = `update orders set created_at = now() - interval '2 hours' where id = '${id}'`;
    await queryOnce(store.databaseUrl('order'), placedBefore);
    expect((await read('/stuck-orders')).body).toMatchObject({ total: 1, orders: [{ id, status: 'PENDING' }] });
    await until('it is counted', async () => (await read('/now')).body.points.at(-1)?.stuck === 1);
  });
}, 60_000);
