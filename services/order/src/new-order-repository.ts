import type { Database } from '@store/shared/database/database';
import { raw, type Sql, sql } from '@store/shared/database/sql';
import type { StoredEvent } from '@store/shared/messaging/events';
import { outboxChannel } from '@store/shared/messaging/outbox/append';
import type { PrismaClient } from './generated/client.ts';
import { cancelledByStore, type NewOrder, replyLifetimeHours, type StoredReply } from './order.ts';

/**
 * `repeated`: the Idempotency-Key has a stored reply. `running`: another request with the key is being stored. `refused`: too many orders
 * of the account were cancelled; the key may have a stored reply all the same.
 */
export type InsertOutcome = 'stored' | 'repeated' | 'running' | 'refused';

export type KeyedReply = StoredReply & { key: string };

interface Inserted {
  acquired: boolean;
  stored: boolean | null;
  allowed: boolean;
}

/**
 * Stores order, items, reply and event in one statement, thus in one transaction and one round trip: the busiest write
 * of the store.
 * @param maxCancelled of an account's orders of the last hour, before it may place no more; 0: any number
 */
export function createInsertOrder({ run, notifier }: Database<PrismaClient>, maxCancelled: number) {
  return async (order: NewOrder, event: StoredEvent, reply: KeyedReply | undefined): Promise<InsertOutcome> => {
    const allowed = maxCancelled === 0 ? sql`select true as allowed` : hasCancelledFewer(maxCancelled, order);
    const [row] = await run<Inserted>(insert(order, event, allowed, sourceOf(order, reply)));
    notifier.notify(outboxChannel);
    if (row?.stored === true) return 'stored';
    if (row?.allowed === false) return 'refused';
    return row?.acquired === true ? 'repeated' : 'running';
  };
}

/**
 * The inserts select from `source`, which is empty if the idempotency key is taken, or the account is to place no more.
 * @param allowed selects whether it may
 * @param source defines `lock` and `source`
 */
function insert(
  { id, accountId, total, items, createdAt, ...details }: NewOrder,
  event: StoredEvent,
  allowed: Sql,
  source: Sql,
): Sql {
  const products = items.map(({ productId }) => productId);
  const quantities = items.map(({ quantity }) => quantity);
  const prices = items.map(({ unitPrice }) => unitPrice.toFixed());
  const names = items.map(({ name }) => name);
  const shippingAddress = details.shippingAddress && JSON.stringify(details.shippingAddress);
  const metadata = details.metadata && JSON.stringify(details.metadata);
  return sql`
    with allowance as materialized (${allowed}), ${source},
    new_order as (
      insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
      select ${id}::uuid, ${accountId}::uuid, 'PENDING', ${total.amount.toFixed()}::numeric, ${total.currency},
             ${createdAt}::timestamptz, ${createdAt}::timestamptz
      from source
    ),
    new_items as (
      insert into order_items (order_id, position, product_id, quantity, unit_price, name)
      select ${id}::uuid, item.position, item.product_id, item.quantity, item.unit_price, item.name
      from source, unnest(${products}::uuid[], ${quantities}::int[], ${prices}::numeric[], ${names}::text[])
        with ordinality as item(product_id, quantity, unit_price, name, position)
    ),
    new_details as (
      insert into order_details (order_id, account_id, shipping_address, metadata)
      select ${id}::uuid, ${accountId}::uuid, details.*
      from source, (values (${shippingAddress}::json, ${metadata}::jsonb)) as details(shipping_address, metadata)
      where shipping_address is not null or metadata is not null
    ),
    new_event as (
      insert into outbox (id, kind, key, payload, traceparent, created_at)
      select ${event.id}::uuid, ${event.kind}, ${event.key}, ${event.payload}, ${event.traceparent},
             ${createdAt}::timestamptz
      from source
    )
    select lock.acquired, (select true from source) as stored, allowance.allowed
    from lock, allowance`;
}

/** Those cancelled for lack of stock held nothing, and those cancelled by the store were not given up by their customer. Two ranges of indexes, each read until there are too many. */
function hasCancelledFewer(max: number, { accountId, createdAt }: NewOrder): Sql {
  const limit = raw(String(max));
  const cancelled = (deleted: 'null' | 'not null') => sql`(
    select 1 from orders
    where account_id = ${accountId}::uuid and status = 'CANCELLED' and deleted_at is ${raw(deleted)}
      and created_at > ${createdAt}::timestamptz - interval '1 hour' and missing is null
      and cancel_reason is distinct from ${cancelledByStore}
    limit ${limit}
  )`;
  return sql`
    select count(*) < ${limit} as allowed
    from (${cancelled('null')} union all ${cancelled('not null')}) as cancelled`;
}

/** The reply is inserted first and decides: if its key is taken, nothing else is written. */
function sourceOf({ accountId, createdAt }: NewOrder, reply: KeyedReply | undefined): Sql {
  if (reply === undefined)
    return sql`lock as (select true as acquired), source as (select 1 from allowance where allowed)`;
  const { key, requestHash, location, body } = reply;
  return sql`
    lock as materialized (
      select pg_try_advisory_xact_lock(hashtextextended(${accountId}::uuid::text || ${key}::text, 0)) as acquired
    ),
    source as (
      insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
      select ${accountId}::uuid, ${key}, ${requestHash}, ${location}, ${body}, ${createdAt}::timestamptz
      from lock, allowance where acquired and allowed
      on conflict (account_id, key) do update
        set request_hash = excluded.request_hash, location = excluded.location, body = excluded.body,
            created_at = excluded.created_at
        where idempotency_keys.created_at < excluded.created_at - interval '${raw(String(replyLifetimeHours))} hours'
      returning 1
    )`;
}
