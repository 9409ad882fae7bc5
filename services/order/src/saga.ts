import { type ConsumerGroup, handleEach } from '@store/shared/messaging/consumer/handle-once';
import type { DB } from './generated/tables.ts';
import { type SagaRepository, sagaRepositoryOn } from './saga-repository.ts';

/** The order's steps of the saga (contract 6.1). CANCELLED is final; late and repeated events change nothing. */
export function createSaga(clock: () => Date): ConsumerGroup<DB> {
  return {
    name: 'order-group',
    chunkSize: 100,
    ...handleEach<DB, SagaRepository>(
      {
        OrderPaid: ({ payload: { orderId, timestamp } }, orders) => orders.pay(orderId, new Date(timestamp), clock()),
        StockRejected: ({ payload: { orderId, reason = 'out of stock' } }, orders) =>
          orders.cancelPending(orderId, reason, clock()),
        StockReleased: ({ payload: { orderId, reason } }, orders) => orders.cancelPending(orderId, reason, clock()),
        OrderShipped: ({ payload: { orderId, timestamp } }, orders) =>
          orders.ship(orderId, new Date(timestamp), clock()),
      },
      sagaRepositoryOn,
    ),
  };
}
