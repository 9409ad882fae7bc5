import type { NewEvent } from '@store/shared/messaging/consumer/group';
import type { CreateGroup, OwnGroup } from '../../group.ts';
import { addFigures, createFigureRepository, type FigureChange } from './figure-repository.ts';
import { figureRoutes } from './routes.ts';

const kinds = [
  'OrderCreated',
  'OrderPaid',
  // Each of these means that an order is cancelled (contract 6.1).
  'OrderCancelled',
  'StockRejected',
  'PaymentFailed',
  'StockReleased',
  'PaymentRefunded',
  'RefundIssued',
] as const;

type Kind = (typeof kinds)[number];

const group: OwnGroup<Kind> = {
  kinds,
  handle: (events, tx) => addFigures(tx, events.map(toChange)),
};

/** Counts orders and sums money by day (contract 4.10). */
export const createGroup: CreateGroup = ({ database }) => ({
  title: 'Analytics API',
  group,
  routes: figureRoutes(createFigureRepository(database.lists)),
});

/** Uses the day of the event, not the day of its handling. */
function toChange({ event: { kind, payload } }: NewEvent<unknown, Kind>): FigureChange {
  const day = new Date(payload.timestamp).toISOString().slice(0, 10);
  switch (kind) {
    case 'OrderCreated':
      return { day, counted: 'orders' };
    case 'OrderPaid':
      return { day, counted: 'paid', money: payload.amount };
    case 'OrderCancelled':
    case 'StockRejected':
    case 'PaymentFailed':
    case 'StockReleased':
      return { day, counted: 'cancelled', orderId: payload.orderId };
    case 'PaymentRefunded':
      // Parts that were refunded before have been counted.
      return { day, counted: 'refunded', money: payload.remainder ?? payload.amount };
    case 'RefundIssued':
      return { day, counted: 'part', money: payload.amount };
  }
}
