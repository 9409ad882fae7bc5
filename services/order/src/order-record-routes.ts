import { accountDataRoute } from '@store/shared/contracts/account-data';
import { orderOut } from '@store/shared/contracts/order';
import { maxDemands, orderDemandOut } from '@store/shared/contracts/order-demand';
import { orderRecordOut, stuckOrdersOut } from '@store/shared/contracts/order-record';
import type { RecordLook } from '@store/shared/database/audit';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid, uuids, wholeNumber } from '@store/shared/values/fields';
import { stringifyJson } from '@store/shared/values/json';
import { z } from 'zod';
import type { Order } from './order.ts';
import type { OrderRecordRepository } from './order-record-repository.ts';

/** For operators and for inventory, on the service's own address (contract 3.7, 4.14). */
export function orderRecordRoutes(
  records: OrderRecordRepository,
  recordLook: RecordLook,
  clock: () => Date,
): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/internal/order-demands',
      identity: 'caller',
      query: z.object({
        id: uuids(maxDemands).describe(`The orders; repeatable up to ${maxDemands} times.`),
      }),
      responses: {
        200: { description: 'Those that are known, in any order.', body: z.array(orderDemandOut) },
      },
      handler: async ({ query: { id } }) => ok(await records.demandsOf(id)),
    }),
    route({
      method: 'get',
      path: '/internal/orders',
      identity: 'operator',
      query: z.object({ accountId: uuid }),
      responses: { 200: { description: 'The latest 50, the newest first.', body: z.array(orderOut) } },
      async handler({ actor, query: { accountId } }) {
        await recordLook(actor, accountId, 'orders');
        const latest = await records.latestOf(accountId);
        return ok({ json: `[${latest.map(({ json }) => json)}]` });
      },
    }),
    route({
      method: 'get',
      path: '/internal/stuck-orders',
      identity: 'operator',
      query: z.object({
        seconds: wholeNumber(1, 31_536_000).default(60).describe('How long is too long.'),
        size: wholeNumber(1, 100).default(50),
        after: z.string().min(1).max(2_000).optional(),
      }),
      responses: { 200: { description: 'The oldest first.', body: stuckOrdersOut } },
      async handler({ query: { seconds, ...page } }) {
        const { rows, total, next = null } = await records.stuck(new Date(clock().getTime() - seconds * 1_000), page);
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
        return ok({ json: withMore(record, { events: record.events }) });
      },
    }),
    accountDataRoute(async (accountId, page) => {
      const { rows, next } = await records.pageOf(accountId, page);
      return { rows: rows.map((order) => ({ json: withMore(order) })), next };
    }),
  ];
}

/** Adds what customers are not shown. */
function withMore(
  { json, cancelReason, deletedAt }: Pick<Order, 'json' | 'cancelReason'> & { deletedAt: Date | null },
  more: object = {},
): string {
  const added = stringifyJson({ cancelReason, deletedAt: deletedAt?.toISOString() ?? null, ...more });
  return `${json.slice(0, -1)},${added.slice(1)}`;
}
