import { booksOut, entriesOut } from '@store/shared/contracts/books';
import { openStepsOut, settlementIn } from '@store/shared/contracts/payment-step';
import { returnedPageOut, returnedStates } from '@store/shared/contracts/refund';
import { type AnyRoute, noContent, ok, problem, route } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';

const base = { tag: 'books', ...byOperator } as const;

/** Makes the routes of the books, of payments that an operator has to settle, and of what went back (contract 4.17 to 4.19). */
export function bookPageRoutes({ get, call }: Services, log: Logger): AnyRoute[] {
  return [
    route({
      ...base,
      method: 'get',
      path: '/api/books',
      operationId: 'showBooks',
      summary: 'Read the balances, and the last reconciliation',
      responses: { 200: { description: 'The books.', body: booksOut } },
      handler: async () => ok(await get('payment', '/internal/books', booksOut)),
    }),
    route({
      ...base,
      method: 'get',
      path: '/api/books/{orderId}',
      operationId: 'showEntries',
      summary: 'List the entries of an order',
      params: z.object({ orderId: uuid }),
      responses: { 200: { description: 'The entries, the oldest first; none of an unknown order.', body: entriesOut } },
      handler: async ({ params: { orderId } }) =>
        ok(await get('payment', `/internal/books/orders/${orderId}`, entriesOut)),
    }),
    route({
      ...base,
      method: 'get',
      path: '/api/payment-steps',
      operationId: 'showOpenSteps',
      summary: 'List charges and refunds of which it has not been known for a day what became of them',
      query: z.object({ after: uuid.optional() }),
      responses: { 200: { description: 'The next 20, the longest open first.', body: openStepsOut } },
      async handler({ query: { after }, headers: { 'console-operator': operator } }) {
        const page = after === undefined ? '' : `&after=${after}`;
        return ok(
          await get('payment', `/internal/payment-steps?state=open&size=20${page}`, openStepsOut, { operator }),
        );
      },
    }),
    route({
      ...base,
      method: 'get',
      path: '/api/returned-money',
      operationId: 'showReturned',
      summary: 'List refunds and disputes of all customers',
      query: z.object({ state: z.enum(returnedStates).optional(), after: z.string().min(1).max(2_000).optional() }),
      responses: { 200: { description: 'The next 20, the newest first.', body: returnedPageOut } },
      async handler({ query, headers: { 'console-operator': operator } }) {
        const asked = new URLSearchParams({ size: '20', ...query });
        return ok(await get('payment', `/internal/returned-money?${asked}`, returnedPageOut, { operator }));
      },
    }),
    route({
      ...base,
      method: 'post',
      path: '/api/payment-steps/{id}/settlement',
      operationId: 'settleStep',
      summary: 'Settle an open charge or refund with evidence, as if the provider had said so',
      params: z.object({ id: uuid }),
      body: settlementIn,
      responses: { 204: { description: 'Settled.' }, 409: problem('It was settled meanwhile.') },
      async handler({ params: { id }, body, headers: { 'console-operator': operator } }) {
        const settlement = `/internal/payment-steps/${id}/settlement`;
        await call('POST', 'payment', settlement, z.unknown(), { operator, body });
        log.info({ by: operator, stepId: id, outcome: body.outcome }, 'An open payment was settled');
        return noContent();
      },
    }),
  ];
}
