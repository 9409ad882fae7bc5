import { orderOut } from '@store/shared/contracts/order';
import { orderRecordOut, stuckOrdersOut } from '@store/shared/contracts/order-record';
import { type AnyRoute, ok, route, unavailable } from '@store/shared/http/route';
import { text, uuid, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import { readMs } from '../times.ts';
import type { OrderPages } from './order-pages.ts';

const base = { tag: 'orders', method: 'get', ...byOperator } as const;
const stepOut = z.object({
  at: z.string(),
  service: z.string(),
  text: z.string(),
  isBad: z.boolean().optional(),
  detail: z.string().optional(),
  traceId: z.string().optional(),
});
const partsOut = z.looseObject({
  order: orderRecordOut.nullable().describe('Null if order has not answered.'),
  timeline: z.array(stepOut),
  waitingFor: z.array(z.string()),
  letters: z.array(z.object({ id: uuid })),
  discarded: z.array(z.string()),
  problems: z.array(z.string()).describe('Messages about services that could not be asked.'),
});

export function orderPageRoutes(orders: OrderPages): AnyRoute[] {
  return [
    route({
      ...base,
      path: '/api/orders',
      operationId: 'searchOrders',
      summary: 'Find orders by id, or by the e-mail address of the customer',
      query: z.object({ search: text(1, 254) }),
      responses: { 200: { description: 'The newest first.', body: z.array(orderOut) }, 503: unavailable },
      handler: async ({ query: { search } }) => ok(await orders.search(search)),
    }),
    route({
      ...base,
      path: '/api/stuck-orders',
      operationId: 'listStuckOrders',
      summary: 'List orders that are PENDING for too long',
      query: z.object({ after: text(1, 2_000).optional() }),
      responses: { 200: { description: 'The oldest first.', body: stuckOrdersOut }, 503: unavailable },
      handler: async ({ query: { after } }) => ok(await orders.stuck(after)),
    }),
    route({
      ...base,
      path: '/api/orders/{id}',
      operationId: 'showOrder',
      summary: 'Show an order, what happened to it and what it waits for',
      params: z.object({ id: uuid }),
      query: z.object({ withinMs: wholeNumber(100, readMs).default(readMs) }),
      responses: {
        200: { description: 'The parts of the services that have answered.', body: partsOut },
        503: unavailable,
      },
      handler: async ({ params: { id }, query: { withinMs } }) => ok(await orders.show(id, withinMs)),
    }),
  ];
}
