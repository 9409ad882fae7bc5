import { randomUUID } from 'node:crypto';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { recordedStatements } from '../../../../tests/kit/postgres/recorded-statement.ts';

// Events of other orders from a busy hour: those that were published, and a backlog that waits.
const published = 30_000;
const waiting = 10_000;
/** Blocks of the index and of the table, for the two events of one order. */
const maxBlocks = 20;

interface Plan {
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

const removedBy = (plan: Plan): number =>
  (plan['Rows Removed by Filter'] ?? 0) + (plan.Plans ?? []).reduce((sum, part) => sum + removedBy(part), 0);

describe.each(['order', 'inventory', 'payment'])('the events of an order in the outbox of %s', (service) => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase(service);
    client = new pg.Client(database.url);
    await client.connect();
    await client.query(`
      insert into outbox (id, kind, key, payload, created_at, sent_at)
      select gen_random_uuid(), 'OrderCreated', gen_random_uuid()::text, '{}', now(), case when n <= ${published} then now() end
      from generate_series(1, ${published + waiting}) as n`);
    await client.query('vacuum (analyze) outbox');
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it('are found, however late they were published, without reading those of others', async () => {
    const key = randomUUID();
    const events = [
      ['OrderCreated', null],
      ['OrderCancelled', new Date(Date.now() + 7_200_000).toISOString()],
    ];
    for (const [kind, sentAt] of events) {
      const values = [randomUUID(), kind, key, '{}', sentAt];
      const columns = 'id, kind, key, payload, created_at, sent_at';
      await client.query(`insert into outbox (${columns}) values ($1, $2, $3, $4, now(), $5)`, values);
    }
    const [statement] = await recordedStatements((kysely) => eventsOf(kysely, key));
    const { sql = '', parameters = [] } = statement ?? {};
    const { rows } = await client.query(sql, [...parameters]);
    expect(rows.map(({ kind, sentAt }) => [kind, sentAt])).toEqual(events);

    const explained = await client.query(`explain (analyze, buffers, format json) ${sql}`, [...parameters]);
    const plan: Plan = explained.rows[0]['QUERY PLAN'][0].Plan;
    expect(removedBy(plan)).toBe(0);
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThanOrEqual(maxBlocks);
  });
});
