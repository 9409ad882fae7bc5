import type { Transaction } from '@store/shared/database/transaction';
import { toMinorUnits } from '@store/shared/values/money';
import type { LockedPayment, PaymentChange } from '../payment-repository.ts';
import { chargeId } from '../step-repository.ts';
import { type BookedCharge, bookOn } from './entry-repository.ts';
import { chargedShares, taxOf } from './tax.ts';

/** Books the charges of payments that become PAID. They were locked before. */
export function bookChanges(
  tx: Transaction,
  changes: Pick<PaymentChange, 'orderId' | 'status'>[],
  locked: ReadonlyMap<string, LockedPayment>,
  at: Date,
): void {
  const charges = changes.flatMap(({ orderId, status }): BookedCharge[] => {
    const payment = locked.get(orderId);
    if (status !== 'PAID' || payment === undefined || payment.status === 'CANCELLED') return [];
    const { amount, taxes } = payment;
    const { currency } = amount;
    const units = toMinorUnits(amount);
    const tax = taxOf(chargedShares(units, taxes, currency));
    return [{ stepId: chargeId(orderId), orderId, currency, amount: units, tax, at }];
  });
  if (charges.length > 0) bookOn(tx).charged(charges);
}
