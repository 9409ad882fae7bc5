import { payloads } from '@store/shared/messaging/events';
import { newCustomer } from '../../kit/customer.ts';
import { createSend, sendExpecting } from '../../kit/http.ts';
import type { Fixture } from '../_fixture.ts';
import { type Endpoint, startEndpoint } from '../webhooks/_endpoints.ts';

/** What the receiver of a webhook has heard. */
export interface Heard extends Pick<Endpoint, 'accepted'> {
  webhookId: string;
}

/** Creates a webhook for every kind of event, before the first order. Its receiver accepts all that it is told. */
export async function startReceiver({ store }: Fixture): Promise<Heard> {
  const { url, accepted, stop } = await startEndpoint('healthy');
  afterAll(stop);
  const operator = await newCustomer(createSend(store.gatewayUrl, 10_000));
  const roles = `/internal/accounts/${operator.accountId}/roles`;
  await sendExpecting(200, createSend(store.url('auth')), 'PUT', roles, { roles: ['operator'] });
  const webhook = { url, kinds: Object.keys(payloads) };
  const { body } = await sendExpecting(201, operator.send, 'POST', '/webhooks', webhook);
  return { webhookId: body.id, accepted };
}
