import { z } from 'zod';
import { timestamp, uuid } from './fields.ts';
import { stringifyJson } from './json.ts';
import { moneySchema } from './money.ts';
import { currentTrace } from './trace.ts';

/** spec: Events, Topic */
export const orderEventsTopic = 'order-events';

const common = { orderId: uuid, customerId: uuid, timestamp };

/**
 * What each kind of event says (decisions 5). Changes are additive: optional fields only; anything else is a new kind
 * such as OrderCreatedV2 (spec: Events, rule 6).
 */
export const payloads = {
  OrderCreated: z.object({
    ...common,
    items: z.array(z.object({ productId: uuid, quantity: z.int().positive() })).optional(),
    total: moneySchema.optional(),
  }),
  OrderCancelled: z.object({ ...common, reason: z.string() }),
};

export type EventKind = keyof typeof payloads;
export type Payload<K extends EventKind> = z.input<(typeof payloads)[K]>;

/** An event as it lies in an outbox, and as the relay hands it to the broker. */
export interface StoredEvent {
  /** CloudEvents id: consumers skip an id that they have seen. */
  id: string;
  kind: string;
  /** The order id: events of one key are read in the order in which they were written (spec: Topic). */
  key: string;
  /** JSON */
  payload: string;
  traceparent: string | null;
  createdAt: Date;
}

/** An event of the present trace, ready for the outbox. */
export function newEvent<K extends EventKind>(id: string, kind: K, payload: Payload<K>): StoredEvent {
  return {
    id,
    kind,
    key: payload.orderId,
    payload: stringifyJson(payload),
    traceparent: currentTrace()?.traceparent ?? null,
    createdAt: new Date(payload.timestamp),
  };
}
