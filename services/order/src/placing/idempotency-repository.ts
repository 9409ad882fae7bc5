import { deleteInBatches } from '@store/shared/database/batches';
import { literal, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { hourMs } from '@store/shared/values/time';
import { asPlaced, type PlacedOrder, type StoredOrder, toOrderJson } from '../order.ts';
import { type OrderRow, orderColumns } from '../order-repository.ts';

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  key: string;
  /** Hash of the body. Two requests with the same hash are the same. */
  hash: string;
}

/** How long a key is kept (contract 4.7). */
const lifetimeHours = 24;

/** Keys that are not older than this have not expired. */
const oldestKey = (now: Date) => new Date(now.getTime() - lifetimeHours * hourMs);

export type IdempotencyRepository = ReturnType<typeof createIdempotencyRepository>;

export const createIdempotencyRepository = ({ run }: Statements) => ({
  /** Finds the order that was placed with a key, until the key expires, even if the owner has deleted the order. */
  async find(accountId: string, key: string, now: Date): Promise<(StoredOrder & { requestHash: string }) | undefined> {
    const [order] = await run<OrderRow & { requestHash: string }>(sql`
      select request_hash as "requestHash", ${orderColumns}
      from idempotency_keys as stored join orders on orders.id = stored.order_id
      where stored.account_id = ${accountId}::uuid and key = ${key}
        and stored.created_at >= ${oldestKey(now)}::timestamptz`);
    return order;
  },

  /** @returns how many expired keys were deleted */
  deleteExpired: (now: Date): Promise<number> =>
    // Locks the keys before it deletes them, so that a key that is reused meanwhile stays.
    deleteInBatches(
      run,
      (limit) => sql`
        delete from idempotency_keys where ctid = any(array(
          select ctid from idempotency_keys where created_at < ${oldestKey(now)}::timestamptz
          order by created_at limit ${limit} for update
        ))`,
    ),
});

/** Selects the id of the order that was placed with a key, for the list of the account. */
export const orderOfKey = (accountId: string, key: string, now: Date): Sql => sql`
  select order_id from idempotency_keys
  where account_id = ${accountId}::uuid and key = ${key} and shipment_id is null
    and created_at >= ${oldestKey(now)}::timestamptz`;

/** Both parts, so that requests of an account with one key exclude each other. */
const keyLock = (accountId: string, key: string): Sql =>
  sql`pg_try_advisory_xact_lock(hashtextextended(${accountId}::uuid::text || ${key}::text, 0))`;

/** Locks a key until the end of the transaction. @returns false while another request has it */
export async function lockKey({ run }: Transaction, accountId: string, key: string): Promise<boolean> {
  const [lock] = await run<{ acquired: boolean }>(sql`select ${keyLock(accountId, key)} as acquired`);
  return lock?.acquired === true;
}

interface Keyed {
  requestHash: string;
  orderId: string | null;
}

/** Finds the request that used a locked key, until the key expires. */
export async function findKeyed(
  { run }: Transaction,
  accountId: string,
  key: string,
  now: Date,
): Promise<Keyed | undefined> {
  const [first] = await run<Keyed>(sql`
    select request_hash as "requestHash", order_id as "orderId" from idempotency_keys
    where account_id = ${accountId}::uuid and key = ${key} and created_at >= ${oldestKey(now)}::timestamptz`);
  return first;
}

interface ShipmentRequest extends KeyedRequest {
  accountId: string;
  orderId: string;
  shipmentId: string;
}

/** Stores a locked key with the shipment that was made, in place of an expired one. */
export function storeKey(
  { send }: Transaction,
  { accountId, key, hash, orderId, shipmentId }: ShipmentRequest,
  now: Date,
): void {
  send(sql`
    insert into idempotency_keys (account_id, key, request_hash, order_id, shipment_id, location, created_at)
    values (${accountId}::uuid, ${key}, ${hash}, ${orderId}::uuid, ${shipmentId}::uuid, ${`/orders/${orderId}`}, ${now})
    on conflict (account_id, key) do update
      set request_hash = excluded.request_hash, order_id = excluded.order_id, shipment_id = excluded.shipment_id,
          location = excluded.location, body = null, created_at = excluded.created_at`);
}

/**
 * Two parts of the statement that stores an order, `lock` and `source`. `lock.acquired` is false while another request with the
 * same key is being stored. `source` has a row if the order must be stored: the key is inserted first, and if it is taken,
 * nothing else is written. Both read a part `allowance`, whose column `allowed` says whether the order may be placed at all.
 */
export function claimKey({ id, accountId, createdAt, ...order }: PlacedOrder, request: KeyedRequest | undefined): Sql {
  if (request === undefined)
    return sql`lock as (select true as acquired), source as (select 1 from allowance where allowed)`;
  // For replicas of the previous release, which cannot derive the reply from the order. Long and personal fields are left out.
  const body = toOrderJson(asPlaced({ ...order, id, accountId, createdAt, items: [], details: null }));
  return sql`
    lock as materialized (
      select ${keyLock(accountId, request.key)} as acquired
    ),
    source as (
      insert into idempotency_keys (account_id, key, request_hash, order_id, location, body, created_at)
      select ${accountId}::uuid, ${request.key}, ${request.hash}, ${id}::uuid, ${`/orders/${id}`}, ${body},
             ${createdAt}::timestamptz
      from lock, allowance where acquired and allowed
      on conflict (account_id, key) do update
        set request_hash = excluded.request_hash, order_id = excluded.order_id, shipment_id = null,
            location = excluded.location, body = excluded.body, created_at = excluded.created_at
        where idempotency_keys.created_at < excluded.created_at - interval '${literal(lifetimeHours)} hours'
      returning 1
    )`;
}
