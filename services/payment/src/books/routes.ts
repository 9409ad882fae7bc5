import { booksOut, cutOffMinutes, entriesOut, longestDays, reconciliationOut } from '@store/shared/contracts/books';
import { type AnyRoute, ok, problem, route } from '@store/shared/http/route';
import { givenTime, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { Books } from './books.ts';

/** For operators, on the service's own address (contract 4.19). */
export const bookRoutes = (books: Books): AnyRoute[] => [
  route({
    method: 'get',
    path: '/internal/books',
    identity: 'operator',
    responses: { 200: { description: 'The balances, and the last reconciliation.', body: booksOut } },
    handler: async () => ok(await books.show()),
  }),
  route({
    method: 'get',
    path: '/internal/books/orders/{id}',
    identity: 'operator',
    params: z.object({ id: uuid }),
    responses: {
      200: { description: 'The entries of an order, the oldest first; none of an unknown order.', body: entriesOut },
    },
    handler: async ({ params: { id } }) => ok(await books.entriesOf(id)),
  }),
  route({
    method: 'post',
    path: '/internal/books/reconciliations',
    identity: 'operator',
    body: z.object({
      run: uuid.describe('The same for the parts of one run.'),
      from: givenTime,
      to: givenTime.describe(`At least ${cutOffMinutes} minutes ago, and at most ${longestDays} days after from.`),
    }),
    responses: {
      200: { description: 'What was compared. It changes nothing.', body: reconciliationOut },
      422: problem('The period is too long, or has not ended long enough ago.'),
    },
    handler: async ({ body: { run, from, to } }) =>
      ok(await books.reconcile({ run, from: new Date(from), to: new Date(to) })),
  }),
];
