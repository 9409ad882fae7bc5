import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { listen, serve } from '../../../../tests/kit/listen.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { createEndpointClient } from '../../src/groups/webhook/endpoint-client.ts';
import { createSecretBox, newSecret } from '../../src/groups/webhook/secrets.ts';
import { customerId } from '../consumer/_fixture.ts';
import { cancelled, paid, type TestGroup, testGroup, webhookKey } from './_group.ts';

const shown = (id: string) => ({
  id,
  customerId,
  status: 'CONFIRMED',
  total: { amount: 12.75, currency: 'USD' },
  items: [],
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
  version: 2,
  metadata: { note: '"' },
  payment: { status: 'paid', refunded: { amount: 0, currency: 'USD' } },
});

let orderUrl = '';
/** Fields of orders that are answered in another way. */
const answered = new Map<string, object>();
/** Ids of events that the order service has not followed. */
const unfollowed = new Set<string>();
beforeAll(async () => {
  orderUrl = await serve((req, res) => {
    const asked = new URL(req.url ?? '', 'http://order').searchParams;
    const orders = asked.getAll('id').map((id) => ({ ...shown(id), ...answered.get(id) }));
    const behind = asked.getAll('event').filter((id) => unfollowed.has(id));
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ orders, behind }));
  });
});

/** Hosts of URLs that lead to the machine, the cluster or its cloud, as somebody would write them who hopes that it is not noticed. */
const hostilePlaces = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0X7F.0.0.1',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
  ],
  ...['0', '0.0.0.0', '0x0', '255.255.255.255', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '224.0.0.1'],
  // Metadata and other services of clouds.
  ...[
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '[fd00:ec2::254]',
  ],
  ...[
    '１２７.０.０.１',
    '127。0。0。1',
    '127．0．0．1',
    '①②⑦.0.0.1',
    '%31%32%37.0.0.1',
    '127%2e0%2e0%2e1',
    '127.0.0.\t1',
  ],
  ...[
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::FFFF:7f00:1]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...[
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a00:1]',
    '[64:ff9b:1::10.0.0.1]',
    '[2002:7f00:1::]',
    '[2002:a00:1::1]',
    '[2001::1]',
  ],
  ...['[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd12::1]', '[ff02::1]', '[100::1]', '[5f00::1]'],
  ...[
    '[fe80::1%25eth0]',
    '[::1',
    '',
    ' ',
    '127.0.0.1\\@example.com',
    'a:sesame@example.com',
    'a@example.com',
    ':sesame@example.com',
  ],
  ...['example.com:80', 'example.com:0', 'example.com:8443', 'example.com:65536', 'example.com:x'],
];
const hostileUrls = [
  ...[
    'HTTPS://127.0.0.1/',
    'https:127.0.0.1',
    'https:\\\\127.0.0.1\\',
    'ht\ntps://127.0.0.1/',
    ' https://127.0.0.1/ ',
    '//127.0.0.1/',
  ],
  ...[
    'http://example.com/',
    'HTTP://example.com:443/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:,x',
    'unix:/run/x.sock',
  ],
  ...[
    'javascript:alert(1)',
    'blob:https://example.com/x',
    'gopher://example.com/',
    'ws://example.com/',
    'wss://example.com/',
  ],
  ...[
    'https://example.com/#sesame',
    `https://example.com/${'x'.repeat(2_000)}`,
    'https://example.com/\u0000',
    'https://\ud800.com/',
  ],
];

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

type Answer = number | 'hang' | 'trickle' | Promise<number> | [number, Record<string, string>];

/** An endpoint. `answer` decides its status and headers, from the number of the request and its body. */
async function endpoint(answer: (n: number, body: string) => Answer = () => 200) {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    const body = await text(req);
    received.push({ headers: req.headers, body });
    const answered = await answer(received.length, body);
    if (answered === 'hang') return;
    if (answered === 'trickle') {
      const trickling = setInterval(() => res.write('.'), 100);
      res.writeHead(200).on('close', () => clearInterval(trickling));
      return;
    }
    const [status, headers] = typeof answered === 'number' ? [answered, {}] : answered;
    res.writeHead(status, headers).end('ok');
  });
  const url = `http://127.0.0.1:${await listen(server)}/hook`;
  return { url, received, close: () => server.close().closeAllConnections() };
}

const operator = { 'id-account': customerId, 'account-roles': 'operator' };
const asOperator = (group: TestGroup) => {
  const send = (method: 'get' | 'post' | 'patch' | 'delete') => (path: string, body?: object) =>
    request(group.app)[method](path).set(operator).send(body);
  return { get: send('get'), post: send('post'), patch: send('patch'), remove: send('delete') };
};

