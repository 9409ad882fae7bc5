import type { Money } from '@store/shared/values/money';

interface Base {
  orderId: string;
  customerId: string;
}

/**
 * What is known of the payment of an order.
 * CHARGING is stored before the provider is asked, so that money may have been taken from then on, whatever happens.
 * CANCELLED: the order was cancelled before its payment began, which therefore never will.
 */
export type Payment =
  | (Base & { status: 'CANCELLED' })
  | (Base & { status: 'CHARGING' | 'FAILED'; amount: Money })
  | (Base & { status: 'PAID' | 'REFUNDED'; amount: Money; paymentId: string });

export type PaymentStatus = Payment['status'];
