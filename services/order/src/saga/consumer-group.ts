import { kindsFollowedByOrder } from '@store/shared/contracts/order';
import type { ConsumerGroup } from '@store/shared/messaging/consumer/group';
import { unreachable } from '@store/shared/values/errors';
import { Counter, Histogram } from 'prom-client';
import type { PrismaClient } from '../generated/client.ts';
import {
  type PendingCancellation,
  type RecordedPayment,
  type RecordedShipment,
  type Refund,
  sagaOn,
} from './saga-repository.ts';

const confirmation = new Histogram({
  name: 'order_confirmation_seconds',
  help: 'Time from placing an order to CONFIRMED.',
  // The objective must be one of these (monitoring.objectives.confirmation.seconds in the chart).
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900],
});

const rejections = new Counter({
  name: 'orders_rejected_total',
  help: 'Orders cancelled because their stock or their payment was refused.',
});

type Kind = (typeof kindsFollowedByOrder)[number];

export const groupName = 'order-group';

/** The order's steps of the saga (contract 6.1). CANCELLED is final; late and repeated events change nothing. */
export function createConsumerGroup(clock: () => Date): ConsumerGroup<PrismaClient, unknown, Kind> {
  return {
    name: groupName,
    kinds: kindsFollowedByOrder,
    chunkSize: 100,
    async handle(events, tx) {
      const payments: RecordedPayment[] = [];
      const cancellations: PendingCancellation[] = [];
      const shipments: RecordedShipment[] = [];
      const refunds: Refund[] = [];
      for (const { event, trace } of events) {
        const { kind, payload } = event;
        const { orderId } = payload;
        const at = new Date(payload.timestamp);
        switch (kind) {
          case 'OrderPaid':
            payments.push({ orderId, paidAt: at, traceparent: trace.traceparent });
            break;
          case 'StockRejected':
            cancellations.push({ orderId, reason: payload.reason ?? 'out of stock', missing: payload.items });
            break;
          case 'StockReleased':
            cancellations.push({ orderId, reason: payload.reason });
            break;
          case 'OrderShipped':
            // Changes nothing for an order that this service shipped. In release 0.1.0, which may still run during an upgrade,
            // inventory ships orders.
            shipments.push({ orderId, shipmentId: payload.shipmentId, shippedAt: at });
            break;
          case 'RefundIssued':
            refunds.push({ orderId, amount: payload.amount.amount.toFixed(), isWhole: false });
            break;
          case 'PaymentRefunded':
            refunds.push({ orderId, amount: payload.amount.amount.toFixed(), isWhole: true });
            break;
          default:
            unreachable(kind);
        }
      }
      const [orders, now] = [sagaOn(tx), clock()];
      const placed = payments.length > 0 ? await orders.confirm(payments, now) : [];
      const rejected = cancellations.length > 0 ? await orders.cancelRefused(cancellations, now) : 0;
      if (shipments.length > 0) orders.recordShipments(shipments, now);
      if (refunds.length > 0) orders.recordRefunds(refunds, now);
      // If the transaction fails after this, its repetition counts the orders again.
      rejections.inc(rejected);
      for (const at of placed) confirmation.observe((now.getTime() - at.getTime()) / 1000);
    },
    accounts: {
      kinds: ['AccountDeleted'],
      handle: (events, tx) => sagaOn(tx).deletePersonalData(events.map(({ payload }) => payload.accountId)),
    },
  };
}
