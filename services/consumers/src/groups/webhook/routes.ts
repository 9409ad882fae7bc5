import { randomUUID } from 'node:crypto';
import { newWebhookOut, queuedOut, webhookOut, webhookSecretOut } from '@store/shared/contracts/webhook';
import { nextLink, nextPage } from '@store/shared/http/pagination';
import { type AnyRoute, accepted, created, noContent, noStore, ok, problem, route } from '@store/shared/http/route';
import { DomainError, found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { DeliveryRepository } from './delivery-repository.ts';
import type { EndpointRepository } from './endpoint-repository.ts';
import { endpointUrl, type UrlRules } from './endpoint-url.ts';
import { deliveriesOut, deliveryQuery, replayIn, webhookChange, webhookIn, webhooksOut } from './schemas.ts';

interface Dependencies {
  endpoints: EndpointRepository;
  deliveries: DeliveryRepository;
  rules: UrlRules;
}

const byOperator = { tag: 'webhooks', identity: 'account', role: 'operator', scope: 'webhooks' } as const;
const params = z.object({ id: uuid });
const deliveriesPath = 'Path of the deliveries.';

/** What the console does. */
const ofConsole = ['listWebhooks', 'changeWebhook', 'listWebhookDeliveries', 'repeatWebhookDelivery', 'replayWebhook'];

/** Endpoints, their deliveries and secrets (contract 4.22), for some of which the console has internal paths. */
export function webhookRoutes(dependencies: Dependencies): AnyRoute[] {
  const routes = publicRoutes(dependencies);
  return [...routes, ...routes.filter(({ operationId = '' }) => ofConsole.includes(operationId)).map(internal)];
}

const internal = ({
  operationId: _,
  summary: __,
  tag: ___,
  role: ____,
  scope: _____,
  ...rest
}: AnyRoute): AnyRoute => ({
  ...rest,
  identity: 'caller',
  path: `/internal${rest.path}`,
});

function publicRoutes({ endpoints, deliveries, rules }: Dependencies): AnyRoute[] {
  const existing = async (id: string) => found(await endpoints.find(id), `webhook ${id}`);
  return [
    route({
      ...byOperator,
      method: 'post',
      path: '/webhooks',
      operationId: 'createWebhook',
      summary: 'Have events sent to an address, as an operator',
      body: webhookIn,
      responses: {
        201: {
          description: 'Created. Its secret is not shown again.',
          body: newWebhookOut,
          headers: { Location: 'Path of the webhook.' },
        },
        409: problem('There are 1000 webhooks.'),
      },
      async handler({ actor, body }) {
        const made = await endpoints.create(actor, { ...body, url: endpointUrl(body.url, rules) });
        return created(`/webhooks/${made.id}`, made, noStore);
      },
    }),
    route({
      ...byOperator,
      method: 'get',
      path: '/webhooks',
      operationId: 'listWebhooks',
      summary: 'List webhooks, as an operator',
      responses: { 200: { description: 'Webhooks, newest first.', body: webhooksOut } },
      handler: async () => ok(await endpoints.list(), noStore),
    }),
    route({
      ...byOperator,
      method: 'get',
      path: '/webhooks/{id}',
      operationId: 'getWebhook',
      summary: 'Fetch a webhook, as an operator',
      params,
      responses: { 200: { description: 'The webhook.', body: webhookOut } },
      handler: async ({ params: { id } }) => ok(await existing(id), noStore),
    }),
    route({
      ...byOperator,
      method: 'patch',
      path: '/webhooks/{id}',
      operationId: 'changeWebhook',
      summary: 'Change, pause or resume a webhook, as an operator',
      params,
      body: webhookChange,
      responses: { 200: { description: 'The webhook.', body: webhookOut } },
      async handler({ actor, params: { id }, body }) {
        const url = body.url === undefined ? undefined : endpointUrl(body.url, rules);
        return ok(found(await endpoints.change(actor, id, { ...body, url }), `webhook ${id}`), noStore);
      },
    }),
    route({
      ...byOperator,
      method: 'delete',
      path: '/webhooks/{id}',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook with its deliveries, as an operator',
      params,
      responses: { 204: { description: 'Deleted.' } },
      async handler({ actor, params: { id } }) {
        if (!(await endpoints.remove(actor, id))) throw new DomainError('notFound', `There is no webhook ${id}.`);
        return noContent();
      },
    }),
    route({
      ...byOperator,
      method: 'post',
      path: '/webhooks/{id}/secrets',
      operationId: 'renewWebhookSecret',
      summary: 'Make a new secret of a webhook, as an operator',
      params,
      responses: {
        201: {
          description: 'The new secret. For 24 hours the previous one signs as well.',
          body: webhookSecretOut,
          headers: { Location: 'Path of the webhook.' },
        },
      },
      async handler({ actor, params: { id } }) {
        const secret = found(await endpoints.renewSecret(actor, id), `webhook ${id}`);
        return created(`/webhooks/${id}`, { secret }, noStore);
      },
    }),
    route({
      ...byOperator,
      method: 'post',
      path: '/webhooks/{id}/tests',
      operationId: 'testWebhook',
      summary: 'Send a test to a webhook, as an operator',
      params,
      responses: { 202: { description: 'Queued.', body: queuedOut, headers: { Location: deliveriesPath } } },
      async handler({ params: { id } }) {
        await existing(id);
        await deliveries.addTest(id, randomUUID());
        return accepted(`/webhooks/${id}/deliveries`, { deliveries: 1 });
      },
    }),
    route({
      ...byOperator,
      method: 'get',
      path: '/webhooks/{id}/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'List what was sent to a webhook, as an operator',
      params,
      query: deliveryQuery,
      responses: { 200: { description: 'Deliveries, newest first.', body: deliveriesOut, headers: nextPage } },
      async handler({ params: { id }, query, url }) {
        await existing(id);
        const { rows, next } = await deliveries.page(id, query);
        return ok({ json: `[${rows.map(({ json }) => json)}]` }, nextLink(url, next));
      },
    }),
    route({
      ...byOperator,
      method: 'post',
      path: '/webhooks/{id}/deliveries/{deliveryId}/attempts',
      operationId: 'repeatWebhookDelivery',
      summary: 'Send a delivery again, as an operator',
      params: params.extend({ deliveryId: uuid }),
      responses: { 202: { description: 'Queued.', body: queuedOut, headers: { Location: deliveriesPath } } },
      async handler({ params: { id, deliveryId } }) {
        if (!(await deliveries.repeat(id, deliveryId)))
          throw new DomainError('notFound', `There is no delivery ${deliveryId} of webhook ${id}.`);
        return accepted(`/webhooks/${id}/deliveries`, { deliveries: 1 });
      },
    }),
    route({
      ...byOperator,
      method: 'post',
      path: '/webhooks/{id}/replays',
      operationId: 'replayWebhook',
      summary: 'Send the events of a time again, as an operator',
      params,
      body: replayIn,
      responses: {
        202: {
          description: 'Queued, under the ids that they had.',
          body: queuedOut,
          headers: { Location: deliveriesPath },
        },
      },
      async handler({ params: { id }, body: { from, to, kinds } }) {
        const webhook = await existing(id);
        const queued = await deliveries.replay(id, { from, to, kinds: kinds ?? webhook.kinds });
        return accepted(`/webhooks/${id}/deliveries`, { deliveries: queued });
      },
    }),
  ];
}
