import type { Money } from '@store/shared/values/money';

export interface Charge {
  orderId: string;
  customerId: string;
  amount: Money;
}

export type ChargeResult = { ok: true; paymentId: string } | { ok: false; reason: string };

export interface Refund {
  orderId: string;
  paymentId: string;
  amount: Money;
}

/**
 * Who takes the money. Both calls are made again whenever their outcome is not known, so they are idempotent by order
 * id: the same order again is the same answer, and no money is moved twice.
 * A provider that cannot be reached throws `unavailable`: then the payment waits.
 */
export interface PaymentProvider {
  charge(charge: Charge): Promise<ChargeResult>;
  refund(refund: Refund): Promise<void>;
}
