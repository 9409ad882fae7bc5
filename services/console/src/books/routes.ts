import { booksOut, entriesOut } from '@store/shared/contracts/books';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';

const base = { tag: 'books', method: 'get', ...byOperator } as const;

export function bookPageRoutes({ get }: Services): AnyRoute[] {
  return [
    route({
      ...base,
      path: '/api/books',
      operationId: 'showBooks',
      summary: 'Read the balances, and the last reconciliation',
      responses: { 200: { description: 'The books.', body: booksOut } },
      handler: async () => ok(await get('payment', '/internal/books', booksOut)),
    }),
    route({
      ...base,
      path: '/api/books/{orderId}',
      operationId: 'showEntries',
      summary: 'List the entries of an order',
      params: z.object({ orderId: uuid }),
      responses: { 200: { description: 'The entries, the oldest first; none of an unknown order.', body: entriesOut } },
      handler: async ({ params: { orderId } }) =>
        ok(await get('payment', `/internal/books/orders/${orderId}`, entriesOut)),
    }),
  ];
}
