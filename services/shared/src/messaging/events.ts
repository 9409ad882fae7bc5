import { z } from 'zod';
import { currentTrace } from '../observability/trace-context.ts';
import { timestamp, uuid } from '../values/fields.ts';
import { parseJson, stringifyJson } from '../values/json.ts';
import { moneySchema } from '../values/money.ts';

/** spec: Events, Topic */
export const orderEventsTopic = 'order-events';

const common = { orderId: uuid, customerId: uuid, timestamp };
const items = z.array(z.object({ productId: uuid, quantity: z.int().positive() })).min(1);

/**
 * What each kind of event says (decisions 5). Changes are additive: optional fields only; anything else is a new kind
 * such as OrderCreatedV2 (spec: Events, rule 6).
 */
export const payloads = {
  OrderCreated: z.object({ ...common, items: items.optional(), total: moneySchema.optional() }),
  StockReserved: z.object({ ...common, items, total: moneySchema }),
  StockRejected: z.object({ ...common, items }).describe('items: what is lacking'),
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
  /** Of the one who caused it. */
  traceparent: string | undefined;
}

/** An event as a consumer's handler gets it: checked, its money in decimals. `kind` tells which payload it has. */
export type OrderEvent<K extends EventKind = EventKind> = { [Kind in K]: EventOf<Kind> }[K];

/** A message that can never succeed: it goes to the dead letters at once (spec: Events, rule 4). */
export class PoisonError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PoisonError';
  }
}

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

/** A message as the broker hands it over. */
export interface Message {
  key: string | undefined;
  value: string | undefined;
  headers: Record<string, string | undefined>;
}

/**
 * The event of a message, undefined for a kind that nobody here wants: such a one is not even read.
 * @throws PoisonError for a message without readable kind or id, and for a payload that breaks the schema of its kind
 */
export function readEvent(message: Message, wanted: ReadonlySet<string>): OrderEvent | undefined {
  const kind = message.headers.ce_type;
  if (kind === undefined || kind === '') throw new PoisonError('The message names no kind (header ce_type).');
  if (!wanted.has(kind) || !isKnown(kind)) return undefined;
  const id = uuid.safeParse(message.headers.ce_id);
  if (!id.success) throw new PoisonError('The message has no event id (header ce_id: a UUID).');
  const payload = payloads[kind].safeParse(parsed(message.value));
  if (!payload.success) throw new PoisonError(`The payload of ${kind} is wrong: ${z.prettifyError(payload.error)}`);
  return { id: id.data, kind, payload: payload.data, traceparent: message.headers.traceparent } as OrderEvent;
}

const isKnown = (kind: string): kind is EventKind => Object.hasOwn(payloads, kind);

function parsed(value: string | undefined): unknown {
  try {
    return parseJson(value ?? '');
  } catch (cause) {
    throw new PoisonError('The message is not JSON.', { cause });
  }
}

/** What spans say about an event (OpenTelemetry's conventions for messages and CloudEvents). */
export const eventAttributes = ({ id, kind, orderId }: { id: string; kind: string; orderId: string }) => ({
  'messaging.system': 'kafka',
  'messaging.destination.name': orderEventsTopic,
  'messaging.kafka.message.key': orderId,
  'cloudevents.event_id': id,
  'cloudevents.event_type': kind,
});
