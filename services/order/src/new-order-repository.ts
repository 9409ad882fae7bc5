import type { Database } from '@store/shared/database/database';
import type { StoredEvent } from '@store/shared/messaging/events';
import { wakeRelays } from '@store/shared/messaging/outbox/append';
import { type RawBuilder, sql } from 'kysely';
import type { DB } from './generated/tables.ts';
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

type Values = ReturnType<typeof orderValues> & Partial<KeyedReply>;

/**
 * Stores order, items, reply and event in one statement, thus in one transaction and one round trip: the busiest write
 * of the store. It is compiled once and skips Kysely's executor (decisions/0007).
 * @param maxCancelled of an account's orders of the last hour, before it may place no more; 0: any number
 */
export function createInsertOrder({ kysely, run }: Database<DB>, maxCancelled: number) {
  const allowed = maxCancelled === 0 ? sql`select true as allowed` : hasCancelledFewer(maxCancelled);
  const insertFrom = (source: RawBuilder<unknown>) => {
    const statement = insert(sql`allowance as materialized (${allowed}), ${source}`).compile(kysely);
    const names = statement.parameters as (keyof Values)[];
    return (values: Values) => run<Inserted>({ ...statement, parameters: names.map((name) => values[name]) });
  };
  const insertPlain = insertFrom(
    sql`lock as (select true as acquired), source as (select 1 from allowance where allowed)`,
  );
  const insertKeyed = insertFrom(keyedSource);

  return async (order: NewOrder, event: StoredEvent, reply: KeyedReply | undefined): Promise<InsertOutcome> => {
    const values = orderValues(order, event);
    const [row] = await (reply === undefined ? insertPlain(values) : insertKeyed({ ...values, ...reply }));
    wakeRelays(kysely);
    if (row?.stored === true) return 'stored';
    if (row?.allowed === false) return 'refused';
    return row?.acquired === true ? 'repeated' : 'running';
  };
}

function orderValues(order: NewOrder, event: StoredEvent) {
  return {
    order: order.id,
    account: order.accountId,
    total: order.total.amount.toFixed(),
    currency: order.total.currency,
    createdAt: order.createdAt,
    products: order.items.map(({ productId }) => productId),
    quantities: order.items.map(({ quantity }) => quantity),
    prices: order.items.map(({ unitPrice }) => unitPrice.toFixed()),
    names: order.items.map(({ name }) => name),
    shippingAddress: order.shippingAddress && JSON.stringify(order.shippingAddress),
    metadata: order.metadata && JSON.stringify(order.metadata),
    event: event.id,
    kind: event.kind,
    eventKey: event.key,
    payload: event.payload,
    traceparent: event.traceparent,
  };
}

/** The parameters of a compiled statement are the names of its values, which take their places when it runs. */
const value = (name: keyof Values) => name;

/** The inserts select from `source`, which is empty if the idempotency key is taken, or the account is to place no more. */
const insert = (source: RawBuilder<unknown>) => sql<Inserted>`
  with ${source},
  new_order as (
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select ${value('order')}::uuid, ${value('account')}::uuid, 'PENDING', ${value('total')}::numeric,
           ${value('currency')}, ${value('createdAt')}::timestamptz, ${value('createdAt')}::timestamptz
    from source
  ),
  new_items as (
    insert into order_items (order_id, position, product_id, quantity, unit_price, name)
    select ${value('order')}::uuid, item.position, item.product_id, item.quantity, item.unit_price, item.name
    from source, unnest(${value('products')}::uuid[], ${value('quantities')}::int[], ${value('prices')}::numeric[],
      ${value('names')}::text[]) with ordinality as item(product_id, quantity, unit_price, name, position)
  ),
  new_details as (
    insert into order_details (order_id, account_id, shipping_address, metadata)
    select ${value('order')}::uuid, ${value('account')}::uuid, ${value('shippingAddress')}::json,
           ${value('metadata')}::jsonb
    from source
    where ${value('shippingAddress')}::json is not null or ${value('metadata')}::jsonb is not null
  ),
  new_event as (
    insert into outbox (id, kind, key, payload, traceparent, created_at)
    select ${value('event')}::uuid, ${value('kind')}, ${value('eventKey')}, ${value('payload')},
           ${value('traceparent')}, ${value('createdAt')}::timestamptz
    from source
  )
  select lock.acquired, (select true from source) as stored, allowance.allowed
  from lock, allowance`;

/** Those cancelled for lack of stock held nothing, and those cancelled by the store were not given up by their customer. Two ranges of indexes, each read until there are too many. */
function hasCancelledFewer(max: number): RawBuilder<unknown> {
  const cancelled = (deleted: 'null' | 'not null') => sql`(
    select 1 from orders
    where account_id = ${value('account')}::uuid and status = 'CANCELLED' and deleted_at is ${sql.raw(deleted)}
      and created_at > ${value('createdAt')}::timestamptz - interval '1 hour' and missing is null
      and cancel_reason is distinct from ${sql.lit(cancelledByStore)}
    limit ${sql.lit(max)}
  )`;
  return sql`
    select count(*) < ${sql.lit(max)} as allowed
    from (${cancelled('null')} union all ${cancelled('not null')}) as cancelled`;
}

/** The reply is inserted first and decides: if its key is taken, nothing else is written. */
const keyedSource = sql`
  lock as materialized (
    select pg_try_advisory_xact_lock(hashtextextended(${value('account')}::text || ${value('key')}::text, 0)) as acquired
  ),
  source as (
    insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
    select ${value('account')}::uuid, ${value('key')}, ${value('requestHash')}, ${value('location')},
           ${value('body')}, ${value('createdAt')}::timestamptz
    from lock, allowance where acquired and allowed
    on conflict (account_id, key) do update
      set request_hash = excluded.request_hash, location = excluded.location, body = excluded.body,
          created_at = excluded.created_at
      where idempotency_keys.created_at < excluded.created_at - interval '${sql.raw(String(replyLifetimeHours))} hours'
    returning 1
  )`;
