import { orderOut } from '@store/shared/contracts/order';
import { nextLink, nextPage, pageInfo } from '@store/shared/http/pagination';
import { etagDescription, ifMatchHeader, staleVersion, stateHeaders } from '@store/shared/http/precondition';
import { type AnyRoute, created, noContent, ok, problem, retryAfter, route, tooMany } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { listOfJson } from '@store/shared/values/json';
import { z } from 'zod';
import type { OrderStreams } from './live/order-streams.ts';
import { sessionOf } from './live/session.ts';
import { toOrderJson } from './order.ts';
import type { Orders } from './orders.ts';
import type { PlaceOrder } from './placing/place-order.ts';
import {
  cancellationOut,
  createHeaders,
  orderChange,
  orderEvent,
  orderIn,
  orderPage,
  orderQuery,
  streamHeaders,
} from './schemas.ts';

const params = z.object({ id: uuid });
const read = { tag: 'orders', identity: 'account', scope: 'orders:read' } as const;
const write = { ...read, scope: 'orders:write' } as const;

export function orderRoutes(placeOrder: PlaceOrder, orders: Orders, streams: OrderStreams): AnyRoute[] {
  return [
    route({
      ...write,
      method: 'post',
      path: '/orders',
      operationId: 'placeOrder',
      summary: 'Place an order',
      headers: createHeaders,
      body: orderIn,
      // The largest order takes 150 KiB if each character is an escape of 12 bytes.
      bodyKib: 192,
      decimals: true,
      responses: {
        201: {
          description: 'Placed. A repeated Idempotency-Key gets the stored reply.',
          body: orderOut,
          headers: {
            Location: 'Path of the order.',
            'Idempotency-Replayed': '`true` for a stored reply; absent otherwise.',
          },
        },
        403: problem('customerId is not the caller, or the e-mail address of the caller is not confirmed.'),
        409: problem(
          'The total differs from the expected total, or the first request with this Idempotency-Key is still running.',
          retryAfter,
        ),
        422: problem('The Idempotency-Key was used for another request.'),
        429: tooMany('Too many orders of the account were cancelled within an hour.'),
      },
      async handler({ accountId, headers, body }) {
        const { order, replayed } = await placeOrder(accountId, body, headers['idempotency-key']);
        const marked: Record<string, string> = replayed ? { 'Idempotency-Replayed': 'true' } : {};
        return created(`/orders/${order.id}`, { json: toOrderJson(order) }, marked);
      },
    }),
    route({
      ...read,
      method: 'get',
      path: '/orders',
      operationId: 'listOrders',
      summary: 'List your orders',
      query: orderQuery,
      responses: {
        200: {
          description: 'A page.',
          body: orderPage,
          headers: nextPage,
        },
      },
      async handler({ accountId, query, url }) {
        const { content, totalElements, next } = await orders.list(accountId, query);
        const page = JSON.stringify(pageInfo(query, totalElements));
        return ok({ json: ['{"content":', ...listOfJson(content), `,"page":${page}}`] }, nextLink(url, next));
      },
    }),
    // Must come before /orders/{id}, which also matches.
    route({
      ...read,
      method: 'get',
      path: '/orders/events',
      operationId: 'orderEvents',
      summary: 'Follow the status of your orders',
      headers: streamHeaders,
      responses: {
        200: { description: 'Server-sent events, until the session ends.', events: orderEvent },
        429: tooMany('The account or the client address has too many open streams.'),
      },
      async handler({ accountId, authorization, clientAddress, headers }) {
        const session = sessionOf(authorization, accountId);
        return { status: 200 as const, stream: await streams.open(session, clientAddress, headers['last-event-id']) };
      },
    }),
    route({
      ...read,
      method: 'get',
      path: '/orders/{id}',
      operationId: 'getOrder',
      summary: 'Fetch one of your orders',
      params,
      responses: {
        200: { description: 'The order.', body: orderOut, headers: { ETag: etagDescription } },
      },
      async handler({ accountId, params: { id } }) {
        const json = await orders.getJson(accountId, id);
        return ok({ json }, stateHeaders(json));
      },
    }),
    route({
      ...write,
      method: 'patch',
      path: '/orders/{id}',
      operationId: 'changeOrder',
      summary: 'Cancel an order by setting its status',
      params,
      headers: ifMatchHeader,
      body: orderChange,
      responses: {
        200: { description: 'The cancelled order.', body: orderOut },
        409: problem(`The order has been shipped, or: ${staleVersion}`),
        422: problem('Only CANCELLED can be set.'),
      },
      async handler({ accountId, params: { id }, headers, body }) {
        const { order } = await orders.change(accountId, id, body, headers['if-match']);
        return ok({ json: toOrderJson(order) });
      },
    }),
    route({
      ...write,
      method: 'delete',
      path: '/orders/{id}',
      operationId: 'deleteOrder',
      summary: 'Delete an order: cancel it if possible, and hide it',
      params,
      headers: ifMatchHeader,
      responses: { 204: { description: 'The order is hidden from you.' } },
      async handler({ accountId, params: { id }, headers }) {
        await orders.remove(accountId, id, headers['if-match']);
        return noContent();
      },
    }),
    route({
      ...write,
      method: 'post',
      path: '/orders/{id}/cancellation',
      operationId: 'cancelOrder',
      summary: 'Cancel an order',
      params,
      responses: {
        200: { description: 'The order was already cancelled.', body: orderOut },
        201: { description: 'Cancelled.', body: orderOut, headers: { Location: 'Path of the cancellation.' } },
        409: problem('The order has been shipped.'),
      },
      async handler({ accountId, params: { id } }) {
        const { order, isNew } = await orders.cancel(accountId, id);
        const json = toOrderJson(order);
        return isNew ? created(`/orders/${id}/cancellation`, { json }) : ok({ json });
      },
    }),
    route({
      ...read,
      method: 'get',
      path: '/orders/{id}/cancellation',
      operationId: 'getCancellation',
      summary: 'Fetch the cancellation of an order',
      params,
      responses: { 200: { description: 'When and why the order was cancelled.', body: cancellationOut } },
      handler: async ({ accountId, params: { id } }) => ok(await orders.cancellation(accountId, id)),
    }),
  ];
}
