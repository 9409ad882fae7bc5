import { deliveryOut, deliveryStates, queuedOut, webhookOut } from '@store/shared/contracts/webhook';
import { type AnyRoute, noContent, ok, route } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { givenTime, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';

const base = { tag: 'webhooks', ...byOperator } as const;
const path = '/api/webhooks';
const params = z.object({ id: uuid });
const internal = '/internal/webhooks';

// A later release may have further states.
const shownWebhook = webhookOut.extend({ state: z.string() }).meta({ id: 'AnyWebhookOut' });
const shownDelivery = deliveryOut.extend({ state: z.string() }).meta({ id: 'AnyWebhookDeliveryOut' });

/** Makes the routes of webhooks (contract 4.22). */
export const webhookPageRoutes = (services: Services, log: Logger): AnyRoute[] => [
  route({
    ...base,
    method: 'get',
    path,
    operationId: 'showWebhooks',
    summary: 'List webhooks',
    responses: { 200: { description: 'Webhooks, newest first.', body: z.object({ webhooks: z.array(shownWebhook) }) } },
    handler: async ({ headers: { 'console-operator': operator } }) =>
      ok({ webhooks: await services.get('webhook', internal, z.array(shownWebhook), { operator }) }),
  }),
  route({
    ...base,
    method: 'put',
    path: `${path}/{id}/pause`,
    operationId: 'pauseWebhook',
    summary: 'Pause a webhook, so that deliveries wait, or have it go on',
    params,
    body: z.object({ paused: z.boolean() }),
    responses: { 204: { description: 'Changed.' } },
    async handler({ params: { id }, body: { paused }, headers: { 'console-operator': operator } }) {
      const body = { state: paused ? 'PAUSED' : 'ACTIVE' };
      await services.call('PATCH', 'webhook', `${internal}/${id}`, shownWebhook, { operator, body });
      log.info({ by: operator, webhookId: id, paused }, 'A webhook was paused or resumed');
      return noContent();
    },
  }),
  route({
    ...base,
    method: 'get',
    path: `${path}/{id}/deliveries`,
    operationId: 'showDeliveries',
    summary: 'List what was sent to a webhook',
    params,
    query: z.object({ state: z.enum(deliveryStates).optional(), after: z.string().max(2_000).optional() }),
    responses: {
      200: {
        description: 'The next 20 deliveries, newest first.',
        body: z.object({ deliveries: z.array(shownDelivery), next: z.string().nullable() }),
      },
    },
    async handler({ params: { id }, query, headers: { 'console-operator': operator } }) {
      const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined));
      const { body, next = null } = await services.call(
        'GET',
        'webhook',
        `${internal}/${id}/deliveries`,
        z.array(shownDelivery),
        { operator, query: asked.toString() },
      );
      return ok({ deliveries: body, next });
    },
  }),
  route({
    ...base,
    method: 'post',
    path: `${path}/{id}/deliveries/{deliveryId}/attempts`,
    operationId: 'repeatDelivery',
    summary: 'Send a delivery again',
    params: params.extend({ deliveryId: uuid }),
    responses: { 204: { description: 'Queued.' } },
    async handler({ params: { id, deliveryId }, headers: { 'console-operator': operator } }) {
      const attempts = `${internal}/${id}/deliveries/${deliveryId}/attempts`;
      await services.call('POST', 'webhook', attempts, queuedOut, { operator });
      log.info({ by: operator, webhookId: id, deliveryId }, 'A delivery is sent again');
      return noContent();
    },
  }),
  route({
    ...base,
    method: 'post',
    path: `${path}/{id}/replays`,
    operationId: 'replayDeliveries',
    summary: 'Send the events of a time again to a webhook',
    params,
    body: z.object({ from: givenTime, to: givenTime }),
    responses: { 200: { description: 'Queued.', body: queuedOut } },
    async handler({ params: { id }, body, headers: { 'console-operator': operator } }) {
      const replays = `${internal}/${id}/replays`;
      const { body: queued } = await services.call('POST', 'webhook', replays, queuedOut, { operator, body });
      log.info({ by: operator, webhookId: id, ...queued }, 'Events are sent again to a webhook');
      return ok(queued);
    },
  }),
];
