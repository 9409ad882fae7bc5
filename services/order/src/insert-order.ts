import type { Database } from '@store/shared/database/database';
import type { Placeholders } from '@store/shared/database/prepared-statements';
import type { StoredEvent } from '@store/shared/messaging/events';
import { wakeRelay } from '@store/shared/messaging/outbox/append';
import { type RawBuilder, sql } from 'kysely';
import type { DB } from './generated/tables.ts';
import { type NewOrder, replyLifetimeHours, type StoredReply } from './order.ts';

/** `repeated`: the Idempotency-Key has a stored reply. `running`: another request with the key is being stored. */
export type InsertOutcome = 'stored' | 'repeated' | 'running';

export type KeyedReply = StoredReply & { key: string };

type OrderValues = ReturnType<typeof orderValues>;
type KeyedValues = OrderValues & KeyedReply;

/**
 * Stores order, items, reply and event in one statement, thus in one transaction and one round trip: the busiest write
 * of the store.
 */
export function createInsertOrder({ kysely, prepare }: Database<DB>) {
  const insert = prepare((values: Placeholders<OrderValues>) =>
    insertFrom(sql`lock as (select true as acquired), source as (select 1)`, values).compile(kysely),
  );
  const insertKeyed = prepare((values: Placeholders<KeyedValues>) =>
    insertFrom(keyedSource(values), values).compile(kysely),
  );

  return async (order: NewOrder, event: StoredEvent, reply: KeyedReply | undefined): Promise<InsertOutcome> => {
    const values = orderValues(order, event);
    const [row] = reply === undefined ? await insert(values) : await insertKeyed({ ...values, ...reply });
    if (row?.stored === true) {
      wakeRelay(kysely);
      return 'stored';
    }
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
    event: event.id,
    kind: event.kind,
    eventKey: event.key,
    payload: event.payload,
    traceparent: event.traceparent,
  };
}

/** The inserts select from `source`, which is empty if the idempotency key is taken. */
function insertFrom(source: RawBuilder<unknown>, values: Placeholders<OrderValues>) {
  const { order, account, createdAt } = values;
  return sql<{ acquired: boolean; stored: boolean | null }>`
    with ${source},
    new_order as (
      insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
      select ${order}::uuid, ${account}::uuid, 'PENDING', ${values.total}::numeric, ${values.currency},
             ${createdAt}::timestamptz, ${createdAt}::timestamptz
      from source
    ),
    new_items as (
      insert into order_items (order_id, position, product_id, quantity, unit_price)
      select ${order}::uuid, item.position, item.product_id, item.quantity, item.unit_price
      from source, unnest(${values.products}::uuid[], ${values.quantities}::int[], ${values.prices}::numeric[])
        with ordinality as item(product_id, quantity, unit_price, position)
    ),
    new_event as (
      insert into outbox (id, kind, key, payload, traceparent, created_at)
      select ${values.event}::uuid, ${values.kind}, ${values.eventKey}, ${values.payload}, ${values.traceparent},
             ${createdAt}::timestamptz
      from source
    )
    select lock.acquired, (select true from source) as stored
    from lock`;
}

/** The reply is inserted first and decides: if its key is taken, nothing else is written. */
function keyedSource({ account, createdAt, key, requestHash, location, body }: Placeholders<KeyedValues>) {
  return sql`
    lock as materialized (
      select pg_try_advisory_xact_lock(hashtextextended(${account}::text || ${key}::text, 0)) as acquired
    ),
    source as (
      insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
      select ${account}::uuid, ${key}, ${requestHash}, ${location}, ${body}, ${createdAt}::timestamptz
      from lock where acquired
      on conflict (account_id, key) do update
        set request_hash = excluded.request_hash, location = excluded.location, body = excluded.body,
            created_at = excluded.created_at
        where idempotency_keys.created_at < excluded.created_at - interval '${sql.raw(String(replyLifetimeHours))} hours'
      returning 1
    )`;
}
