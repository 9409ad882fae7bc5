import { storeOrderOut, storeOrdersOut } from '@store/shared/contracts/order';
import type { RecordLook } from '@store/shared/database/audit';
import { nextLink, nextPage } from '@store/shared/http/pagination';
import { etagDescription, stateHeaders } from '@store/shared/http/precondition';
import { type AnyRoute, ok, problem, route } from '@store/shared/http/route';
import { DomainError, found, invalidFields } from '@store/shared/values/errors';
import { everybody } from '@store/shared/values/everybody';
import { uuid } from '@store/shared/values/fields';
import { listOfJson } from '@store/shared/values/json';
import { z } from 'zod';
import type { OrderRepository } from '../order-repository.ts';
import { storeOrdersQuery } from '../schemas.ts';
import type { ChangedOrders } from './changed-orders-repository.ts';
import { positionIn, textOf } from './feed-position.ts';

interface Parts {
  changed: ChangedOrders;
  orders: Pick<OrderRepository, 'findAnyJson'>;
  recordLook: RecordLook;
}

const read = { method: 'get', tag: 'store', identity: 'account', role: 'operator', scope: 'orders:all' } as const;

/** The orders of all customers, for operators and their systems (contract 4.21). */
export function storeOrderRoutes({ changed, orders, recordLook }: Parts): AnyRoute[] {
  return [
    route({
      ...read,
      path: '/store/orders',
      operationId: 'listStoreOrders',
      summary: 'Read the orders of all customers, by their last change',
      query: storeOrdersQuery,
      responses: {
        200: { description: 'Orders, those that changed last at the end.', body: storeOrdersOut, headers: nextPage },
        409: problem('The position is of another incarnation of the database.'),
      },
      async handler({ accountId, actor, query: { changedAfter, ...query }, url }) {
        const seen = changedAfter === undefined ? undefined : positionIn(changedAfter);
        if (changedAfter !== undefined && seen === undefined)
          throw invalidFields({ path: 'query.changedAfter', message: 'is not a position of this list' });
        await recordLook(actor, everybody, 'orders');
        const page = await changed.page(accountId, seen, query);
        if (page === undefined) throw positionLost();
        const next = textOf(page.incarnation, page.position);
        const json = ['{"content":', ...listOfJson(page.orders), `,"next":"${next}"}`];
        return ok({ json }, page.isMore ? nextLink(url, next, [], 'changedAfter') : {});
      },
    }),
    route({
      ...read,
      path: '/store/orders/{id}',
      operationId: 'getStoreOrder',
      summary: "Fetch any customer's order",
      params: z.object({ id: uuid }),
      responses: { 200: { description: 'The order.', body: storeOrderOut, headers: { ETag: etagDescription } } },
      async handler({ actor, params: { id } }) {
        const json = found(await orders.findAnyJson(id), `order ${id}`);
        await recordLook(actor, id, 'order');
        return ok({ json }, stateHeaders(json));
      },
    }),
  ];
}

const positionLost = () =>
  new DomainError('conflict', 'The position is from before the database was restarted or replaced.', {
    code: 'position-lost',
  });
