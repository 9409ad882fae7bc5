import type { Transaction } from '@store/shared/database/transaction';
import { toMinorUnits } from '@store/shared/values/money';
import type { LockedPayment, PaymentChange } from '../payment-repository.ts';
import { stepId } from '../step-repository.ts';
import { type BookedCharge, bookOn } from './entry-repository.ts';
import { sharesIn, taxOf } from './tax.ts';

/** Books what changes mean for payments that were locked before the changes: those that are PAID were charged. */
export async function bookChanges(
  tx: Transaction,
  changes: Pick<PaymentChange, 'orderId' | 'status'>[],
  locked: ReadonlyMap<string, LockedPayment>,
  at: Date,
): Promise<void> {
  const books = bookOn(tx);
  const toBook = (kind: 'charge' | 'refund', payment: LockedPayment | undefined): BookedCharge[] => {
    if (payment === undefined || payment.status === 'CANCELLED') return [];
    const { orderId, amount, taxes } = payment;
    const { currency } = amount;
    const units = toMinorUnits(amount);
    const tax = taxOf(sharesIn(units, taxes, currency));
    return [{ stepId: stepId(kind, orderId), orderId, currency, amount: units, tax, at }];
  };
  const charges = changes.flatMap(({ orderId, status }) =>
    status === 'PAID' ? toBook('charge', locked.get(orderId)) : [],
  );
  const refunds = changes.flatMap(({ orderId, status }) =>
    status === 'REFUNDED' ? toBook('refund', locked.get(orderId)) : [],
  );
  if (charges.length > 0) await books.charged(charges);
  for (const refund of refunds) await books.refunded(refund);
}
