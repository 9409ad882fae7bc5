import type { Handlers } from '@store/shared/messaging/consumer/consumer';
import type { SagaTransaction } from './saga-repository.ts';

/** The order's own steps of the saga (decisions 5). CANCELLED is final; a late or repeated event changes nothing. */
export function createSaga(clock: () => Date): Handlers<SagaTransaction> {
  return {
    OrderPaid: ({ payload: { orderId, timestamp } }, tx) => tx.pay(orderId, new Date(timestamp), clock()),
    StockRejected: ({ payload: { orderId } }, tx) => tx.cancelPending(orderId, 'out of stock', clock()),
    StockReleased: ({ payload: { orderId, reason } }, tx) => tx.cancelPending(orderId, reason, clock()),
    OrderShipped: ({ payload: { orderId, timestamp } }, tx) => tx.ship(orderId, new Date(timestamp), clock()),
  };
}
