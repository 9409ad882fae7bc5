import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startStore } from '../../../tools/local/store.ts';
import { createSend, sendExpecting } from '../../kit/http.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { createRunFolder } from '../_run-folder.ts';
import { persist } from '../payments/_surroundings.ts';

const customerId = randomUUID();
/** Fewer than events, so that most orders have several. */
const orderCount = 500;
/** At once: a process that is killed holds up only these. */
const writers = 8;

export type Run = Awaited<ReturnType<typeof startRun>>;

/** The processes that tell endpoints of orders, with some orders that are told to be shipped again and again. */
export async function startRun(report: (line: string) => void) {
  const folder = await createRunFolder('webhooks');
  const store = await startStore({
    dir: folder.dir,
    ports: 'free',
    components: ['order', 'order-worker', 'webhook'],
    env: { RETRY_DELAY_MS: '100', SHIP_AFTER_SECONDS: 'never' },
    postgresSettings: { fsync: 'off' }, // processes are killed here, not the machine
    log: report,
  });
  const pool = new pg.Pool({ connectionString: store.databaseUrl('order'), max: writers });
  pool.on('error', () => undefined); // of a connection that PostgreSQL took with it
  await pool.query(`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, paid_at)
    select gen_random_uuid(), '${customerId}', 'CONFIRMED', 12.75, 'USD', now(), now(), now()
    from generate_series(1, ${orderCount});
    insert into order_items (order_id, position, product_id, quantity, unit_price, name)
    select id, 0, gen_random_uuid(), 3, 4.25, 'Tea' from orders`);
  const orders = (await pool.query<{ id: string }>('select id from orders')).rows.map(({ id }) => id);
  const send = createSend(store.url('webhook'));
  const operator = { 'id-account': randomUUID(), 'account-roles': 'operator' };
  /** When each event was committed, in ms since the epoch. */
  const committedAt = new Map<string, number>();

  /** Commits an event, as the order service does. A repetition of a lost answer changes nothing. */
  async function commitEvent(): Promise<void> {
    const [id, orderId] = [randomUUID(), orders[committedAt.size % orders.length] ?? ''];
    const event = { orderId, customerId, shipmentId: randomUUID(), timestamp: new Date().toISOString() };
    await persist(() =>
      pool.query(`
        insert into outbox (id, kind, key, payload, created_at)
        values ('${id}', 'OrderShipped', '${orderId}', '${JSON.stringify(event)}', now()) on conflict do nothing;
        notify outbox`),
    );
    committedAt.set(id, Date.now());
  }

  return {
    store,
    committedAt,

    /** Tells this URL of every event from now on. @returns the id of the webhook */
    async addWebhook(url: string): Promise<string> {
      const { body } = await sendExpecting(201, send, 'POST', '/webhooks', { url, kinds: ['OrderShipped'] }, operator);
      return body.id;
    },

    /** Commits so many events, at most so many a second. @returns their ids */
    async commitEvents(count: number, perSecond: number): Promise<string[]> {
      const before = new Set(committedAt.keys());
      const began = Date.now();
      let next = 0;
      const write = async () => {
        for (let index = next++; index < count; index = next++) {
          await wait(began + (index * 1_000) / perSecond - Date.now());
          await commitEvent();
        }
      };
      await Promise.all(Array.from({ length: writers }, write));
      return [...committedAt.keys()].filter((id) => !before.has(id));
    },

    async removeWebhook(id: string): Promise<void> {
      await sendExpecting(204, send, 'DELETE', `/webhooks/${id}`, undefined, operator);
    },

    /** Deliveries by state, as operators see them. */
    async states(webhookId: string): Promise<Record<string, string[]>> {
      const rows = await persist(() =>
        queryOnce<{ id: string; state: string }>(
          store.databaseUrl('consumers'),
          `select id, state from webhook_deliveries where webhook_id = '${webhookId}'`,
        ),
      );
      const ids = Map.groupBy(rows, ({ state }) => state);
      return Object.fromEntries([...ids].map(([state, some]) => [state, some.map(({ id }) => id)]));
    },

    /** Makes all attempts due that wait for their time, as some hours would. */
    hurry: () =>
      persist(() =>
        queryOnce(
          store.databaseUrl('consumers'),
          `update webhook_deliveries set due_at = now() where state = 'PENDING' and due_at > now() and due_at < 'infinity'`,
        ),
      ),

    async stop(hasFailed: boolean) {
      await pool.end();
      await store.stop();
      await folder.close(hasFailed, report);
    },
  };
}
