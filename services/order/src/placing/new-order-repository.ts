import type { Database } from '@store/shared/database/database';
import { literal, raw, type Sql, sql } from '@store/shared/database/sql';
import type { StoredEvent } from '@store/shared/messaging/events';
import { outboxChannel } from '@store/shared/messaging/outbox/append';
import { Decimal } from '@store/shared/values/money';
import type { PrismaClient } from '../generated/client.ts';
import { cancelledByStore, type PlacedOrder } from '../order.ts';
import { newToken } from '../paying/payment-details-repository.ts';
import { claimKey, type KeyedRequest } from './idempotency-repository.ts';

/**
 * `keyed`: the Idempotency-Key belongs to another order, or to a request that is being stored. `refused`: too many orders of
 * the account were cancelled. The key may also be taken in this case.
 */
export type InsertOutcome = 'stored' | 'keyed' | 'refused';

export type NewOrderRepository = ReturnType<typeof createNewOrderRepository>;

/** @param maxCancelled how many orders of the last hour an account may cancel before it can place no more; 0: no limit */
export function createNewOrderRepository({ run, notifier }: Database<PrismaClient>, maxCancelled: number) {
  return {
    /**
     * Stores order, items, idempotency key and event in one statement, and so in one transaction and one round trip, because this
     * is the busiest write of the store.
     */
    async insert(
      order: PlacedOrder,
      event: StoredEvent,
      request: KeyedRequest | undefined,
      token: string | undefined,
    ): Promise<InsertOutcome> {
      const allowed = maxCancelled === 0 ? sql`select true as allowed` : hasCancelledFewer(maxCancelled, order);
      const [row] = await run<{ stored: boolean | null; allowed: boolean }>(sql`
        with allowance as materialized (${allowed}), ${claimKey(order, request)}, ${inserts(order, event, token)}
        select (select true from source) as stored, allowed from allowance`);
      notifier.notify(outboxChannel);
      if (row?.stored === true) return 'stored';
      return row?.allowed === false ? 'refused' : 'keyed';
    },
  };
}

/** The inserts select from `source`, which is empty if nothing is to be stored (`claimKey`). */
function inserts(
  { id, accountId, items, details, createdAt, ...order }: PlacedOrder,
  event: StoredEvent,
  token: string | undefined,
): Sql {
  const products = items.map(({ productId }) => productId);
  const quantities = items.map(({ quantity }) => quantity);
  const prices = items.map(({ unitPrice }) => new Decimal(unitPrice).toFixed());
  const names = items.map(({ name }) => name);
  const rates = items.map(({ taxPermille }) => taxPermille);
  const skus = items.map(({ sku }) => sku);
  const shippingAddress = details?.shippingAddress && JSON.stringify(details.shippingAddress);
  const metadata = details?.metadata && JSON.stringify(details.metadata);
  return sql`
    new_order as (
      insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, has_payment_details)
      select ${id}::uuid, ${accountId}::uuid, 'PENDING', ${new Decimal(order.totalAmount).toFixed()}::numeric,
             ${order.currency}, ${createdAt}::timestamptz, ${createdAt}::timestamptz, ${token !== undefined}::boolean
      from source
    ),
    new_items as (
      insert into order_items (order_id, position, product_id, quantity, unit_price, name, tax_permille, sku)
      select ${id}::uuid, item.position, item.product_id, item.quantity, item.unit_price, item.name, item.tax_permille,
             item.sku
      from source, unnest(${products}::uuid[], ${quantities}::int[], ${prices}::numeric[], ${names}::text[],
          ${rates}::int[], ${skus}::text[])
        with ordinality as item(product_id, quantity, unit_price, name, tax_permille, sku, position)
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
    )${newToken(id, accountId, token)}`;
}

/**
 * Orders that were cancelled for lack of stock do not count, because they held nothing. Orders that the store cancelled do not
 * count, because the customer did not give them up. Reads two index ranges, each until there are too many.
 */
function hasCancelledFewer(max: number, { accountId, createdAt }: PlacedOrder): Sql {
  const limit = literal(max);
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
