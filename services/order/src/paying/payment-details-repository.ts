import { empty, type Sql, type Statements, sql } from '@store/shared/database/sql';

export type PaymentDetailsRepository = ReturnType<typeof createPaymentDetailsRepository>;

/** What orders are paid with, and where their customers have to go. A trigger deletes both once an order is no longer PENDING. */
export const createPaymentDetailsRepository = ({ run }: Statements) => ({
  /** Finds the token of an order that waits for its payment. */
  async findToken(orderId: string): Promise<string | undefined> {
    const [row] = await run<{ token: string | null }>(sql`
      select token from payment_details join orders on orders.id = order_id
      where order_id = ${orderId}::uuid and status = 'PENDING'`);
    return row?.token ?? undefined;
  },

  /**
   * Stores where the customer of an order has to go, or null for nowhere. Changes nothing if the order is no longer PENDING.
   * @returns false if there is no such order
   */
  async setAction(orderId: string, url: string | null, now: Date): Promise<boolean> {
    // Locks the order first, as a change of its status does.
    const [row] = await run<{ exists: boolean }>(sql`
      with found as (
        select id, account_id, status from orders where id = ${orderId}::uuid for update
      ),
      changed as (
        insert into payment_details (order_id, account_id, action_url)
        select id, account_id, ${url}::text from found
        where status = 'PENDING'
          and (${url}::text is not null or exists (select 1 from payment_details where order_id = id))
        on conflict (order_id) do update set action_url = excluded.action_url
          where payment_details.action_url is distinct from excluded.action_url
        returning order_id
      ),
      told as (
        update orders
        set has_payment_details = true, payment_changes = payment_changes + 1, updated_at = ${now}::timestamptz
        from changed where id = order_id
      )
      select count(*) > 0 as "exists" from found`);
    return row?.exists === true;
  },

  /** Deletes the details of orders that were placed before a time, whatever has become of the orders. */
  async deleteOld(placedBefore: Date): Promise<void> {
    await run(paymentDetailsDeletion(sql`created_at < ${placedBefore}::timestamptz`));
  },
});

/**
 * Deletes the details that meet a condition. Locks the orders first, as a change of their status does, and the trigger that touches
 * them. Skips locked ones: the transaction that holds one ends the order, and deletes its details, or a later call does. So there are no
 * deadlocks.
 */
export const paymentDetailsDeletion = (condition: Sql): Sql => sql`
  delete from payment_details where order_id in (
    select id from orders where id in (select order_id from payment_details where ${condition}) for update skip locked
  )`;

/** A part of the statement that stores an order: its token. Empty for an order without one. */
export const newToken = (orderId: string, accountId: string, token: string | undefined): Sql =>
  token === undefined
    ? empty
    : sql`,
      new_token as (
        insert into payment_details (order_id, account_id, token)
        select ${orderId}::uuid, ${accountId}::uuid, ${token} from source
      )`;
