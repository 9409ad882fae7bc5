import { randomUUID } from 'node:crypto';
import { readMs } from '../src/services-client.ts';
import { askReplicas } from '../src/watch/replicas-client.ts';
import { type Answer, fakeService, testConsole } from './_console.ts';
import { at, order } from './_order.ts';

const never = () => new Promise(() => undefined);
const { id } = order;
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

async function timed<T>(work: PromiseLike<T>): Promise<{ value: T; ms: number }> {
  const begin = performance.now();
  return { value: await work, ms: performance.now() - begin };
}

// The services that hang never answer: a test that waited for one would not end in time.
describe('while a service hangs', () => {
  const charging = expect.arrayContaining([expect.objectContaining({ text: 'The payment is CHARGING' })]);

  it('an order shows what the others know, and names that one', async () => {
    const console = await consoleBefore('inventory');
    const cookie = await console.login();
    const quick = await timed(console.read(`/api/orders/${id}?withinMs=1000`, cookie).expect(200));
    expect(quick.value.body).toMatchObject({ order: { id }, timeline: charging });
    expect(quick.value.body.problems).toContain('The inventory service has not answered within 1 s.');
    const { value, ms } = await timed(console.read(`/api/orders/${id}`, cookie).expect(200));
    expect(value.body).toMatchObject({ order: { id }, waitingFor: [] });
    expect(value.body.problems).toContain('The inventory service has not answered within 3 s.');
    expect(quick.ms).toBeLessThan(ms);
  });

  it('an order shows what the others know if the reply of one is not that of its contract, and names that one', async () => {
    const console = await consoleBefore('inventory', { payment: () => ({ ...payment, status: 'LOST' }) });
    const { body } = await console.read(`/api/orders/${id}`, await console.login()).expect(200);
    expect(body.timeline).not.toContainEqual(expect.objectContaining({ service: 'payment' }));
    expect(body.problems).toContain('The payment service is not available at the moment. Try again shortly.');
  });

  it('an order shows what the others know if it is order itself', async () => {
    const console = await consoleBefore('order');
    const { body } = await console.read(`/api/orders/${id}`, await console.login()).expect(200);
    expect(body).toMatchObject({ order: null, timeline: charging });
    expect(body.problems).toContain('The order service has not answered within 3 s.');
  });

  it('an unknown order is none at once, whoever hangs', async () => {
    const console = await consoleBefore('inventory');
    const cookie = await console.login();
    const { ms } = await timed(console.read(`/api/orders/${randomUUID()}`, cookie).expect(404));
    expect(ms).toBeLessThan(readMs);
  });

  it('stuck orders are listed page by page; it is named if it is order', async () => {
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
  });

  it('dead letters of the groups that answer are shown, and it is named', async () => {
    const console = await consoleBefore('inventory');
    const { body } = await console.read('/api/dead-letters', await console.login()).expect(200);
    expect(body).toMatchObject([
      { service: 'order' },
      { service: 'payment', group: 'payment-group' },
      { service: 'inventory', problem: 'The inventory service has not answered within 3 s.' },
    ]);
  });

  it('its process is gone, and says so in words', async () => {
    const hung = await fakeService(never);
    closers.push(hung.close);
    const [replica] = await askReplicas(hung.url, hung.url);
    expect(replica).toMatchObject({ state: 'GONE', waitingFor: ['no answer within 3 s'] });
  });
});
