import { shipmentOut } from '@store/shared/contracts/order';
import type { RecordLook } from '@store/shared/database/audit';
import { hasScope } from '@store/shared/http/identity';
import { type AnyRoute, created, ok, problem, retryAfter, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { createHeaders, shipmentIn } from '../schemas.ts';
import type { Readable } from './shipment-repository.ts';
import type { Shipments } from './shipments.ts';

interface Caller {
  accountId: string;
  roles: readonly string[];
  scopes: readonly string[] | undefined;
}

/** An operator reads the shipments of all orders. A key that is only for its owner's orders reads those alone, whoever its owner is. */
const isForAll = ({ roles, scopes }: Caller): boolean =>
  roles.includes('operator') && (hasScope(scopes, 'orders:ship') || hasScope(scopes, 'orders:all'));

const params = z.object({ id: uuid });
const read = { tag: 'shipments', identity: 'account', scope: ['orders:read', 'orders:ship', 'orders:all'] } as const;
const notShippable = problem(
  'The order is cancelled, has already been shipped, or is not paid, or the first request with this Idempotency-Key is still running.',
  retryAfter,
);
// Each character of the longest texts may take 12 bytes as an escape.
const bodyKib = 32;

/** contract 4.20 */
export function shipmentRoutes(shipments: Shipments, recordLook: RecordLook): AnyRoute[] {
  /** Reads an order's shipments for a caller, and records that somebody other than its customer looked at it. */
  async function readable(caller: Caller & { actor: string }, orderId: string): Promise<Readable> {
    if (!isForAll(caller)) return { accountId: caller.accountId };
    await recordLook(caller.actor, orderId, 'order');
    return 'all';
  }

  return [
    route({
      method: 'post',
      path: '/orders/{id}/shipments',
      operationId: 'shipOrder',
      summary: 'Ship an order of any customer',
      tag: 'shipments',
      identity: 'account',
      role: 'operator',
      scope: 'orders:ship',
      params,
      headers: createHeaders,
      body: shipmentIn,
      bodyKib,
      responses: {
        201: {
          description: 'Shipped. A repeated Idempotency-Key gets the stored reply.',
          body: shipmentOut,
          headers: {
            Location: 'Path of the shipment.',
            'Idempotency-Replayed': '`true` for a stored reply; absent otherwise.',
          },
        },
        409: notShippable,
        422: problem('The Idempotency-Key was used for another request.'),
      },
      async handler({ accountId, actor, params: { id }, headers: { 'idempotency-key': key }, body }) {
        const keyed = key === undefined ? undefined : { accountId, key };
        const { shipment, replayed } = await shipments.ship({ actor, keyed }, id, body);
        const marked: Record<string, string> = replayed ? { 'Idempotency-Replayed': 'true' } : {};
        return created(`/orders/${id}/shipments/${shipment.id}`, shipment, marked);
      },
    }),
    route({
      ...read,
      method: 'get',
      path: '/orders/{id}/shipments',
      operationId: 'listShipments',
      summary: 'List the shipments of an order',
      params,
      responses: { 200: { description: 'None, or one.', body: z.array(shipmentOut) } },
      async handler({ params: { id }, ...caller }) {
        return ok(await shipments.list(await readable(caller, id), id));
      },
    }),
    route({
      ...read,
      method: 'get',
      path: '/orders/{id}/shipments/{shipmentId}',
      operationId: 'getShipment',
      summary: 'Fetch a shipment of an order',
      params: params.extend({ shipmentId: uuid }),
      responses: { 200: { description: 'The shipment.', body: shipmentOut } },
      async handler({ params: { id, shipmentId }, ...caller }) {
        return ok(await shipments.get(await readable(caller, id), id, shipmentId));
      },
    }),
    route({
      method: 'get',
      path: '/internal/orders/{id}/shipment',
      identity: 'mailer',
      params,
      responses: { 200: { description: 'The shipment, for the mail about it.', body: shipmentOut } },
      async handler({ params: { id } }) {
        const [shipment] = await shipments.list('all', id);
        return ok(found(shipment, `shipment of order ${id}`));
      },
    }),
    route({
      method: 'post',
      path: '/internal/orders/{id}/shipments',
      identity: 'operator',
      params,
      body: shipmentIn,
      bodyKib,
      responses: {
        201: { description: 'Shipped.', body: shipmentOut, headers: { Location: 'Path of the order.' } },
        409: problem('The order is cancelled, has already been shipped, or is not paid.'),
      },
      async handler({ actor, params: { id }, body }) {
        const { shipment } = await shipments.ship({ actor }, id, body);
        return created(`/internal/orders/${id}`, shipment);
      },
    }),
  ];
}
