import { randomUUID } from 'node:crypto';
import { deadLetterHeaders } from '@store/shared/messaging/dead-letters/dead-letters';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createPublisher } from '@store/shared/messaging/kafka';
import { createLog } from '@store/shared/observability/log';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/database.ts';
import { storedEvent } from '../../../../tests/kit/order-events.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { brokers } from '../../../../tests/kit/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import { customerId, lettersOf } from '../consumer/_fixture.ts';

const origin = { topic: 'elsewhere', partition: 0, offset: '1' };
const entry = 'services/consumers/src/main.ts';
const publisher = createPublisher({ brokers, clientId: 'test', log: createLog('test', 'silent') });
let database: TestDatabase;
type Service = Awaited<ReturnType<typeof startService>>;
const started: Service[] = [];

beforeAll(async () => {
  database = await createTestDatabase('consumers');
});

afterAll(async () => {
  await Promise.all(started.map((service) => service.end('SIGKILL')));
  await publisher.close();
  await database.drop();
});

async function start(group: string, env: Record<string, string> = {}) {
  const service = await startService(entry, {
    ...{ DATABASE_URL: database.url, CONSUMER_GROUP: group, RETRY_DELAY_MS: '10' },
    ...env,
  });
  started.push(service);
  await service.logs('Ready');
  return service;
}

/** Other suites write to the topic too: this one asks for its own orders and its own days. */
const paid = (day: string, orderId: string = randomUUID()): StoredEvent =>
  storedEvent('OrderPaid', {
    ...{ orderId, customerId, paymentId: randomUUID(), timestamp: `${day}T12:00:00.000Z` },
    amount: { amount: 10, currency: 'USD' } as never,
  });

const publish = (...events: StoredEvent[]) => publisher.publish('order-events', events);

it('three groups each get every event, whatever becomes of the others', async () => {
  const day = '2031-01-01';
  const events = Array.from({ length: 30 }, () => paid(day));
  const [notification, analytics, invoice] = await Promise.all([
    start('notification-group'),
    start('analytics-group'),
    start('invoice-group'),
  ]);
  await publish(...events);
  const isThere = (service: Service, path: string) =>
    until(`${path} is there`, async () => (await service.get(path)).body.content.length === 1);
  for (const { key } of events) {
    await isThere(notification, `/notifications?orderId=${key}`);
    await isThere(invoice, `/invoices?orderId=${key}`);
  }
  await until('the figures are there', async () => {
    const { body } = await analytics.get('/figures?size=100');
    return body.content.some((figures: { day: string; paid: number }) => figures.day === day && figures.paid === 30);
  });
  expect((await notification.get('/health/ready')).status).toBe(200);
  expect(await invoice.metrics()).toMatch(/consumer_messages_total\{group="invoice-group",result="processed"\} \d+/);
  for (const service of [notification, analytics, invoice]) expect(await service.end('SIGTERM')).toEqual([0, null]);
});

it('killed at any moment and started anew, each paid order has one invoice, and the figures are right', async () => {
  const day = '2031-02-01';
  const events = Array.from({ length: 200 }, () => paid(day));
  for (let from = 0; from < events.length; from += 50) {
    const services = await Promise.all([start('invoice-group'), start('analytics-group')]);
    await publish(...events.slice(from, from + 50));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 500));
    await Promise.all(services.map((service) => service.end('SIGKILL')));
  }
  const [invoice, analytics] = await Promise.all([start('invoice-group'), start('analytics-group')]);
  await until(
    'the figures are there',
    async () => {
      const { body } = await analytics.get('/figures?size=100');
      return body.content.some((figures: { day: string; paid: number }) => figures.day === day && figures.paid >= 200);
    },
    { timeoutMs: 90_000 },
  );
  const { body } = await analytics.get('/figures?size=100');
  expect(body.content.find((figures: { day: string }) => figures.day === day)).toMatchObject({
    paid: 200,
    revenue: [{ amount: 2000, currency: 'USD' }],
  });
  const numbers: number[] = [];
  for (const { key } of events) {
    const hasInvoice = async () => {
      const { body } = await invoice.get(`/invoices?orderId=${key}`);
      if (body.content.length !== 1) return false;
      numbers.push(body.content[0].number);
      return true;
    };
    await until(`${key} has its invoice`, hasInvoice, { timeoutMs: 90_000 });
  }
  expect(new Set(numbers).size).toBe(200);
  const { body: all } = await invoice.get('/invoices?size=1');
  expect(all.content[0].number).toBe(all.page.totalElements);
}, 180_000);

it('redrive.js shows and hands back the dead letters of its group', async () => {
  const run = async (...argv: string[]) => {
    const env = { DATABASE_URL: database.url, CONSUMER_GROUP: 'invoice-group' };
    const dlq = await startService('services/consumers/src/redrive.ts', env, argv);
    const [code] = await dlq.exit;
    return { code, text: dlq.lines.join('\n') };
  };
  const invoice = await start('invoice-group');
  const [poison, event] = [paid('2031-03-01'), paid('2031-03-01')];
  const headersOf = ({ id }: StoredEvent) => ({ ce_id: id, ce_type: 'OrderPaid' });
  await publisher.send('order-events', [{ key: poison.key, value: '{', headers: headersOf(poison) }]);
  // What a handler that was broken has left behind.
  const headers = { ...headersOf(event), ...deadLetterHeaders('invoice-group', 3, new Error('was broken'), origin) };
  await publisher.send('order-events-dlq', [{ key: event.key, value: event.payload, headers }]);
  const assigned = async () =>
    (await lettersOf('invoice-group')).flatMap(({ message: { key } }) =>
      [poison.key, event.key].includes(key ?? '') ? key : [],
    );
  await until('both are there', async () => (await assigned()).length === 2);

  const listed = await run('list');
  expect(listed.code).toBe(0);
  for (const { key } of [poison, event]) expect(listed.text).toContain(`order ${key}`);
  expect(await assigned()).toHaveLength(2);

  const { code, text } = await run('retry');
  expect(text).toContain(`${origin.topic} 0:1: handled`);
  expect(code).toBe(1);
  expect(await assigned()).toEqual([poison.key]);
  expect((await invoice.get(`/invoices?orderId=${event.key}`)).body.content).toHaveLength(1);
});

it('names what is wrong with its environment, and does not start', async () => {
  const service = await startService(entry, { DATABASE_URL: database.url, CONSUMER_GROUP: 'nobody', SMTP_URL: 'x' });
  expect((await service.exit)[0]).toBe(1);
  expect(service.lines.join('\n')).toMatch(/CONSUMER_GROUP[\s\S]*SMTP_URL/);
});
