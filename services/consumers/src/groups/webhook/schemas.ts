import { deliveryOut, deliveryStates, webhookOut } from '@store/shared/contracts/webhook';
import { payloads } from '@store/shared/messaging/events';
import { givenTime, text, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

const kindNames = Object.keys(payloads) as [keyof typeof payloads];
const kinds = z
  .array(z.enum(kindNames))
  .min(1)
  .transform((given) => [...new Set(given)].sort())
  .describe('Kinds of events (docs/asyncapi.yaml).');
const url = text(1, 2_000).meta({ format: 'uri', description: 'In production `https:`, with a public address.' });

/** contract 4.22 */
export const webhookIn = z
  .object({
    url,
    kinds,
    ordered: z
      .boolean()
      .default(false)
      .describe('Whether the deliveries of an order wait for each other. One that fails then holds up the next.'),
  })
  .meta({
    id: 'WebhookIn',
    examples: [{ url: 'https://erp.example.com/store', kinds: ['OrderPaid', 'OrderShipped'], ordered: false }],
  });
export const webhookChange = z
  .object({
    url: url.optional(),
    kinds: kinds.optional(),
    state: z.enum(['ACTIVE', 'PAUSED']).optional().describe('`ACTIVE` also resumes one that was given up.'),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something')
  .meta({ id: 'WebhookChange', examples: [{ state: 'PAUSED' }] });
export const webhooksOut = z.array(webhookOut);
export const deliveryQuery = z.object({
  state: z.enum(deliveryStates).optional(),
  size: wholeNumber(1, 100).default(20),
  after: z.string().min(1).max(2_000).optional().describe('Opaque: taken from `Link: rel="next"`.'),
});
export const deliveriesOut = z.array(deliveryOut);
export const replayIn = z
  .object({
    from: givenTime.describe('When the store learned of the events, at most 30 days ago.'),
    to: givenTime,
    kinds: kinds.optional().describe('Default: those of the endpoint.'),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), { path: ['to'], message: 'must be later than from' })
  .meta({ id: 'WebhookReplayIn', examples: [{ from: '2026-01-31T00:00:00Z', to: '2026-02-01T00:00:00Z' }] });

export type WebhookIn = z.output<typeof webhookIn>;
export type WebhookChange = z.output<typeof webhookChange>;
export type WebhookOut = z.output<typeof webhookOut>;
export type DeliveryQuery = z.output<typeof deliveryQuery>;
