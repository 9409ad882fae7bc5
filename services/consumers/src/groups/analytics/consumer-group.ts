import type { NewEvent } from '@store/shared/messaging/consumer/handle-once';
import type { CreateGroup } from '../../group.ts';
import { addFigures, createFigureRepository, type FigureChange } from './figure-repository.ts';
import { figureRoutes } from './routes.ts';

/** Counts orders and sums money by day (contract 4.10). */
export const createGroup: CreateGroup = ({ database }) => ({
  title: 'Analytics API',
  group: {
    kinds: ['OrderCreated', 'OrderPaid', 'OrderCancelled', 'PaymentRefunded'],
    handle: (events, tx) => addFigures(tx, events.flatMap(toChange)),
  },
  routes: figureRoutes(createFigureRepository(database.lists.kysely)),
});

/** The day on which something happened, not the day of its handling. */
function toChange({ event: { kind, payload } }: NewEvent): FigureChange[] {
  const day = new Date(payload.timestamp).toISOString().slice(0, 10);
  if (kind === 'OrderCreated') return [{ day, counted: 'orders' }];
  if (kind === 'OrderPaid') return [{ day, counted: 'paid', money: payload.amount }];
  if (kind === 'OrderCancelled') return [{ day, counted: 'cancelled' }];
  if (kind === 'PaymentRefunded') return [{ day, counted: 'refunded', money: payload.amount }];
  return [];
}
