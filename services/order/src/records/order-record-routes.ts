import { accountDataRoute } from '@store/shared/contracts/account-data';
import { orderOut, shownOrdersOut } from '@store/shared/contracts/order';
import {
  maxDemands,
  maxShipped,
  orderDemandOut,
  orderLinesOut,
  shippedOrderOut,
} from '@store/shared/contracts/order-demand';
import { orderRecordOut, stuckOrdersOut } from '@store/shared/contracts/order-record';
import type { RecordLook } from '@store/shared/database/audit';
import { nextLink, nextPage } from '@store/shared/http/pagination';
import { type AnyRoute, created, noContent, ok, problem, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { everybody } from '@store/shared/values/everybody';
import { uuid, uuids, wholeNumber } from '@store/shared/values/fields';
import { stringifyJson } from '@store/shared/values/json';
import { z } from 'zod';
import type { AllOrdersRepository } from '../lists/all-orders-repository.ts';
import { toOrderForOthers, toOrderJson } from '../order.ts';
import type { Orders } from '../orders.ts';
import { allOrdersQuery, orderNoteIn, storeCancellationIn } from '../schemas.ts';
import type { OrderNotes } from './order-notes.ts';
import type { OrderRecordRepository } from './order-record-repository.ts';
import { placedBefore, stuckAfterSeconds } from './stuck-orders.ts';

/** The largest order is 12 KB as JSON, or more with long names. */
const maxShown = 50;

interface Parts {
  records: OrderRecordRepository;
  all: AllOrdersRepository;
  orders: Pick<Orders, 'cancelForStore'>;
  notes: OrderNotes;
  recordLook: RecordLook;
  clock: () => Date;
}

/** For operators, inventory and payment, on the service's own address (contract 3.7, 4.14). */
export function orderRecordRoutes({ records, all, orders, notes, recordLook, clock }: Parts): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/internal/order-demands',
      identity: 'caller',
      query: z.object({
        id: uuids(maxDemands).describe(`The orders; repeatable up to ${maxDemands} times.`),
      }),
      responses: {
        200: { description: 'The known orders, in any sequence.', body: z.array(orderDemandOut) },
      },
      handler: async ({ query: { id } }) => ok(await records.demandsOf(id)),
    }),
    route({
      method: 'get',
      path: '/internal/orders/{id}/lines',
      identity: 'caller',
      params: z.object({ id: uuid }),
      responses: { 200: { description: 'What was ordered, at which prices.', body: orderLinesOut } },
      handler: async ({ params: { id } }) =>
        ok({ json: stringifyJson({ items: found(await records.linesOf(id), `order ${id}`) }) }),
    }),
    route({
      method: 'get',
      path: '/internal/shipped-orders',
      identity: 'caller',
      query: z.object({
        id: uuids(maxShipped).describe(`The orders; repeatable up to ${maxShipped} times.`),
      }),
      responses: {
        200: { description: 'Those of them that were shipped, in any sequence.', body: z.array(shippedOrderOut) },
      },
      handler: async ({ query: { id } }) => ok(await records.shippedOf(id)),
    }),
    route({
      method: 'get',
      path: '/internal/shown-orders',
      identity: 'caller',
      query: z.object({
        id: uuids(maxShown).describe(`The orders; repeatable up to ${maxShown} times.`),
        event: uuids(maxShown)
          .default([])
          .describe(`Ids of events that the orders should have followed; repeatable up to ${maxShown} times.`),
      }),
      responses: {
        200: {
          description: 'The orders, and which events they have not followed yet.',
          body: shownOrdersOut.extend({ orders: z.array(orderOut) }),
        },
      },
      handler: async ({ query: { id, event } }) => ok({ json: await records.shown(id, event) }),
    }),
    route({
      method: 'get',
      path: '/internal/orders',
      identity: 'operator',
      query: allOrdersQuery,
      responses: {
        200: {
          description: 'Orders of all customers, newest first, including deleted orders.',
          body: z.array(orderOut),
          headers: nextPage,
        },
      },
      async handler({ actor, query, url }) {
        await recordLook(actor, query.accountId ?? everybody, 'orders');
        const { rows, next } = await all.page(query);
        return ok({ json: `[${rows.map(({ json }) => json)}]` }, nextLink(url, next));
      },
    }),
    route({
      method: 'get',
      path: '/internal/stuck-orders',
      identity: 'operator',
      query: z.object({
        seconds: wholeNumber(1, 31_536_000)
          .default(stuckAfterSeconds)
          .describe('Age in seconds from which a PENDING order is stuck.'),
        size: wholeNumber(1, 100).default(50),
        after: z.string().min(1).max(2_000).optional(),
      }),
      responses: { 200: { description: 'The stuck orders, oldest first.', body: stuckOrdersOut } },
      async handler({ actor, query: { seconds, ...page } }) {
        // The console counts stuck orders every 5 s, and not for a particular operator.
        if (actor !== 'operator') await recordLook(actor, everybody, 'orders');
        const { rows, total, next = null } = await records.stuck(placedBefore(clock, seconds), page);
        const more = JSON.stringify({ total, next });
        return ok({ json: `{"orders":[${rows.map(({ json }) => json)}],${more.slice(1)}` });
      },
    }),
    route({
      method: 'get',
      path: '/internal/orders/{id}',
      identity: 'operator',
      params: z.object({ id: uuid }),
      responses: { 200: { description: 'The order.', body: orderRecordOut } },
      handler: async ({ actor, params: { id } }) => {
        const record = found(await records.find(id), `order ${id}`);
        await recordLook(actor, id, 'order');
        const { cancelReason, deletedAt, events, notes } = record;
        const rest = { cancelReason, deletedAt: deletedAt?.toISOString() ?? null, events, notes };
        return ok({ json: stringifyJson({ ...toOrderForOthers(record), ...rest }) });
      },
    }),
    route({
      method: 'post',
      path: '/internal/orders/{id}/cancellation',
      identity: 'operator',
      params: z.object({ id: uuid }),
      body: storeCancellationIn,
      responses: {
        200: { description: 'The order was already cancelled. The new reason is not stored.', body: orderOut },
        201: { description: 'Cancelled.', body: orderOut, headers: { Location: 'Path of the order.' } },
        409: problem('The order has been shipped.'),
      },
      async handler({ actor, params: { id }, body: { reason } }) {
        const { order, isNew } = await orders.cancelForStore(actor, id, reason);
        const json = toOrderJson(order);
        return isNew ? created(`/internal/orders/${id}`, { json }) : ok({ json });
      },
    }),
    route({
      method: 'put',
      path: '/internal/orders/{id}/notes/{noteId}',
      identity: 'operator',
      params: z.object({ id: uuid, noteId: uuid }),
      body: orderNoteIn,
      // Each of 2,000 characters may take 12 bytes as an escape.
      bodyKib: 32,
      responses: {
        204: {
          description: 'The note is stored. The caller chooses its id, so repeating the request adds no second note.',
        },
        409: problem('Another note has this id, the order has 100 notes, or its account is deleted.'),
      },
      async handler({ actor, params: { id, noteId }, body: { text } }) {
        await notes.leave(actor, id, { id: noteId, text });
        return noContent();
      },
    }),
    accountDataRoute((accountId, page) => records.pageOf(accountId, page)),
  ];
}
