import { type ConsumerGroup, handleEach } from '@store/shared/messaging/consumer/handle-once';
import { currentTrace } from '@store/shared/observability/trace-context';
import type { DB } from './generated/tables.ts';
import { type SagaTransaction, sagaOn } from './saga-repository.ts';

/** The order's steps of the saga (contract 6.1). CANCELLED is final; late and repeated events change nothing. */
export function createSaga(clock: () => Date): ConsumerGroup<DB> {
  return {
    name: 'order-group',
    chunkSize: 100,
    ...handleEach<DB, SagaTransaction>(
      {
        OrderPaid: ({ payload: { orderId, timestamp } }, orders) =>
          orders.pay(orderId, new Date(timestamp), clock(), currentTrace()?.traceparent),
        StockRejected: ({ payload: { orderId, reason = 'out of stock' } }, orders) =>
          orders.cancelPending(orderId, reason, clock()),
        StockReleased: ({ payload: { orderId, reason } }, orders) => orders.cancelPending(orderId, reason, clock()),
        // Its own is recorded already. Inventory shipped in release 0.1.0, which may still run during an upgrade.
        OrderShipped: ({ payload: { orderId, timestamp } }, orders) =>
          orders.recordShipment(orderId, new Date(timestamp), clock()),
      },
      sagaOn,
    ),
  };
}
