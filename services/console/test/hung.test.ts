import { randomUUID } from 'node:crypto';
import { askReplicas } from '../src/watch/replicas-client.ts';
import { type Answer, fakeService, testConsole } from './_console.ts';

/** Reads wait 3 s. */
const soonMs = 5_000;
const never = () => new Promise(() => undefined);
const id = randomUUID();
const at = '2026-01-31T09:30:00.000Z';
const order = {
  id,
  customerId: randomUUID(),
  status: 'PENDING',
  total: { amount: 1, currency: 'USD' },
  items: [],
  createdAt: at,
  updatedAt: at,
  version: 1,
  cancelReason: null,
  deletedAt: null,
  events: [],
};
const payment = {
  orderId: id,
  customerId: order.customerId,
  status: 'CHARGING',
  amount: null,
  paymentId: null,
  reason: null,
  createdAt: at,
  updatedAt: at,
  events: [],
};
const noLetters = { group: 'payment-group', total: 0, letters: [] };

const answers: Record<string, Answer> = {
  order: (_, path) => (path === `/internal/orders/${id}` ? order : undefined),
  payment: (_, path) => (path.startsWith('/internal/payments/') ? payment : noLetters),
  inventory: never,
};
const closers: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

async function consoleBefore(hung: string, more: Record<string, Answer> = {}) {
  const services: Record<string, string> = {};
  for (const [name, answer] of Object.entries({ ...answers, ...more, [hung]: never })) {
    const service = await fakeService(answer);
    closers.push(service.close);
    services[name] = service.url;
  }
  const console = testConsole(services);
  await console.ready;
  closers.push(console.close);
  return console;
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const begin = performance.now();
  return { value: await work, ms: performance.now() - begin };
}

it('an order shows what the others know while a service hangs, and names that one', async () => {
  const console = await consoleBefore('inventory');
  const cookie = await console.login();
  const quick = await timed(Promise.resolve(console.read(`/api/orders/${id}?withinMs=1000`, cookie).expect(200)));
  expect(quick.ms).toBeLessThan(2_500);
  expect(quick.value.body).toMatchObject({ order: { id }, payment: { status: 'CHARGING' } });
  expect(quick.value.body.problems).toContain('The inventory service has not answered within 1 s.');
  const { value, ms } = await timed(Promise.resolve(console.read(`/api/orders/${id}`, cookie).expect(200)));
  expect(ms).toBeLessThan(soonMs);
  expect(value.body).toMatchObject({ order: { id }, waitingFor: [] });
  expect(value.body.problems).toContain('The inventory service has not answered within 3 s.');
}, 30_000);

it('an order shows what the others know if the reply of one is not that of its contract, and names that one', async () => {
  const console = await consoleBefore('inventory', { payment: () => ({ ...payment, status: 'LOST' }) });
  const { body } = await console.read(`/api/orders/${id}`, await console.login()).expect(200);
  expect(body).not.toHaveProperty('payment');
  expect(body.problems).toContain('The payment service is not available at the moment. Try again shortly.');
}, 30_000);

it('an order shows what the others know while order itself hangs', async () => {
  const console = await consoleBefore('order');
  const { body } = await console.read(`/api/orders/${id}`, await console.login()).expect(200);
  expect(body).toMatchObject({ order: null, payment: { status: 'CHARGING' } });
  expect(body.problems).toContain('The order service has not answered within 3 s.');
}, 30_000);

it('an unknown order is none at once, whoever hangs', async () => {
  const console = await consoleBefore('inventory');
  const { ms } = await timed(
    Promise.resolve(console.read(`/api/orders/${randomUUID()}`, await console.login()).expect(404)),
  );
  expect(ms).toBeLessThan(2_000);
}, 30_000);

it('stuck orders are listed page by page; while order hangs it is named', async () => {
  const page = { total: 3, orders: [order], next: 'cursor' };
  const stuck: Answer = (_, path) => (path === '/internal/stuck-orders?after=a%26b' ? page : undefined);
  const console = await consoleBefore('inventory', { order: stuck });
  const cookie = await console.login();
  const { body } = await console.read('/api/stuck-orders?after=a%26b', cookie).expect(200);
  expect(body).toMatchObject({ total: 3, orders: [{ id }], next: 'cursor' });
  const hung = await consoleBefore('order');
  const refused = await hung.read('/api/stuck-orders', await hung.login()).expect(503);
  expect(refused.body.detail).toBe('The order service has not answered within 3 s.');
  expect(refused.headers['retry-after']).toBe('1');
}, 30_000);

it('dead letters of the groups that answer are shown, and the hung one is named', async () => {
  const console = await consoleBefore('inventory');
  const { value, ms } = await timed(
    Promise.resolve(console.read('/api/dead-letters', await console.login()).expect(200)),
  );
  expect(ms).toBeLessThan(soonMs);
  expect(value.body).toMatchObject([
    { service: 'order' },
    { service: 'payment', group: 'payment-group' },
    { service: 'inventory', problem: 'The inventory service has not answered within 3 s.' },
  ]);
}, 30_000);

it('a hung process is gone, and says so in words', async () => {
  const hung = await fakeService(never);
  closers.push(hung.close);
  const [replica] = await askReplicas(hung.url, hung.url);
  expect(replica).toMatchObject({ state: 'GONE', waitingFor: ['no answer within 3 s'] });
}, 30_000);
