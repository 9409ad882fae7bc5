import { type RefundIn, refundIn, refundOut, refundRecordOut } from '@store/shared/contracts/refund';
import { type AnyRoute, created, noStore, ok, problem, route } from '@store/shared/http/route';
import { idempotencyKey, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { Refunds, Viewer } from './refunds.ts';

const ofOrder = z.object({ id: uuid });

const making = {
  method: 'post',
  params: ofOrder,
  headers: z.object({
    'idempotency-key': idempotencyKey.meta({
      type: 'string',
      description: 'Chosen by the client, such as a UUID. A repeated request gets the reply to the first.',
    }),
  }),
  body: refundIn,
  // A hundred lines, and 500 characters that may take 12 bytes each as escapes.
  bodyKib: 24,
  decimals: true,
} as const;

const makingResponses = {
  409: problem('The order is not paid, or the refund exceeds what is left of its payment.'),
  422: problem('The Idempotency-Key was used for another request.'),
};

const madeHeaders = {
  Location: 'Path of the refund.',
  'Idempotency-Replayed': '`true` for the reply to an earlier request; absent otherwise.',
};

const reading = { method: 'get', tag: 'orders', identity: 'account', scope: 'orders:read' } as const;

interface Caller {
  accountId: string;
  actor: string;
  roles: readonly string[];
  scopes: readonly string[] | undefined;
}

/** An API key acts for an operator only if it has the scope. */
const viewerOf = ({ accountId, actor, roles, scopes }: Caller): Viewer => ({
  accountId,
  actor,
  isOperator: roles.includes('operator') && (scopes === undefined || scopes.includes('refunds:write')),
});

interface Making {
  actor: string;
  params: { id: string };
  headers: { 'idempotency-key': string };
  body: RefundIn;
}

/** Through the gateway, for operators and customers, and for the console on the service's own address (contract 4.18). */
export function refundRoutes(refunds: Refunds): AnyRoute[] {
  /** @param pathOf where a refund can be read */
  async function make({ actor, params: { id }, headers, body }: Making, pathOf: (refundId: string) => string) {
    const { refund, isReplayed } = await refunds.make(actor, id, body, headers['idempotency-key']);
    return created(pathOf(refund.id), refund, isReplayed ? { 'Idempotency-Replayed': 'true' } : {});
  }

  return [
    route({
      ...making,
      path: '/orders/{id}/refunds',
      operationId: 'refundOrder',
      summary: 'Refund a part of an order',
      tag: 'orders',
      identity: 'account',
      role: 'operator',
      scope: 'refunds:write',
      responses: {
        ...makingResponses,
        201: {
          description: 'The provider will be asked for the refund.',
          body: refundRecordOut,
          headers: madeHeaders,
        },
      },
      handler: (asked) => make(asked, (refundId) => `/orders/${asked.params.id}/refunds/${refundId}`),
    }),
    route({
      ...reading,
      path: '/orders/{id}/refunds',
      operationId: 'listRefunds',
      summary: 'List the refunds of one of your orders; operators, of any order',
      params: ofOrder,
      responses: { 200: { description: 'The refunds, oldest first.', body: z.array(refundOut) } },
      handler: async ({ params: { id }, ...caller }) => ok(await refunds.list(viewerOf(caller), id), noStore),
    }),
    route({
      ...reading,
      path: '/orders/{id}/refunds/{refundId}',
      operationId: 'getRefund',
      summary: 'Fetch a refund of one of your orders; operators, of any order',
      params: ofOrder.extend({ refundId: uuid }),
      responses: { 200: { description: 'The refund.', body: refundOut } },
      handler: async ({ params: { id, refundId }, ...caller }) =>
        ok(await refunds.get(viewerOf(caller), id, refundId), noStore),
    }),
    route({
      ...making,
      path: '/internal/orders/{id}/refunds',
      identity: 'operator',
      responses: {
        ...makingResponses,
        201: { description: 'The provider will be asked for the refund.', body: refundRecordOut, headers: madeHeaders },
      },
      handler: (asked) => make(asked, () => `/internal/payments/${asked.params.id}`),
    }),
  ];
}
