import { randomUUID } from 'node:crypto';
import { openDatabase } from '@store/shared/database/database';
import { deadLetterHeaders } from '@store/shared/messaging/dead-letters/dead-letters';
import { auditOf } from '@store/shared/messaging/dead-letters/records';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { createLog } from '@store/shared/observability/log';
import { sql } from 'kysely';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { brokers } from '../../../../tests/kit/kafka/topic.ts';
import { queryOnce, unreachableDatabaseUrl, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { customerId, deadLettersOf } from '../consumer/_fixture.ts';
import { groups } from './_group.ts';

const origin = { topic: 'elsewhere', partition: 0, offset: '1' };
const entry = 'services/consumers/src/main.ts';
const publisher = createPublisher({ brokers, clientId: 'test', log: createLog('test', 'silent') });
type Service = Awaited<ReturnType<typeof startService>>;
const started: Service[] = [];

afterAll(async () => {
  await Promise.all(started.map((service) => service.end('SIGKILL')));
  await publisher.close();
});
const database = useDatabase('consumers');

async function start(group: string, env: Record<string, string> = {}) {
  const service = await startService(entry, {
    DATABASE_URL: database.url,
    CONSUMER_GROUP: group,
    RETRY_DELAY_MS: '10',
    ORDER_URL: 'http://127.0.0.1:1',
    ACCOUNT_URL: 'http://127.0.0.1:1',
    ...env,
  });
  started.push(service);
  await service.logs('Joining the consumer group');
  return service;
}

/** Other test files publish to the topic too; these tests look at their own orders and days only. */
const paid = (day: string, orderId: string = randomUUID()): StoredEvent =>
  storedEvent('OrderPaid', {
    orderId,
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

describe('the processes of the groups', () => {
  it('each group receives every event', async () => {
    const day = '2031-01-01';
    const events = Array.from({ length: 30 }, () => paid(day));
    const startGroup = async (group: string) => [group, await start(group)] as const;
    const services = Object.fromEntries(await Promise.all(Object.keys(groups).map(startGroup)));
    await publish(...events);
    for (const group of paidGroups) {
      await until(`${group} has handled all events`, async () => (await handledBy(group, events)) === events.length);
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

  it('create one invoice per order and correct figures though they are killed and restarted', async () => {
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
      'the figures count all events',
      async () => {
        const { body } = await analytics.get('/figures?size=100');
        return body.content.some(
          (figures: { day: string; paid: number }) => figures.day === day && figures.paid >= 200,
        );
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

  it('leave a letter open if they are killed while they redrive it, and the next one handles it once', async () => {
    const { kysely, close } = openDatabase<DB>(database.url);
    const event = paid('2031-03-02');
    const headers = deadLetterHeaders('invoice-group', 3, new Error('was broken'), { ...origin, offset: '2' });
    const message = {
      key: event.key,
      value: event.payload,
      headers: { ce_id: event.id, ce_type: 'OrderPaid', ...headers },
    };
    await publisher.send('order-events-dlq', [message]);
    const letter = async () =>
      (await deadLettersOf('invoice-group', kysely)).find(({ message: { key } }) => key === event.key);
    const { id = '' } = (await letter()) ?? {};
    const redrive = (service: Service) =>
      fetch(`${service.url}/internal/dead-letters/redrive`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids: [id], by: 'ann' }),
      });

    const killed = await start('invoice-group');
    await kysely.transaction().execute(async (tx) => {
      await sql`select * from invoice_counter for update`.execute(tx); // the handler needs it
      const unanswered = redrive(killed).catch(() => 'no answer');
      await until('the handler waits', async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(kysely);
        return rows.length === 1;
      });
      await killed.end('SIGKILL');
      expect(await unanswered).toBe('no answer');
    });
    expect(await letter()).toMatchObject({ id, attempts: 3 });
    expect(await auditOf(kysely, 'invoice-group', [id])).toEqual([]);

    const next = await start('invoice-group');
    for (const outcome of ['REDRIVEN', 'DECIDED']) {
      expect(await (await redrive(next)).json()).toMatchObject({ results: [{ id, outcome }] });
    }
    expect((await next.get(`/invoices?orderId=${event.key}`)).body.content).toHaveLength(1);
    expect(await auditOf(kysely, 'invoice-group', [id])).toMatchObject([{ outcome: 'REDRIVEN', requestedBy: 'ann' }]);
    await close();
  }, 180_000);

  it('name every invalid setting and do not start', async () => {
    const service = await startService(entry, { DATABASE_URL: database.url, CONSUMER_GROUP: 'nobody', SMTP_URL: 'x' });
    expect((await service.exit)[0]).toBe(1);
    expect(service.lines.join('\n')).toMatch(/CONSUMER_GROUP[\s\S]*SMTP_URL/);
  });
});
