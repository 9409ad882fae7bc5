import type { StoredEvent } from '@store/shared/messaging/events';
import { outboxChannel } from '@store/shared/messaging/outbox/append';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DB } from './generated/tables.ts';
import { type Order, replyLifetimeHours, type StoredReply } from './order.ts';

/** `repeated`: the Idempotency-Key has a stored reply. `running`: another request with the key is being stored. */
export type InsertOutcome = 'stored' | 'repeated' | 'running';

export type KeyedReply = StoredReply & { key: string };

/**
 * Stores order, items, reply and event in one statement, thus in one transaction and one round trip: the busiest write
 * of the store. The inserts select from `source`, which is empty if the idempotency key is taken.
 */
export async function insertOrder(
  kysely: Kysely<DB>,
  order: Order,
  event: StoredEvent,
  reply: KeyedReply | undefined,
): Promise<InsertOutcome> {
  const { id, accountId, status, total, items, createdAt } = order;
  const { rows } = await sql<{ acquired: boolean; stored: boolean | null }>`
    with ${reply === undefined ? unkeyedSource : keyedSource(order, reply)},
    new_order as (
      insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
      select ${id}::uuid, ${accountId}::uuid, ${status}, ${total.amount.toFixed()}::numeric, ${total.currency},
             ${createdAt}::timestamptz, ${createdAt}::timestamptz
      from source
    ),
    new_items as (
      insert into order_items (order_id, position, product_id, quantity, unit_price)
      select ${id}::uuid, item.position, item.product_id, item.quantity, item.unit_price
      from source, unnest(${items.map(({ productId }) => productId)}::uuid[],
                          ${items.map(({ quantity }) => quantity)}::int[],
                          ${items.map(({ unitPrice }) => unitPrice.toFixed())}::numeric[])
        with ordinality as item(product_id, quantity, unit_price, position)
    ),
    new_event as (
      insert into outbox (id, kind, key, payload, traceparent, created_at)
      select ${event.id}::uuid, ${event.kind}, ${event.key}, ${event.payload}, ${event.traceparent},
             ${createdAt}::timestamptz
      from source
    )
    select lock.acquired, (select true from source) as stored,
           (select pg_notify(${sql.lit(outboxChannel)}, '')::text from source) as notified
    from lock`.execute(kysely);
  const [row] = rows;
  if (row?.stored === true) return 'stored';
  return row?.acquired === true ? 'repeated' : 'running';
}

const unkeyedSource = sql`lock as (select true as acquired), source as (select 1)`;

/** The reply is inserted first and decides: if its key is taken, nothing else is written. */
function keyedSource(
  { accountId, createdAt }: Order,
  { key, requestHash, location, body }: KeyedReply,
): RawBuilder<unknown> {
  return sql`
    lock as materialized (
      select pg_try_advisory_xact_lock(hashtextextended(${accountId}::text || ${key}::text, 0)) as acquired
    ),
    source as (
      insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
      select ${accountId}::uuid, ${key}, ${requestHash}, ${location}, ${body}, ${createdAt}::timestamptz
      from lock where acquired
      on conflict (account_id, key) do update
        set request_hash = excluded.request_hash, location = excluded.location, body = excluded.body,
            created_at = excluded.created_at
        where idempotency_keys.created_at < excluded.created_at - interval '${sql.raw(String(replyLifetimeHours))} hours'
      returning 1
    )`;
}
