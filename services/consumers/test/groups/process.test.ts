import { randomUUID } from 'node:crypto';
import { openDatabase } from '@store/shared/database/database';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { createLog } from '@store/shared/observability/log';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { brokers } from '../../../../tests/kit/kafka/topic.ts';
import { queryOnce, unreachableDatabaseUrl, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { until } from '../../../../tests/kit/until.ts';
import { customerId } from '../consumer/_fixture.ts';
import { groups } from './_group.ts';

const entry = 'services/consumers/src/main.ts';
const publisher = createPublisher({ brokers, clientId: 'test', log: createLog('test', 'silent') });
type Service = Awaited<ReturnType<typeof startService>>;
const started: Service[] = [];

afterAll(async () => {
  await Promise.all(started.map((service) => service.end('SIGKILL')));
  await publisher.close();
});
const database = useDatabase('consumers');

async function start(group: string) {
  const service = await startService(entry, {
    DATABASE_URL: database.url,
    CONSUMER_GROUP: group,
    RETRY_DELAY_MS: '10',
    ORDER_URL: 'http://127.0.0.1:1',
    ACCOUNT_URL: 'http://127.0.0.1:1',
  });
  started.push(service);
  await service.logs('Joining the consumer group');
  return service;
}

/** Other test files publish to the topic too; these tests look at their own orders and days only. */
const paid = (day: string): StoredEvent =>
  storedEvent('OrderPaid', {
    orderId: randomUUID(),
    customerId,
    paymentId: randomUUID(),
    timestamp: `${day}T12:00:00.000Z`,
    amount: { amount: 10, currency: 'USD' } as never,
  });

const publish = (...events: StoredEvent[]) => publisher.publish('order-events', events);

/** Those that handle these events: a group skips all others unread. */
const paidGroups = Object.entries(groups).flatMap(([name, create]) => {
  const { group } = create({ config: {}, database: openDatabase(unreachableDatabaseUrl) } as never);
  return group.kinds.includes('OrderPaid') ? [name] : [];
});

/** How many of the events a group has recorded as handled (contract 6.6). */
async function handledBy(group: string, events: StoredEvent[]): Promise<number> {
  const ids = events.map(({ id }) => `'${id}'`).join();
  const sql = `select 1 from processed_events where consumer_group = '${group}' and event_id in (${ids})`;
  return (await queryOnce(database.url, sql)).length;
}

// Those that are killed while orders go through are in tests/faults.
describe('the processes of the groups', () => {
  it('each group receives every event', async () => {
    const day = '2031-01-01';
    const events = Array.from({ length: 30 }, () => paid(day));
    const startGroup = async (group: string) => [group, await start(group)] as const;
    const services = Object.fromEntries(await Promise.all(Object.keys(groups).map(startGroup)));
    await publish(...events);
    for (const group of paidGroups) {
      await until(
        () => `${group} has handled all events. Its output so far:\n${services[group]?.lines.join('\n')}`,
        async () => (await handledBy(group, events)) === events.length,
      );
      const metrics = await services[group]?.metrics();
      expect(metrics).toMatch(new RegExp(`consumer_messages_total\\{group="${group}",result="processed"\\} \\d+`));
      // How many is up to the events of other test files.
      expect(metrics).toMatch(new RegExp(`dead_letters_open\\{group="${group}"\\} \\d+`));
    }
    for (const { key } of events) {
      for (const group of ['notification', 'invoice']) {
        const { body } = await (services[`${group}-group`] as Service).get(`/${group}s?orderId=${key}`);
        expect(body.content).toHaveLength(1);
      }
    }
    const { body } = await (services['analytics-group'] as Service).get('/figures?size=100');
    expect(body.content).toContainEqual(expect.objectContaining({ day, paid: events.length }));
    for (const service of Object.values(services)) {
      expect((await service.get('/health/ready')).status).toBe(200);
      expect(await service.end('SIGTERM')).toEqual([0, null]);
    }
  });

  it('name every invalid setting and do not start', async () => {
    const service = await startService(entry, { DATABASE_URL: database.url, CONSUMER_GROUP: 'nobody', SMTP_URL: 'x' });
    expect((await service.exit)[0]).toBe(1);
    expect(service.lines.join('\n')).toMatch(/CONSUMER_GROUP[\s\S]*SMTP_URL/);
  });
});
