import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';

const exampleWebhook = {
  id: '6f2d4c1e-8b3a-4e95-a7d0-1c9e5b2f4a68',
  url: 'https://erp.example.com/store',
  kinds: ['OrderPaid', 'OrderShipped'],
  ordered: false,
  state: 'ACTIVE' as const,
  failures: 0,
  lastFailure: null,
  restingUntil: null,
  createdAt: '2026-01-31T09:30:00.000Z',
};

/** contract 4.22 */
export const webhookOut = z
  .object({
    id: uuid,
    url: z.string(),
    kinds: z.array(z.string()),
    ordered: z.boolean(),
    state: z
      .enum(['ACTIVE', 'PAUSED', 'GIVEN_UP', 'GONE'])
      .describe('`GIVEN_UP`: nothing was accepted for days. `GONE`: the endpoint has answered 410.'),
    failures: z.int().describe('Failed attempts since the last delivery that was accepted.'),
    lastFailure: z.string().nullable().describe('Why the last of them failed.'),
    restingUntil: timestamp.nullable().describe('Nothing new is sent until then, because too much has failed.'),
    createdAt: timestamp,
  })
  .meta({ id: 'WebhookOut', examples: [exampleWebhook] });

const exampleSecret = { secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' };
export const webhookSecretOut = z
  .object({ secret: z.string().describe('Signs deliveries (Standard Webhooks). It cannot be shown again.') })
  .meta({ id: 'WebhookSecretOut', examples: [exampleSecret] });
export const newWebhookOut = webhookOut
  .extend(webhookSecretOut.shape)
  .meta({ id: 'NewWebhookOut', examples: [{ ...exampleWebhook, ...exampleSecret }] });

export const deliveryStates = ['PENDING', 'DELIVERED', 'GIVEN_UP'] as const;
export const deliveryOut = z
  .object({
    id: uuid.describe('The header `webhook-id`.'),
    eventId: uuid,
    orderId: uuid.nullable(),
    type: z.string().describe('Kind of the event, or `Test`.'),
    sequence: z.int(),
    state: z.enum(deliveryStates),
    attempts: z.int().describe('That reached the endpoint, or failed because of it, since it was last queued.'),
    status: z.int().nullable().describe('The last answer.'),
    failure: z.string().nullable(),
    createdAt: timestamp,
    triedAt: timestamp.nullable(),
    dueAt: timestamp.nullable().describe('The next attempt; null if there is none, or if it is held.'),
  })
  .meta({
    id: 'WebhookDeliveryOut',
    examples: [
      {
        id: '2f1a7b0c-4d5e-5f60-8a71-9b2c3d4e5f60',
        eventId: '8c1d2e3f-4a5b-4c6d-9e7f-0a1b2c3d4e5f',
        orderId: 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90',
        type: 'OrderPaid',
        sequence: 3,
        state: 'PENDING',
        attempts: 1,
        status: 503,
        failure: 'The endpoint answered 503.',
        createdAt: '2026-01-31T09:30:00.000Z',
        triedAt: '2026-01-31T09:30:00.100Z',
        dueAt: '2026-01-31T09:30:05.100Z',
      },
    ],
  });

export const queuedOut = z
  .object({ deliveries: z.int() })
  .meta({ id: 'QueuedDeliveriesOut', examples: [{ deliveries: 1 }] });
