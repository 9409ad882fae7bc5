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
 * Takes and refunds money. Calls are repeated whenever their outcome is unknown, so both are idempotent by order id: the
 * same order gets the same answer, and no money moves twice. If the provider cannot be reached, a call throws
 * `unavailable`, and the payment waits.
 */
export interface PaymentProvider {
  charge(charge: Charge): Promise<ChargeResult>;
  refund(refund: Refund): Promise<void>;
}
