import {
  creditNoteReply,
  creditNoteResponse,
  invoiceReply,
  invoiceResponse,
} from '@store/shared/contracts/document-replies';
import { type AnyRoute, noContent, ok, problem, route } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { text, uuid, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { OrderPages } from './order-pages.ts';
import {
  foundOut,
  orderPageOut,
  ordersOut,
  ordersQuery,
  refundOrderIn,
  shipmentFields,
  stuckPageOut,
} from './schemas.ts';

const base = { tag: 'orders', method: 'get', ...byOperator } as const;

const order = z.object({ id: uuid });

export function orderPageRoutes(orders: OrderPages, log: Logger): AnyRoute[] {
  return [
    route({
      ...base,
      path: '/api/order-search',
      operationId: 'searchOrders',
      summary: 'Find orders by id or invoice, and customers by name or e-mail address',
      query: z.object({ sought: text(1, 254) }),
      responses: { 200: { description: 'What was found.', body: foundOut } },
      handler: async ({ headers: { 'console-operator': by }, query: { sought } }) =>
        ok(await orders.search(by, sought)),
    }),
    route({
      ...base,
      path: '/api/orders',
      operationId: 'listOrders',
      summary: 'List the orders of all customers',
      query: ordersQuery,
      responses: { 200: { description: 'Orders, newest first.', body: ordersOut } },
      handler: async ({ headers: { 'console-operator': by }, query }) => ok(await orders.list(by, query)),
    }),
    route({
      ...base,
      method: 'post',
      path: '/api/orders/{id}/cancellation',
      operationId: 'cancelOrder',
      summary: 'Cancel an order',
      params: order,
      body: z.object({ reason: text(1, 500) }),
      responses: { 204: { description: 'Cancelled.' }, 409: problem('The order has been shipped.') },
      async handler({ params: { id }, headers: { 'console-operator': by }, body: { reason } }) {
        await orders.cancel(by, id, reason);
        log.info({ by, orderId: id }, 'An order was cancelled');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'post',
      path: '/api/orders/{id}/shipments',
      operationId: 'shipOrder',
      summary: 'Ship an order',
      params: order,
      body: shipmentFields,
      bodyKib: 32,
      responses: {
        204: { description: 'Shipped.' },
        409: problem('The order is cancelled, has already been shipped, or is not paid.'),
      },
      async handler({ params: { id }, headers: { 'console-operator': by }, body }) {
        await orders.ship(by, id, body);
        log.info({ by, orderId: id }, 'An order was shipped');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'put',
      path: '/api/orders/{id}/refunds/{key}',
      operationId: 'refundOrder',
      summary: 'Refund a part of an order',
      params: order.extend({ key: uuid }),
      body: refundOrderIn,
      bodyKib: 24,
      responses: {
        204: {
          description: 'The refund is made. The caller chooses the key, so repeating the request makes no second.',
        },
        409: problem('The order is not paid, or the refund exceeds what is left of its payment.'),
      },
      async handler({ params: { id, key }, headers: { 'console-operator': by }, body }) {
        await orders.refund(by, id, key, body);
        log.info({ by, orderId: id }, 'A part of an order was refunded');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'put',
      path: '/api/orders/{id}/notes/{noteId}',
      operationId: 'leaveNote',
      summary: 'Leave a note on an order',
      params: order.extend({ noteId: uuid }),
      body: z.object({ text: text(1, 2_000) }),
      bodyKib: 32,
      responses: {
        204: { description: 'The note is stored.' },
        409: problem('The order has 100 notes, or its account is deleted.'),
      },
      async handler({ params: { id, noteId }, headers: { 'console-operator': by }, body: { text } }) {
        await orders.note(by, id, noteId, text);
        log.info({ by, orderId: id, noteId }, 'A note was left on an order');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'put',
      path: '/api/messages/{id}/copies/{copyId}',
      operationId: 'resendMail',
      summary: 'Have a message about an order mailed again',
      params: order.extend({ copyId: uuid }),
      responses: { 204: { description: 'The mail will be sent.' }, 409: problem('No mail server is set.') },
      async handler({ params: { id, copyId }, headers: { 'console-operator': by } }) {
        await orders.resend(by, id, copyId);
        log.info({ by, mailId: id, copyId }, 'A mail is sent again');
        return noContent();
      },
    }),
    route({
      ...base,
      path: '/api/orders/{id}/invoice',
      operationId: 'showInvoice',
      summary: 'Show the invoice of an order',
      params: order,
      responses: { 200: invoiceResponse },
      handler: async ({ params: { id }, headers: { 'console-operator': by }, prefersHtml }) =>
        invoiceReply(await orders.invoice(by, id), prefersHtml),
    }),
    route({
      ...base,
      path: '/api/orders/{id}/credit-notes/{number}',
      operationId: 'showCreditNote',
      summary: 'Show a credit note of an order',
      params: order.extend({ number: wholeNumber(1, 999_999_999_999_999) }),
      responses: { 200: creditNoteResponse },
      handler: async ({ params: { id, number }, headers: { 'console-operator': by }, prefersHtml }) =>
        creditNoteReply(await orders.creditNote(by, id, number), prefersHtml),
    }),
    route({
      ...base,
      path: '/api/stuck-orders',
      operationId: 'listStuckOrders',
      summary: 'List stuck orders',
      query: z.object({ after: text(1, 2_000).optional() }),
      responses: { 200: { description: 'Stuck orders, oldest first.', body: stuckPageOut } },
      handler: async ({ headers: { 'console-operator': by }, query: { after } }) => ok(await orders.stuck(by, after)),
    }),
    route({
      ...base,
      path: '/api/orders/{id}',
      operationId: 'showOrder',
      summary: 'Show an order, what happened to it and what it waits for',
      params: order,
      query: z.object({ withinMs: wholeNumber(100, 3_000).optional() }),
      responses: {
        200: { description: 'The parts from services that answered.', body: orderPageOut },
      },
      async handler({ params: { id }, query: { withinMs }, headers: { 'console-operator': by } }) {
        return ok(await orders.show(by, id, withinMs));
      },
    }),
  ];
}
