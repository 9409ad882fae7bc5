import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { text, uuid, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { OrderPages } from './order-pages.ts';
import { anyOrder, anyStuckOrders, orderPageOut } from './schemas.ts';

const base = { tag: 'orders', method: 'get', ...byOperator } as const;

export function orderPageRoutes(orders: OrderPages): AnyRoute[] {
  return [
    route({
      ...base,
      path: '/api/orders',
      operationId: 'searchOrders',
      summary: 'Find orders by id, or by the e-mail address of the customer',
      query: z.object({ search: text(1, 254) }),
      responses: { 200: { description: 'The newest first.', body: z.array(anyOrder) } },
      handler: async ({ headers: { 'console-operator': by }, query: { search } }) =>
        ok(await orders.search(by, search)),
    }),
    route({
      ...base,
      path: '/api/stuck-orders',
      operationId: 'listStuckOrders',
      summary: 'List stuck orders',
      query: z.object({ after: text(1, 2_000).optional() }),
      responses: { 200: { description: 'The oldest first.', body: anyStuckOrders } },
      handler: async ({ query: { after } }) => ok(await orders.stuck(after)),
    }),
    route({
      ...base,
      path: '/api/orders/{id}',
      operationId: 'showOrder',
      summary: 'Show an order, what happened to it and what it waits for',
      params: z.object({ id: uuid }),
      query: z.object({ withinMs: wholeNumber(100, 3_000).optional() }),
      responses: {
        200: { description: 'The parts of the services that have answered.', body: orderPageOut },
      },
      async handler({ params: { id }, query: { withinMs }, headers: { 'console-operator': by } }) {
        return ok(await orders.show(by, id, withinMs));
      },
    }),
  ];
}
