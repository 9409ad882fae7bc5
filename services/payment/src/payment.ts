import type { Money } from '@store/shared/values/money';

interface Base {
  orderId: string;
  customerId: string;
}

/**
 * The payment of an order. CHARGING is stored before the provider is asked: from then on money may have been taken.
 * CANCELLED: the order was cancelled before the provider was asked, so it never will be.
 */
export type Payment =
  | (Base & { status: 'CANCELLED' })
  | (Base & { status: 'CHARGING' | 'FAILED'; amount: Money })
  | (Base & { status: 'PAID' | 'REFUNDED'; amount: Money; paymentId: string });

export type PaymentStatus = Payment['status'];
