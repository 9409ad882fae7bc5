import { randomUUID } from 'node:crypto';
import { readMs } from '../src/services-client.ts';
import { askReplicas } from '../src/watch/replicas-client.ts';
import { type Answer, fakeService, Reply, useConsole } from './_console.ts';
import { at, order } from './_order.ts';

const never = () => new Promise(() => undefined);
const { id, customerId } = order;
const payment = {
  orderId: id,
  customerId,
  status: 'CHARGING',
  amount: null,
  paymentId: null,
  reason: null,
  createdAt: at,
  updatedAt: at,
  events: [],
};
const noLetters = { group: 'payment-group', total: 0, letters: [] };
const stuck = { total: 3, orders: [order], next: 'cursor' };
const answers: Record<string, Answer> = {
  order: (_, path) => ({ [`/internal/orders/${id}`]: order, '/internal/stuck-orders?after=a%26b': stuck })[path],
  payment: (_, path) => (path.startsWith('/internal/payments/') ? payment : noLetters),
  inventory: never,
};
const charging = expect.arrayContaining([expect.objectContaining({ text: 'The payment is CHARGING' })]);
const saysNothing = (name: string, seconds = 3) => `The ${name} service did not answer within ${seconds} s.`;

// Hung services never answer: a test that waited for them would not end in time.
describe('while inventory hangs', () => {
  const console = useConsole(() => answers);
  const read = (path: string) => console.read(`/api${path}`);

  it.each<[string, number]>([
    ['', 3],
    ['?withinMs=1000', 1],
  ])('an order%s shows what other services know, and names inventory', async (query, seconds) => {
    const { body } = await read(`/orders/${id}${query}`);
    expect(body).toMatchObject({ order: { id }, timeline: charging, waitingFor: [] });
    expect(body.problems).toContain(saysNothing('inventory', seconds));
  });

  it('an unknown order gets 404 at once', async () => {
    const begin = performance.now();
    expect((await read(`/orders/${randomUUID()}`)).status).toBe(404);
    expect(performance.now() - begin).toBeLessThan(readMs);
  });

  it('stuck orders are listed page by page', async () => {
    expect((await read('/stuck-orders?after=a%26b')).body).toMatchObject({ ...stuck, orders: [{ id }] });
  });

  it('dead letters of the groups that answer are shown, and inventory is named', async () => {
    expect((await read('/dead-letters')).body).toMatchObject([
      { service: 'order' },
      { service: 'payment', group: 'payment-group' },
      { service: 'inventory', problem: saysNothing('inventory') },
    ]);
  });
});

describe('a change while inventory hangs', () => {
  const stock = { productId: id, available: 5 };
  const inventory: Answer = (method) => (method === 'PUT' ? never() : new Reply(200, stock, { ETag: '"5"' }));
  const console = useConsole(() => ({ inventory }));
  const set = () => console.send('put', `/api/stock/${id}`).send({ available: 7, seen: 5 });

  it('is given up after 3 s, without a claim that it failed', async () => {
    const begin = performance.now();
    const { status, body } = await set();
    expect(performance.now() - begin).toBeLessThan(2 * readMs);
    expect([status, body.detail]).toEqual([
      503,
      `${saysNothing('inventory')} The change may have been made, or may still be made. Check before you try again.`,
    ]);
  });
});

describe('while order hangs', () => {
  const console = useConsole(() => ({ ...answers, order: never }));
  const read = (path: string) => console.read(`/api${path}`);

  it('an order shows what the others know, and names it', async () => {
    const { body } = await read(`/orders/${id}`);
    expect(body).toMatchObject({ order: null, timeline: charging });
    expect(body.problems).toContain(saysNothing('order'));
  });

  it('stuck orders are unavailable, and the message names order', async () => {
    const refused = { status: 503, headers: { 'retry-after': '1' }, body: { detail: saysNothing('order') } };
    expect(await read('/stuck-orders')).toMatchObject(refused);
  });
});

describe("while payment's reply violates its contract", () => {
  const lost = { ...payment, createdAt: 'lost' };
  const console = useConsole(() => ({ ...answers, payment: () => lost, inventory: () => undefined }));

  it('an order shows what the others know, and names it', async () => {
    const { body } = await console.read(`/api/orders/${id}`);
    expect(body.order).toMatchObject({ id });
    expect(body.timeline).not.toContainEqual(expect.objectContaining({ service: 'payment' }));
    expect(body.problems).toContain('The payment service is not available at the moment. Try again shortly.');
  });
});

it('a hung process counts as gone, with the reason in words', async () => {
  const hung = await fakeService(never);
  const [replica] = await askReplicas(hung, hung);
  expect(replica).toMatchObject({ state: 'GONE', waitingFor: ['no answer within 3 s'] });
});
