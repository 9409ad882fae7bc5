import { wholeRefundId } from '@store/shared/contracts/refund';
import type { Database } from '@store/shared/database/database';
import { literal, sql } from '@store/shared/database/sql';
import { traceFrom } from '@store/shared/observability/trace-context';
import { Decimal } from '@store/shared/values/money';
import type { PrismaClient } from '../../generated/client.ts';
import { insertCreditNotes, lockCreditNotes } from './credit-note-repository.ts';

/** Small enough for a transaction that other credit notes wait for. */
const batchSize = 200;
/** How much of the messages one round looks through. */
const windowHours = 6;

interface Missing {
  orderId: string;
  customerId: string;
  amount: string;
  currency: string;
  refundedAt: string;
  /** Refunds of the order that have credit notes. */
  credited: string[];
}

/**
 * Writes the credit notes of payments that were refunded when invoice did not handle `PaymentRefunded`: before this release, and
 * while replicas of the previous release handled events beside it. The messages to customers about refunds, in the same database, say
 * which these are: their orders were cancelled, so all that their invoices have left was returned (decisions/0043). It looks at each
 * message once, an hour late, when its event has been handled. To look again at all messages is safe.
 * @returns whether there is more to do
 */
export const writeMissingCreditNotes = ({ inTransaction }: Database<PrismaClient>): Promise<boolean> =>
  inTransaction(async (tx) => {
    lockCreditNotes(tx);
    const [window] = await tx.run<{ from: string; to: string; isLast: boolean }>(sql`
      with messages as (
        select coalesce(looked_until, (select min(created_at) from notifications), now()) as from,
               now() - interval '1 hour' as until
        from credit_note_counter where id = 1
      )
      select "from"::text, least("from" + interval '${literal(windowHours)} hours', until)::text as to,
             "from" + interval '${literal(windowHours)} hours' >= until as "isLast"
      from messages where "from" < until`);
    if (window === undefined) return false;
    const refunded = await tx.run<Missing>(sql`
      select orders.order_id::text as "orderId", invoices.customer_id::text as "customerId", currency,
             (amount - returned)::text as amount, to_json(orders.refunded_at)#>>'{}' as "refundedAt", credited
      from (
        select order_id, min(created_at) as refunded_at from notifications
        where kind = 'PaymentRefunded'
          and created_at >= ${window.from}::timestamptz and created_at < ${window.to}::timestamptz
        group by order_id
      ) as orders
      join invoices on invoices.order_id = orders.order_id
      cross join lateral (
        select coalesce(sum(amount), 0) as returned, coalesce(json_agg(refund_id), '[]') as credited
        from credit_notes where credit_notes.order_id = orders.order_id
      ) as notes
      where returned < amount
      order by orders.refunded_at, orders.order_id`);
    // An invoice keeps something if a part of the payment was disputed.
    const missing = refunded.filter(({ orderId, credited }) => !credited.includes(wholeRefundId(orderId)));
    if (missing.length > 0) {
      const refunds = missing.slice(0, batchSize).map(({ orderId, amount, currency, credited: _, ...refund }) => ({
        ...refund,
        orderId,
        refundId: wholeRefundId(orderId),
        amount: { amount: new Decimal(amount), currency },
        trace: traceFrom(undefined),
      }));
      await insertCreditNotes(tx, refunds, new Date());
    }
    if (missing.length > batchSize) return true;
    tx.send(sql`update credit_note_counter set looked_until = ${window.to}::timestamptz where id = 1`);
    return !window.isLast;
  });
