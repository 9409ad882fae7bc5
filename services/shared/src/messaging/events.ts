import { z } from 'zod';
import { currentTrace } from '../observability/trace-context.ts';
import { timestamp, uuid } from '../values/fields.ts';
import { parseJson, stringifyJson } from '../values/json.ts';
import { moneySchema } from '../values/money.ts';
import { orderEventsTopic } from './topics.ts';

const common = { orderId: uuid, customerId: uuid, timestamp };
const items = z.array(z.object({ productId: uuid, quantity: z.int().positive() })).min(1);

/**
 * The payload of each kind of event (contract 6.3). Changes are additive: optional fields only; anything else is a new
 * kind, such as OrderCreatedV2.
 */
export const payloads = {
  OrderCreated: z.object({ ...common, items: items.optional(), total: moneySchema.optional() }),
  StockReserved: z.object({ ...common, items, total: moneySchema }),
  StockRejected: z.object({ ...common, items, reason: z.string().optional() }).describe('items: what is lacking'),
  OrderPaid: z.object({ ...common, paymentId: uuid, amount: moneySchema }),
  PaymentFailed: z.object({ ...common, reason: z.string() }),
  StockReleased: z.object({ ...common, items, reason: z.string() }),
  OrderCancelled: z.object({ ...common, reason: z.string() }),
  PaymentRefunded: z.object({ ...common, paymentId: uuid, amount: moneySchema }),
  OrderShipped: z.object({ ...common, shipmentId: uuid }),
};

export type EventKind = keyof typeof payloads;
export type Payload<K extends EventKind> = z.input<(typeof payloads)[K]>;

interface EventOf<K extends EventKind> {
  id: string;
  kind: K;
  payload: z.output<(typeof payloads)[K]>;
  /** Of the span that published it. */
  traceparent: string | undefined;
}

/** An event as handlers receive it: validated, money as Decimals. `kind` discriminates the payload. */
export type OrderEvent<K extends EventKind = EventKind> = { [Kind in K]: EventOf<Kind> }[K];

/** A message that can never be handled: it becomes a dead letter without retries (contract 6.6). */
export class PoisonError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PoisonError';
  }
}

/** An event as the outbox stores it and the relay publishes it. */
export interface StoredEvent {
  /** CloudEvents id, a UUID: consumers skip an id that they have processed. */
  id: string;
  kind: string;
  /** The order id: events of one key are read in the order in which they were written (contract 6.2). */
  key: string;
  /** JSON */
  payload: string;
  traceparent: string | null;
  createdAt: Date;
}

/** An event within the current trace, ready for the outbox. */
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

/** A message as text; undefined where it is absent or not UTF-8. */
export interface Message {
  key: string | undefined;
  value: string | undefined;
  headers: Record<string, string | undefined>;
}

/**
 * The event of a message; undefined if its kind is not among `kinds`, in which case the rest is not read.
 * @throws PoisonError for a message without a valid kind or id, or with a payload that violates the schema of its kind
 */
export function readEvent(message: Message, kinds: ReadonlySet<string>): OrderEvent | undefined {
  const kind = message.headers.ce_type;
  if (kind === undefined || kind === '') throw new PoisonError('The message has no kind (header ce_type).');
  if (!kinds.has(kind) || !isKnown(kind)) return undefined;
  const id = uuid.safeParse(message.headers.ce_id);
  if (!id.success) throw new PoisonError('The message has no event id (header ce_id: a UUID).');
  const payload = payloads[kind].safeParse(parsed(message.value));
  if (!payload.success) throw new PoisonError(`Invalid payload of ${kind}: ${z.prettifyError(payload.error)}`);
  return { id: id.data, kind, payload: payload.data, traceparent: message.headers.traceparent } as OrderEvent;
}

const isKnown = (kind: string): kind is EventKind => Object.hasOwn(payloads, kind);

function parsed(value: string | undefined): unknown {
  try {
    return parseJson(value ?? '');
  } catch (cause) {
    throw new PoisonError('The message is not valid JSON.', { cause });
  }
}

/** Span attributes of an event, after OpenTelemetry's conventions for messaging and CloudEvents. */
export const eventAttributes = ({ id, kind, orderId }: { id: string; kind: string; orderId: string }) => ({
  'messaging.system': 'kafka',
  'messaging.destination.name': orderEventsTopic,
  'messaging.kafka.message.key': orderId,
  'cloudevents.event_id': id,
  'cloudevents.event_type': kind,
});
