import type { NewEvent } from '@store/shared/messaging/consumer/handle-once';
import type { CreateGroup } from '../../group.ts';
import { listRoute } from '../../list-routes.ts';
import { addFigures, createFigureRepository, type FigureChange } from './figure-repository.ts';
import { figuresOut, figuresQuery } from './schemas.ts';

/** Counts orders and sums money by day (contract 4.10). */
export const createGroup: CreateGroup = ({ database }) => ({
  title: 'Analytics API',
  group: {
    kinds: ['OrderCreated', 'OrderPaid', 'OrderCancelled', 'PaymentRefunded'],
    handle: (events, tx) => addFigures(tx, events.flatMap(toChange)),
  },
  routes: [
    listRoute({
      path: '/figures',
      operationId: 'listFigures',
      summary: 'List the figures of each day',
      page: 'FiguresPage',
      query: figuresQuery,
      item: figuresOut,
      list: createFigureRepository(database.lists.kysely).list,
    }),
  ],
});

/** The day on which something happened, not the day of its handling. */
function toChange({ event: { kind, payload } }: NewEvent): FigureChange[] {
  const day = new Date(payload.timestamp).toISOString().slice(0, 10);
  if (kind === 'OrderCreated') return [{ day, counted: 'orders' }];
  if (kind === 'OrderPaid') return [{ day, counted: 'paid', revenue: payload.amount }];
  if (kind === 'OrderCancelled') return [{ day, counted: 'cancelled' }];
  if (kind === 'PaymentRefunded') return [{ day, counted: 'refunded', refund: payload.amount }];
  return [];
}
