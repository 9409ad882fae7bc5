import { payloads } from '@store/shared/messaging/events';
import { newCustomer } from '../../kit/customer.ts';
import { createSend, sendExpecting } from '../../kit/http.ts';
import { serve } from '../../kit/listen.ts';
import type { Fixture } from '../_fixture.ts';

/** What the receiver of a webhook has heard. */
export interface Heard {
  webhookId: string;
  /** The numbers under which each delivery arrived, of which all attempts must have the same. */
  sequences: Map<string, Set<number>>;
}

/** Creates a webhook for every kind of event, before the first order. Its receiver accepts all that it is told. */
export async function startReceiver({ store }: Fixture): Promise<Heard> {
  const sequences: Heard['sequences'] = new Map();
  const url = await serve(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const id = String(req.headers['webhook-id']);
    const { data } = JSON.parse(Buffer.concat(chunks).toString());
    sequences.set(id, (sequences.get(id) ?? new Set()).add(data.sequence));
    res.writeHead(204).end();
  });
  const operator = await newCustomer(createSend(store.gatewayUrl, 10_000));
  const roles = `/internal/accounts/${operator.accountId}/roles`;
  await sendExpecting(200, createSend(store.url('auth')), 'PUT', roles, { roles: ['operator'] });
  const webhook = { url, kinds: Object.keys(payloads) };
  const { body } = await sendExpecting(201, operator.send, 'POST', '/webhooks', webhook);
  return { webhookId: body.id, sequences };
}