describe('webhooks', () => {
  const database = useDatabase('consumers', 'each');
  let group: TestGroup;
  let jobs: ReturnType<TestGroup['startJobs']> = [];
  const logged: string[] = [];
  const open: { close(): unknown }[] = [];

  beforeEach(() => {
    logged.length = 0;
    group = testGroup(database.url, 'webhook-group', { ORDER_URL: orderUrl });
  });
  afterEach(async () => {
    await Promise.all(jobs.map((job) => job.stop()));
    jobs = [];
    for (const one of open.splice(0)) one.close();
    await group.close();
  });

  const start = () => {
    jobs = group.startJobs({ write: (line) => logged.push(line) });
  };

  async function hook(answer?: Parameters<typeof endpoint>[0], body: object = {}) {
    const receiver = await endpoint(answer);
    open.push(receiver);
    const { body: made } = await asOperator(group)
      .post('/webhooks', { url: receiver.url, kinds: ['OrderPaid', 'OrderCancelled'], ...body })
      .expect(201);
    return { ...receiver, ...(made as { id: string; secret: string }) };
  }
  const deliveriesOf = async (id: string) =>
    (await asOperator(group).get(`/webhooks/${id}/deliveries?size=100`).expect(200)).body;
  const stateOf = async (id: string) => (await asOperator(group).get(`/webhooks/${id}`).expect(200)).body.state;
  /** Makes everything that waits due, as if the time had passed. */
  const skipWaits = () =>
    group.prisma
      .$executeRaw`update webhook_deliveries set due_at = now() where due_at > now() and due_at < 'infinity' and tries > 0`;
  const skipPauses = async () => {
    await skipWaits();
    await group.prisma.$executeRaw`update webhooks set resting_until = now()`;
  };
  const untilState = (id: string, state: string, count = 1) =>
    until(`${count} are ${state}`, async () => {
      await skipPauses();
      return (await deliveriesOf(id)).filter((one: { state: string }) => one.state === state).length === count;
    });

  it('are sent signed, with the order as its customer sees it, numbered per order', async () => {
    const target = await hook();
    start();
    const event = paid();
    await group.handle(event);
    await group.handle(cancelled({ orderId: event.key }));
    await untilState(target.id, 'DELIVERED', 2);
    const verified = target.received.map(({ headers, body }) => {
      const verify = new Webhook(target.secret).verify(body, headers as never) as {
        type: string;
        timestamp: string;
        data: { sequence: number; order: object };
      };
      expect(() => new Webhook(target.secret).verify(body.replace('sequence', 'sequenze'), headers as never)).toThrow();
      return verify;
    });
    const inOrder = verified.toSorted((a, b) => a.data.sequence - b.data.sequence);
    const at = new Date(JSON.parse(event.payload).timestamp).toISOString();
    expect(inOrder.map(({ type, data: { sequence } }) => [type, sequence])).toEqual([
      ['OrderPaid', 1],
      ['OrderCancelled', 2],
    ]);
    expect(inOrder[0]?.timestamp).toBe(at);
    expect(inOrder[0]?.data).toEqual({
      sequence: 1,
      order: { ...shown(event.key), shippingAddress: null, shipment: null },
    });
    expect(logged.join()).not.toContain(target.secret);
  });

  it('wait until the order has followed the event, which counts as no attempt', async () => {
    const target = await hook();
    start();
    const event = paid();
    unfollowed.add(event.id);
    answered.set(event.key, { status: 'PENDING', payment: null });
    await group.handle(event);
    const [{ id }] = await deliveriesOf(target.id);
    await until('it was looked at twice', async () => {
      const [row] = await group.prisma.$queryRaw<{ attempts: number }[]>`
        select attempts from webhook_deliveries where id = ${id}::uuid`;
      return (row?.attempts ?? 0) > 2;
    });
    expect(target.received).toEqual([]);
    answered.delete(event.key);
    unfollowed.delete(event.id);
    await untilState(target.id, 'DELIVERED');
    expect(target.received.map(({ body }) => JSON.parse(body).data.order.status)).toEqual(['CONFIRMED']);
    expect(await deliveriesOf(target.id)).toMatchObject([{ attempts: 1 }]);
  });

  it('go out after a minute for an order that does not follow, and at once for events that it does not follow', async () => {
    const target = await hook();
    start();
    const minuteAgo = paid({ timestamp: new Date(Date.now() - 61_000).toISOString() });
    const ofOrder = cancelled();
    for (const event of [minuteAgo, ofOrder]) {
      unfollowed.add(event.id);
      await group.handle(event);
    }
    await untilState(target.id, 'DELIVERED', 2);
  });

  it('are the same under the same id in every attempt, and sent once for a repeated event', async () => {
    const target = await hook((n) => (n < 3 ? 500 : 200));
    start();
    const event = paid();
    await group.handle(event);
    await group.handle(event);
    await untilState(target.id, 'DELIVERED');
    const ids = target.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('reach only endpoints that want their kind', async () => {
    const [wanting, other] = [await hook(), await hook(undefined, { kinds: ['OrderShipped'] })];
    start();
    await group.handle(paid());
    await untilState(wanting.id, 'DELIVERED');
    expect(await deliveriesOf(other.id)).toEqual([]);
  });

  it('are wanted only of kinds that an endpoint wants, even one that is paused', async () => {
    expect(await group.wanted?.()).toEqual(new Set());
    const one = await hook(undefined, { kinds: ['OrderPaid'] });
    const other = await hook(undefined, { kinds: ['OrderPaid', 'OrderShipped'] });
    expect(await group.wanted?.()).toEqual(new Set(['OrderPaid', 'OrderShipped']));
    await asOperator(group).patch(`/webhooks/${other.id}`, { state: 'PAUSED' }).expect(200);
    expect(await group.wanted?.()).toEqual(new Set(['OrderPaid', 'OrderShipped']));
    await asOperator(group).remove(`/webhooks/${other.id}`).expect(204);
    expect(await group.wanted?.()).toEqual(new Set(['OrderPaid']));
    await asOperator(group).remove(`/webhooks/${one.id}`).expect(204);
    expect(await group.wanted?.()).toEqual(new Set());
  });

  it.each([
    [400, 3],
    [404, 3],
    [401, 3],
  ])('that are refused with %i are given up after %i attempts', async (status, tries) => {
    const target = await hook(() => status);
    start();
    await group.handle(paid());
    await untilState(target.id, 'GIVEN_UP');
    expect(target.received).toHaveLength(tries);
    expect(await deliveriesOf(target.id)).toMatchObject([
      { status, attempts: tries, failure: `The endpoint answered ${status}.` },
    ]);
    expect(await stateOf(target.id)).toBe('ACTIVE');
  });

  it.each([408, 409, 425, 429, 500, 302])(
    'that fail with %i are tried for three days, then the endpoint is given up',
    async (status) => {
      const target = await hook(() => [status, { location: 'http://127.0.0.1:1/' }]);
      start();
      await group.handle(paid());
      await untilState(target.id, 'GIVEN_UP');
      expect(await deliveriesOf(target.id)).toMatchObject([{ attempts: 10 }]);
      // On a busy machine another worker may take over an attempt.
      expect(target.received.length).toBeGreaterThanOrEqual(10);
      expect(await stateOf(target.id)).toBe('GIVEN_UP');
      // Nothing more is written for it.
      await group.handle(paid());
      expect(await deliveriesOf(target.id)).toHaveLength(1);
      // An operator has it go on.
      await asOperator(group).patch(`/webhooks/${target.id}`, { state: 'ACTIVE' }).expect(200);
      await group.handle(paid());
      expect(await deliveriesOf(target.id)).toHaveLength(2);
    },
  );

  it('wait as long as Retry-After says', async () => {
    const target = await hook(() => [429, { 'retry-after': '600' }]);
    start();
    await group.handle(paid());
    await until('it was tried', async () => (await deliveriesOf(target.id))[0]?.attempts === 1);
    const [{ dueAt }] = await deliveriesOf(target.id);
    expect(Date.parse(dueAt) - Date.now()).toBeGreaterThan(500_000);
  });

  it('end with a 410', async () => {
    const target = await hook(() => 410);
    start();
    await group.handle(paid(), paid());
    await untilState(target.id, 'GIVEN_UP', 2);
    expect(await stateOf(target.id)).toBe('GONE');
  });

  it('of an endpoint that hangs delay no other', async () => {
    const [hangs, healthy] = [await hook(() => 'hang'), await hook()];
    const begin = performance.now();
    start();
    await group.handle(...Array.from({ length: 20 }, () => paid()));
    await until('the healthy one has all', async () => healthy.received.length === 20);
    // One attempt at a time hangs, each for 10 s.
    const turns = Math.ceil((performance.now() - begin) / 10_000);
    expect(hangs.received.length).toBeLessThanOrEqual(turns);
  });

  // make test-webhooks has 900 of 1,000.
  it('of 270 endpoints that hang delay none of 30 others', async () => {
    const [hangs, healthy] = [await endpoint(() => 'hang'), await endpoint()];
    open.push(hangs, healthy);
    const box = createSecretBox([Buffer.from(webhookKey, 'base64url')]);
    const ids = Array.from({ length: 300 }, () => randomUUID());
    await group.prisma.webhook.createMany({
      data: ids.map((id, index) => ({
        ...{ id, kinds: ['OrderPaid'], ordered: false, createdBy: 'a test' },
        url: index < 270 ? hangs.url : healthy.url,
      })),
    });
    const secret = newSecret();
    await group.prisma.webhookSecret.createMany({
      data: ids.map((webhookId) => {
        const { keyId, sealed } = box.seal(secret, webhookId);
        return { id: randomUUID(), webhookId, keyId, sealed: new Uint8Array(sealed) };
      }),
    });
    start();
    let worstMs = 0;
    for (let n = 1; n <= 5; n += 1) {
      const begin = performance.now();
      await group.handle(paid());
      await until(`the healthy ones have ${n}`, () => healthy.received.length === 30 * n);
      worstMs = Math.max(worstMs, performance.now() - begin);
    }
    await until('all others hang', () => hangs.received.length >= 270);
    // In turn, thirty hanging attempts alone would take minutes.
    expect(worstMs).toBeLessThan(30_000);
    hangs.close();
  });

  it('stop for an endpoint that keeps failing, and go on once it accepts one', async () => {
    let isDown = true;
    const target = await hook(() => (isDown ? 503 : 200));
    start();
    for (let n = 0; n < 12; n += 1) await group.handle(paid());
    await until('it rests', async () => {
      await skipWaits();
      return (await asOperator(group).get(`/webhooks/${target.id}`)).body.restingUntil !== null;
    });
    const { body: resting } = await asOperator(group).get(`/webhooks/${target.id}`);
    expect(Date.parse(resting.restingUntil)).toBeGreaterThan(Date.now() + 10_000);
    await group.handle(paid());
    expect((await deliveriesOf(target.id))[0]).toMatchObject({ state: 'PENDING', attempts: 0, dueAt: null });
    isDown = false;
    await untilState(target.id, 'DELIVERED', 13);
    const { body } = await asOperator(group).get(`/webhooks/${target.id}`);
    expect(body).toMatchObject({ failures: 0, restingUntil: null });
  });

  it('of an endpoint that rests are tried one at a time', async () => {
    const target = await hook(() => 503);
    await group.prisma.webhook.updateMany({ data: { failures: 10 } });
    await group.handle(...Array.from({ length: 20 }, () => paid()));
    start();
    await until('one was tried', async () => target.received.length > 0);
    const tried = async () => (await deliveriesOf(target.id)).filter((one: { attempts: number }) => one.attempts > 0);
    await until('its failure is stored', async () => (await tried()).length > 0);
    expect(target.received).toHaveLength(1);
    await group.prisma.webhook.updateMany({ data: { restingUntil: new Date(), releasedAt: null } });
    await until('another one was tried', async () => (await tried()).length === 2);
    expect(target.received).toHaveLength(2);
  });

  it('of an endpoint that accepts others are given up alone', async () => {
    const poison = paid();
    const target = await hook((_, body) => (body.includes(poison.key) ? 500 : 200));
    start();
    await group.handle(poison);
    await until('it failed nine times', async () => {
      await skipPauses();
      return (await deliveriesOf(target.id))[0]?.attempts === 9;
    });
    await group.prisma.$executeRaw`update webhook_deliveries set due_at = now() + interval '1 h'`;
    await group.handle(paid());
    await untilState(target.id, 'DELIVERED');
    await untilState(target.id, 'GIVEN_UP');
    expect(await stateOf(target.id)).toBe('ACTIVE');
  });

  it('are not repeated while the endpoint is paused, also if they were in flight', async () => {
    const answer = Promise.withResolvers<number>();
    const target = await hook((n) => (n === 1 ? answer.promise : 200));
    start();
    await group.handle(paid());
    await until('it is in flight', () => target.received.length === 1);
    await asOperator(group).patch(`/webhooks/${target.id}`, { state: 'PAUSED' }).expect(200);
    answer.resolve(500);
    await until('it failed', async () => (await deliveriesOf(target.id))[0]?.attempts === 1);
    await until('it is held', async () => {
      await skipPauses();
      return (await deliveriesOf(target.id))[0]?.dueAt === null;
    });
    expect(await deliveriesOf(target.id)).toMatchObject([{ state: 'PENDING', attempts: 1 }]);
    expect(target.received).toHaveLength(1);
    await asOperator(group).patch(`/webhooks/${target.id}`, { state: 'ACTIVE' }).expect(200);
    await untilState(target.id, 'DELIVERED');
  });

  it('are not repeated after the end of the endpoint, also if they failed with the last one', async () => {
    const all = Promise.withResolvers<void>();
    const target = await hook((n) => (n <= 5 ? 200 : all.promise.then(() => (n === 7 ? 410 : 500))));
    start();
    const five = () => Array.from({ length: 5 }, () => paid());
    await group.handle(...five());
    // After that it gets five at once.
    await untilState(target.id, 'DELIVERED', 5);
    await group.handle(...five());
    await until('all are in flight', () => target.received.length === 10);
    all.resolve();
    await untilState(target.id, 'GIVEN_UP', 5);
    expect(await stateOf(target.id)).toBe('GONE');
    expect(target.received).toHaveLength(10);
    const rows = await group.prisma.webhookDelivery.findMany({ select: { dueAt: true } });
    expect(rows).toEqual(Array(10).fill({ dueAt: null }));
  });

  it('in flight leave nothing behind if their endpoint is deleted', async () => {
    const answer = Promise.withResolvers<number>();
    const target = await hook(() => answer.promise);
    start();
    await group.handle(paid());
    await until('it is in flight', () => target.received.length === 1);
    await asOperator(group).remove(`/webhooks/${target.id}`).expect(204);
    answer.resolve(500);
    await Promise.all(jobs.map((job) => job.stop()));
    jobs = [];
    expect(await group.prisma.webhookDelivery.count()).toBe(0);
    expect(await group.prisma.webhookSecret.count()).toBe(0);
  });

  it('are accepted by their status, however slowly the rest of the answer comes', async () => {
    const target = await hook(() => 'trickle');
    start();
    await group.handle(paid());
    await untilState(target.id, 'DELIVERED');
    expect(await deliveriesOf(target.id)).toMatchObject([{ status: 200, attempts: 1, failure: null }]);
  });

  it('wait for a secret that cannot be opened, and for an order that is not understood, without others', async () => {
    const [sealed, healthy] = [await hook(), await hook()];
    await group.prisma.webhookSecret.updateMany({ where: { webhookId: sealed.id }, data: { keyId: 'lost' } });
    const strange = paid();
    answered.set(strange.key, { status: 'UNHEARD_OF' });
    start();
    await group.handle(strange, paid(), paid());
    await untilState(healthy.id, 'DELIVERED', 2);
    expect(sealed.received).toEqual([]);
    answered.delete(strange.key);
    await untilState(healthy.id, 'DELIVERED', 3);
  });

  it('do not tell where the customer has to go for the payment', async () => {
    const target = await hook();
    const event = paid();
    const nextAction = { type: 'redirect', url: 'https://pay.example.com/secret' };
    answered.set(event.key, { payment: { ...shown('').payment, status: 'action-required', nextAction } });
    start();
    await group.handle(event);
    await untilState(target.id, 'DELIVERED');
    expect(JSON.parse(target.received[0]?.body ?? '').data.order.payment.status).toBe('action-required');
    expect(target.received[0]?.body).not.toContain('pay.example.com');
  });

  it('are sent after the event can no longer be replayed', async () => {
    const target = await hook();
    await group.handle(paid());
    await group.prisma.webhookEvent.deleteMany();
    start();
    await untilState(target.id, 'DELIVERED');
    expect(await deliveriesOf(target.id)).toMatchObject([{ type: 'OrderPaid' }]);
  });

  it('of one order go on, also if the one before was over while the next was being written', async () => {
    const target = await hook(undefined, { ordered: true });
    await group.handle(paid());
    await group.prisma.$executeRaw`update webhook_deliveries set due_at = 'infinity'`;
    start();
    await untilState(target.id, 'DELIVERED');
  });

  it('are given up if their endpoint stays paused for 30 days, and forgotten later', async () => {
    const target = await hook();
    await asOperator(group).patch(`/webhooks/${target.id}`, { state: 'PAUSED' }).expect(200);
    await group.handle(paid(), paid(), paid());
    const [first, second] = await group.prisma.webhookDelivery.findMany();
    const age = (id = '', days = 0, state = 'PENDING') =>
      group.prisma.webhookDelivery.update({
        where: { id },
        data: { createdAt: new Date(Date.now() - days * 86_400_000), state },
      });
    await age(first?.id, 31);
    await age(second?.id, 36, 'DELIVERED');
    await group.prisma.webhookEvent.updateMany({ data: { createdAt: new Date(Date.now() - 31 * 86_400_000) } });
    start();
    await until('the old ones are settled', async () => (await deliveriesOf(target.id)).length === 2);
    await until('events are forgotten', async () => (await group.prisma.webhookEvent.count()) === 0);
    expect(await deliveriesOf(target.id)).toMatchObject([
      { state: 'PENDING', failure: null },
      { state: 'GIVEN_UP', failure: 'The webhook was paused for 30 days.' },
    ]);
  });

  it('of one order wait for each other if the endpoint wants that, and say what was skipped', async () => {
    let isFirst = true;
    const target = await hook(() => (isFirst ? 400 : 200), { ordered: true });
    start();
    const event = paid();
    await group.handle(event);
    await group.handle(cancelled({ orderId: event.key }));
    await until('the first was tried', async () => target.received.length > 0);
    expect((await deliveriesOf(target.id))[0]).toMatchObject({ type: 'OrderCancelled', attempts: 0, dueAt: null });
    await until('the first is given up', async () => {
      await skipPauses();
      const states = (await deliveriesOf(target.id)).map(({ state }: { state: string }) => state);
      if (states.at(-1) === 'GIVEN_UP') isFirst = false;
      return !isFirst;
    });
    await untilState(target.id, 'DELIVERED');
    const last = JSON.parse(target.received.at(-1)?.body ?? '');
    expect(last).toMatchObject({ type: 'OrderCancelled', data: { sequence: 2, skipped: [1] } });
  });

  it('of one order that are written together are numbered in their order, and wait for each other where it matters', async () => {
    const [ordered, other] = [await hook(undefined, { ordered: true }), await hook()];
    const event = paid();
    const orderId = event.key;
    // The last one comes again, in the same chunk.
    const last = cancelled({ orderId });
    await group.handle(event, paid(), paid({ orderId }), last, last);
    await group.handle(paid({ orderId }));
    const ofOrder = async (id: string) =>
      (await deliveriesOf(id))
        .filter((one: { orderId: string }) => one.orderId === orderId)
        .sort((a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence);
    const due = async (id: string) => (await ofOrder(id)).map((one: { dueAt: string | null }) => one.dueAt !== null);
    expect(await due(ordered.id)).toEqual([true, false, false, false]);
    expect(await due(other.id)).toEqual([true, true, true, true]);
    expect(
      (await ofOrder(other.id)).map(({ type, sequence }: { type: string; sequence: number }) => [type, sequence]),
    ).toEqual([
      ['OrderPaid', 1],
      ['OrderPaid', 2],
      ['OrderCancelled', 3],
      ['OrderPaid', 4],
    ]);
    start();
    await untilState(ordered.id, 'DELIVERED', 5);
    const received = ordered.received.map(({ body }) => JSON.parse(body).data);
    expect(received.filter(({ order }) => order.id === orderId).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it('are held while the endpoint is paused, and sent when it goes on', async () => {
    const target = await hook();
    await asOperator(group).patch(`/webhooks/${target.id}`, { state: 'PAUSED' }).expect(200);
    start();
    await group.handle(paid(), paid());
    expect(await deliveriesOf(target.id)).toMatchObject([
      { state: 'PENDING', dueAt: null },
      { state: 'PENDING', dueAt: null },
    ]);
    await asOperator(group).patch(`/webhooks/${target.id}`, { state: 'ACTIVE' }).expect(200);
    await untilState(target.id, 'DELIVERED', 2);
  });

  it('can be repeated and replayed under their ids, and tested', async () => {
    const target = await hook();
    start();
    const from = new Date(Date.now() - 60_000).toISOString();
    await group.handle(paid(), paid());
    await untilState(target.id, 'DELIVERED', 2);
    const [one] = await deliveriesOf(target.id);
    await asOperator(group).post(`/webhooks/${target.id}/deliveries/${one.id}/attempts`).expect(202);
    await until('it came again', async () => target.received.length === 3);
    const to = new Date(Date.now() + 60_000).toISOString();
    const late = await hook();
    for (const { id } of [target, late])
      expect((await asOperator(group).post(`/webhooks/${id}/replays`, { from, to }).expect(202)).body).toEqual({
        deliveries: 2,
      });
    await until('they came again', async () => target.received.length === 5 && late.received.length === 2);
    const ids = target.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
    await asOperator(group).post(`/webhooks/${target.id}/tests`).expect(202);
    await until('the test came', async () => target.received.length === 6);
    expect(JSON.parse(target.received[5]?.body ?? '')).toMatchObject({ type: 'Test', data: {} });
  });

  it('are signed by two secrets for a day after a rotation, which are sealed in the database', async () => {
    const target = await hook();
    const { body } = await asOperator(group).post(`/webhooks/${target.id}/secrets`).expect(201);
    start();
    await group.handle(paid());
    await until('it came', async () => target.received.length === 1);
    const [{ headers, body: sent }] = target.received as [Received];
    for (const secret of [target.secret, body.secret]) new Webhook(secret).verify(sent, headers as never);
    const rows = await group.prisma.$queryRaw<{ sealed: Buffer }[]>`select sealed from webhook_secrets`;
    for (const { sealed } of rows) expect(Buffer.from(sealed).toString('utf8')).not.toContain('whsec_');
    await asOperator(group).post(`/webhooks/${target.id}/secrets`).expect(201);
    await group.handle(paid());
    await until('it came', async () => target.received.length === 2);
    const last = target.received[1] as Received;
    expect(() => new Webhook(target.secret).verify(last.body, last.headers as never)).toThrow();
    new Webhook(body.secret).verify(last.body, last.headers as never);
  });

  it('are sealed again with a new key', async () => {
    const first = createSecretBox([Buffer.from(webhookKey, 'base64url')]).currentId;
    const target = await hook();
    const next = randomBytes(32).toString('base64url');
    const renewed = testGroup(database.url, 'webhook-group', {
      ORDER_URL: orderUrl,
      WEBHOOK_KEYS: `${next},${webhookKey}`,
    });
    jobs = renewed.startJobs();
    await until('all are sealed with the new key', async () => {
      const rows = await group.prisma.$queryRaw<object[]>`select distinct key_id from webhook_secrets`;
      const [{ key_id }] = rows as [{ key_id: string }];
      return rows.length === 1 && key_id !== first;
    });
    await Promise.all(jobs.map((job) => job.stop()));
    await renewed.close();
    const only = testGroup(database.url, 'webhook-group', { ORDER_URL: orderUrl, WEBHOOK_KEYS: next });
    jobs = only.startJobs();
    await only.handle(paid());
    await until('it came', async () => target.received.length === 1);
    new Webhook(target.secret).verify(target.received[0]?.body ?? '', target.received[0]?.headers as never);
    await Promise.all(jobs.map((job) => job.stop()));
    jobs = [];
    await only.close();
  });

  it('survive the death of their sender: another one sends what it has claimed', async () => {
    const target = await hook();
    await group.handle(paid());
    await group.prisma.$executeRaw`update webhook_deliveries set attempts = 1, due_at = now() - interval '1 s'`;
    start();
    await untilState(target.id, 'DELIVERED');
  });

  it('wait while the order service is away, which does not count as a failure of the endpoint', async () => {
    await group.close();
    group = testGroup(database.url, 'webhook-group', {}, /delivery could not be made/);
    const target = await hook();
    start();
    await group.handle(paid());
    await until('it was tried', async () => logged.join().includes('A delivery could not be made'));
    expect(await deliveriesOf(target.id)).toMatchObject([{ state: 'PENDING', attempts: 0, failure: null }]);
    expect(target.received).toEqual([]);
  });

  describe('management', () => {
    it('is for operators alone, and for keys with the scope', async () => {
      const paths = ['/webhooks', `/webhooks/${randomUUID()}`, `/webhooks/${randomUUID()}/deliveries`];
      for (const path of paths) {
        await request(group.app).get(path).expect(401);
        await request(group.app).get(path).set('id-account', customerId).expect(403);
        const key = { ...operator, 'account-scopes': 'orders:read' };
        await request(group.app).get(path).set(key).expect(403);
      }
      const key = { ...operator, 'account-scopes': 'webhooks' };
      await request(group.app).get('/webhooks').set(key).expect(200);
    });

    it('lets no customer, no machine without the scope and nobody without the role do anything, also with an id that they know', async () => {
      const target = await hook();
      await group.handle(paid());
      const [{ id: deliveryId }] = await deliveriesOf(target.id);
      const time = { from: new Date(0).toISOString(), to: new Date(Date.now() + 60_000).toISOString() };
      const at = `/webhooks/${target.id}`;
      const requests: ['get' | 'post' | 'patch' | 'delete', string, object?][] = [
        ['post', '/webhooks', { url: target.url, kinds: ['OrderPaid'] }],
        ['get', '/webhooks'],
        ['get', at],
        ['patch', at, { url: 'http://127.0.0.1:1/', state: 'PAUSED' }],
        ['post', `${at}/secrets`],
        ['post', `${at}/tests`],
        ['get', `${at}/deliveries`],
        ['post', `${at}/deliveries/${deliveryId}/attempts`],
        ['post', `${at}/replays`, time],
        ['delete', at],
      ];
      const key = { 'account-scopes': 'orders:read,orders:write,orders:ship,orders:all,refunds:write,stock:write' };
      const strangers: [number, Record<string, string>][] = [
        [401, {}],
        [401, { 'account-roles': 'operator', 'account-scopes': 'webhooks' }],
        [403, { 'id-account': customerId }],
        [403, { 'id-account': customerId, 'account-roles': 'catalogue' }],
        [403, { 'id-account': customerId, 'account-roles': 'catalogue', 'account-scopes': 'webhooks' }],
        [403, { 'id-account': customerId, 'account-roles': '', 'account-scopes': 'webhooks' }],
        [403, { ...operator, ...key }],
        [403, { ...operator, 'account-scopes': '' }],
      ];
      for (const [method, path, body] of requests)
        for (const [status, headers] of strangers) {
          const answer = await request(group.app)[method](path).set(headers).send(body);
          expect([method, path, headers, answer.status]).toEqual([method, path, headers, status]);
          expect(answer.text).not.toMatch(/whsec_|hook\b/);
        }
      expect(await stateOf(target.id)).toBe('ACTIVE');
      expect((await asOperator(group).get('/webhooks')).body).toHaveLength(1);
      expect(await group.prisma.webhookDelivery.count()).toBe(1);
    });

    it('keeps webhooks apart: nothing that is done with one touches deliveries and secrets of another', async () => {
      const [one, other] = [await hook(), await hook(undefined, { kinds: ['OrderCancelled'] })];
      await group.handle(paid());
      const [{ id: deliveryId }] = await deliveriesOf(one.id);
      const before = await group.prisma.webhookDelivery.findMany();
      const secretsOf = (webhookId: string) => group.prisma.webhookSecret.findMany({ where: { webhookId } });
      const secrets = await secretsOf(one.id);
      const { post, remove, get } = asOperator(group);
      for (const id of [other.id, randomUUID()]) {
        await post(`/webhooks/${id}/deliveries/${deliveryId}/attempts`).expect(404);
        const { body } = await get(`/webhooks/${id}/deliveries`);
        expect(JSON.stringify(body)).not.toContain(deliveryId);
      }
      const page = await get(`/webhooks/${one.id}/deliveries?size=1`).expect(200);
      const after = /after=([^>&]+)/.exec(page.headers.link ?? '')?.[1] ?? '';
      expect((await get(`/webhooks/${other.id}/deliveries?after=${after}`)).text).not.toContain(deliveryId);
      // A replay has the kinds of its webhook, and its deliveries are its own.
      const time = { from: new Date(0).toISOString(), to: new Date(Date.now() + 60_000).toISOString() };
      expect((await post(`/webhooks/${other.id}/replays`, time).expect(202)).body).toEqual({ deliveries: 0 });
      const paidToo = { ...time, kinds: ['OrderPaid'] };
      expect((await post(`/webhooks/${other.id}/replays`, paidToo).expect(202)).body).toEqual({ deliveries: 1 });
      await post(`/webhooks/${other.id}/secrets`).expect(201);
      await remove(`/webhooks/${other.id}`).expect(204);
      expect(await group.prisma.webhookDelivery.findMany()).toEqual(before);
      expect(await secretsOf(one.id)).toEqual(secrets);
    });

    it.each([
      ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', 202],
      ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', 400],
      ['-infinity', 'infinity', 400],
      ['2026-01-01', '2026-01-02', 400],
    ])('replays from %s to %s: %i', async (from, to, status) => {
      const target = await hook();
      await asOperator(group).post(`/webhooks/${target.id}/replays`, { from, to }).expect(status);
    });

    it('shows no secret twice, and knows no other endpoint’s deliveries', async () => {
      const [one, other] = [await hook(), await hook()];
      await group.handle(paid());
      const [{ id }] = await deliveriesOf(one.id);
      await asOperator(group).post(`/webhooks/${other.id}/deliveries/${id}/attempts`).expect(404);
      const answers = await Promise.all(
        ['/webhooks', `/webhooks/${one.id}`, `/webhooks/${one.id}/deliveries`].map((path) =>
          asOperator(group).get(path),
        ),
      );
      expect(answers.map(({ text }) => text).join()).not.toContain('whsec_');
      const trail = await group.prisma.audit.findMany({
        where: { kind: 'webhook' },
        select: { before: true, after: true },
      });
      expect(JSON.stringify(trail)).not.toMatch(/whsec_|\/hook/);
      expect(trail).toHaveLength(2);
    });

    it.each<[string, object]>([
      ['no URL', { url: 'nowhere' }],
      ['a file', { url: 'file:///etc/passwd' }],
      ['a user in the URL', { url: 'http://me:secret@127.0.0.1/' }],
      ['an unknown kind', { kinds: ['Everything'] }],
      ['no kind', { kinds: [] }],
    ])('refuses %s', async (_, body) => {
      const given = { url: 'http://127.0.0.1/', kinds: ['OrderPaid'], ...body };
      await asOperator(group).post('/webhooks', given).expect(400);
      expect((await asOperator(group).get('/webhooks')).body).toEqual([]);
    });
  });

  describe('in production', () => {
    const credentials = { INTERNAL_CREDENTIAL: newCredential(), INTERNAL_CREDENTIALS: newCredential() };

    it.each([
      'http://example.com/',
      'https://example.com:8443/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://0x7f.1/',
      'https://[::ffff:10.0.0.1]/',
      'https://169.254.169.254/latest/meta-data/',
    ])('%s is refused', async (url) => {
      const prod = testGroup(database.url, 'webhook-group', { APP_PROFILE: 'prod', ...credentials });
      open.push(prod);
      await asOperator(prod)
        .post('/webhooks', { url, kinds: ['OrderPaid'] })
        .expect(400);
      await asOperator(prod)
        .post('/webhooks', { url: 'https://example.com/', kinds: ['OrderPaid'] })
        .expect(201);
    });

    it('a URL into the network of the store is refused when it is made and when it is changed, however it is written', async () => {
      const prod = testGroup(database.url, 'webhook-group', { APP_PROFILE: 'prod', ...credentials });
      open.push(prod);
      const { post, patch, get } = asOperator(prod);
      const kinds = ['OrderPaid'];
      const { secret: _, ...made } = (await post('/webhooks', { url: 'https://example.com/', kinds }).expect(201)).body;
      const taken: string[] = [];
      for (const url of [...hostilePlaces.map((place) => `https://${place}/`), ...hostileUrls]) {
        const answers = [await post('/webhooks', { url, kinds }), await patch(`/webhooks/${made.id}`, { url })];
        for (const { status, body } of answers) {
          if (status !== 400) taken.push(`${url}: ${status}`);
          // What was sent may hold a password.
          expect(JSON.stringify(body)).not.toMatch(/sesame/);
        }
      }
      expect(taken).toEqual([]);
      expect((await get('/webhooks')).body).toEqual([made]);
    });

    it('a name whose address changes is judged in each attempt, and asked for once', async () => {
      const target = await endpoint();
      open.push(target);
      const answers = [['127.0.0.1'], ['::1'], ['169.254.169.254', '93.184.216.34'], ['::ffff:127.0.0.1'], []];
      let asked = 0;
      const client = createEndpointClient({
        ...{ publicOnly: true, own: [], proxyUrl: undefined },
        resolve: async () => answers[asked++] ?? [],
      });
      const url = target.url.replace('127.0.0.1', 'erp.example.com');
      for (const n of answers.keys()) {
        const attempt = await client.send(url, { id: randomUUID(), body: '{}', secrets: [newSecret()] });
        expect(attempt).toMatchObject({ status: undefined, failure: 'The host has no public address.' });
        expect(asked).toBe(n + 1);
      }
      expect(target.received).toEqual([]);
    });

    it('a name with a private address gets no connection', async () => {
      const target = await endpoint();
      open.push(target);
      const url = target.url.replace('127.0.0.1', 'erp.example.com');
      const message = { id: randomUUID(), body: '{}', secrets: [newSecret()] };
      const send = (publicOnly: boolean, answer: string[]) =>
        createEndpointClient({ publicOnly, own: [], proxyUrl: undefined, resolve: async () => answer }).send(
          url,
          message,
        );
      const failure = 'The host has no public address.';
      expect(await send(true, ['127.0.0.1'])).toMatchObject({ status: undefined, failure });
      expect(await send(true, ['93.184.216.34', '::ffff:127.0.0.1'])).toMatchObject({ status: undefined, failure });
      expect(target.received).toEqual([]);
    });

    it('an address that was stored before it was forbidden gets no connection', async () => {
      const target = await hook();
      await group.close();
      group = testGroup(database.url, 'webhook-group', { APP_PROFILE: 'prod', ORDER_URL: orderUrl, ...credentials });
      start();
      await group.handle(paid());
      await until('it was tried', async () => (await deliveriesOf(target.id))[0]?.attempts === 1);
      expect(await deliveriesOf(target.id)).toMatchObject([
        { status: null, failure: 'The host has no public address.' },
      ]);
      expect(target.received).toEqual([]);
    });
  });
});
