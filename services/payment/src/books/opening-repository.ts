import { wholeRefundId } from '@store/shared/contracts/refund';
import { sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { Decimal, toMinorUnits } from '@store/shared/values/money';
import { chargeId } from '../step-repository.ts';
import { bookOn } from './entry-repository.ts';
import { chargedShares, taxOf } from './tax.ts';

const batchSize = 500;

interface Unbooked {
  orderId: string;
  status: string;
  amount: string;
  currency: string;
  taxes: { permille: number; gross: string }[] | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Books payments that the books lack: those from before the books, and those that a replica of the previous release has changed.
 * A refund from then was of all that the provider held. Several processes may do this at once.
 * @returns whether there may be more
 */
export async function bookUnbooked(tx: Transaction): Promise<boolean> {
  const payments = await tx.run<Unbooked>(sql`
    select order_id as "orderId", status, amount, currency, taxes, created_at as "createdAt", updated_at as "updatedAt"
    from payments where status in ('PAID', 'REFUNDED') and booked is distinct from status
    order by order_id limit ${batchSize}::int for update skip locked`);
  if (payments.length === 0) return false;
  const books = bookOn(tx);
  books.charged(
    payments.map((payment) => {
      const { orderId, currency, createdAt: at } = payment;
      const amount = toMinorUnits({ amount: new Decimal(payment.amount), currency });
      const taxes = payment.taxes?.map(({ permille, gross }) => ({ permille, gross: new Decimal(gross) }));
      const tax = taxOf(chargedShares(amount, taxes, currency));
      return { stepId: chargeId(orderId), orderId, currency, amount, tax, at };
    }),
  );
  const refunded = new Map(payments.flatMap((one) => (one.status === 'REFUNDED' ? [[one.orderId, one]] : [])));
  for (const { orderId, amount } of await heldFor(tx, [...refunded.keys()])) {
    const { currency = '', updatedAt: at = new Date() } = refunded.get(orderId) ?? {};
    const refund = { stepId: wholeRefundId(orderId), orderId, currency, amount: BigInt(amount), tax: 0n, at };
    if (refund.amount > 0n) books.refunded(refund);
  }
  const ids = payments.map(({ orderId }) => orderId);
  tx.send(sql`update payments set booked = status where order_id = any(${ids}::uuid[])`);
  return payments.length === batchSize;
}

/** What the provider holds of orders, in minor units. */
const heldFor = ({ run }: Transaction, orderIds: string[]): Promise<{ orderId: string; amount: string }[]> =>
  run(sql`
    select order_id as "orderId", sum(amount)::text as amount
    from entries join entry_lines on entry = id
    where order_id = any(${orderIds}::uuid[]) and account = 'provider'
    group by order_id order by order_id`);
