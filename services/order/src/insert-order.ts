import type { Query } from '@store/shared/database/query';
import type { StoredEvent } from '@store/shared/messaging/events';
import type { Order, StoredReply } from './order.ts';

/** `repeated`: the Idempotency-Key has a stored reply. `running`: another request with it is just being stored. */
export type InsertOutcome = 'stored' | 'repeated' | 'running';

/** The reply goes in first and decides: where its key is taken, nothing else is written. */
const keyedSource = `
  gate as materialized (
    select pg_try_advisory_xact_lock(hashtextextended($2::text || $15::text, 0)) as open
  ),
  source as (
    insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
    select $2::uuid, $15::text, $16::text, $17::text, $18::text, $6::timestamptz from gate where open
    on conflict (account_id, key) do update
      set request_hash = excluded.request_hash, location = excluded.location, body = excluded.body,
          created_at = excluded.created_at
      where idempotency_keys.created_at < excluded.created_at - interval '24 hours'
    returning 1
  )`;

const plainSource = 'gate as (select true as open), source as (select 1)';

/**
 * Order, items, reply and event in one statement: one transaction and one round trip, which is what makes placing
 * an order cheap. The busiest write of the store.
 */
const statement = (source: string) => `
  with ${source},
  new_order as (
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select $1::uuid, $2::uuid, $3::text, $4::numeric, $5::text, $6::timestamptz, $6::timestamptz from source
  ),
  new_items as (
    insert into order_items (order_id, position, product_id, quantity, unit_price)
    select $1::uuid, item.position, item.product_id, item.quantity, item.unit_price
    from source, unnest($7::uuid[], $8::int[], $9::numeric[]) with ordinality
      as item(product_id, quantity, unit_price, position)
  ),
  new_event as (
    insert into outbox (id, kind, key, payload, traceparent, created_at)
    select $10::uuid, $11::text, $12::text, $13::text, $14::text, $6::timestamptz from source
  )
  select gate.open, (select true from source) as stored,
         (select pg_notify('outbox', '')::text from source) as notified
  from gate`;

const plainStatement = statement(plainSource);
const keyedStatement = statement(keyedSource);

export async function insertOrder(
  query: Query,
  order: Order,
  event: StoredEvent,
  reply: ({ key: string } & StoredReply) | undefined,
): Promise<InsertOutcome> {
  const values = [
    ...[order.id, order.accountId, order.status, order.total.amount.toFixed(), order.total.currency, order.createdAt],
    order.items.map(({ productId }) => productId),
    order.items.map(({ quantity }) => quantity),
    order.items.map(({ unitPrice }) => unitPrice.toFixed()),
    ...[event.id, event.kind, event.key, event.payload, event.traceparent],
  ];
  const [row] =
    reply === undefined
      ? await query<Outcome>(plainStatement, ...values)
      : await query<Outcome>(keyedStatement, ...values, ...[reply.key, reply.requestHash, reply.location, reply.body]);
  if (row?.stored === true) return 'stored';
  return row?.open === true ? 'repeated' : 'running';
}

interface Outcome {
  open: boolean;
  stored: boolean | null;
}
