import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { currentTrace } from '../observability/trace-context.ts';
import { foreignText, givenTime, timestamp, uuid } from '../values/fields.ts';
import { parseJson, stringifyJson } from '../values/json.ts';
import { moneySchema } from '../values/money.ts';
import { nameUuid } from '../values/name-uuid.ts';
import { taxesSchema } from '../values/tax.ts';
import { accountEventsTopic, orderEventsTopic } from './topics.ts';

/** Events have times in the same form as answers; other forms are also accepted (contract 1.1). */
const { type, format, pattern } = z.toJSONSchema(timestamp);
const eventTime = givenTime.meta({ type, format, pattern });

const common = { orderId: uuid, customerId: uuid, timestamp: eventTime };
const items = z.array(z.object({ productId: uuid, quantity: z.int().positive() })).min(1);
const documentNumber = z.int().positive();
/** Left out if no rate is above 0. */
const taxes = taxesSchema.optional();

/** Whether the order service has a token that an order is paid with. No event has the token itself. */
const hasToken = z.boolean().optional();

/**
 * Payloads of order events (contract 6.3). Only optional fields may be added; any other change makes a new kind, such as OrderCreatedV2.
 * No field may hold text that a person wrote: topics and outboxes keep it after the account is deleted (docs/security.md).
 */
export const payloads = {
  OrderCreated: z
    .object({ ...common, items: items.optional(), total: moneySchema.optional(), taxes, hasToken })
    .describe('hasToken: the order service has a token that the order is paid with'),
  StockReserved: z
    .object({ ...common, items, total: moneySchema, taxes, hasToken })
    .describe('hasToken: as OrderCreated'),
  StockRejected: z
    .object({ ...common, items, reason: foreignText.optional() })
    .describe('items: the items that are missing'),
  OrderPaid: z.object({ ...common, paymentId: uuid, amount: moneySchema, taxes }),
  PaymentFailed: z.object({ ...common, reason: foreignText }),
  StockReleased: z.object({ ...common, items, reason: foreignText }),
  OrderCancelled: z.object({ ...common, reason: foreignText }),
  PaymentRefunded: z
    .object({ ...common, paymentId: uuid, amount: moneySchema, remainder: moneySchema.optional() })
    .describe('amount: the whole payment; remainder: what this refund returned, if parts had been returned before'),
  RefundIssued: z.object({ ...common, refundId: uuid, paymentId: uuid, amount: moneySchema, taxes }),
  PaymentDisputed: z
    .object({
      ...common,
      disputeId: uuid,
      paymentId: uuid,
      amount: moneySchema,
      state: z.enum(['OPEN', 'WON', 'LOST']).optional().catch(undefined),
    })
    .describe('state: absent for a state of a later release'),
  OrderShipped: z.object({ ...common, shipmentId: uuid }),
  InvoiceIssued: z.object({ ...common, invoiceNumber: documentNumber, amount: moneySchema }),
  CreditNoteIssued: z.object({
    ...common,
    creditNoteNumber: documentNumber,
    invoiceNumber: documentNumber,
    amount: moneySchema,
  }),
};

const ofAccount = { accountId: uuid, timestamp: eventTime };

/** Payloads of account events (contract 6.9). They contain no name, address or token: consumers ask the account service for those. */
export const accountPayloads = {
  AccountRegistered: z
    .object({ ...ofAccount, requestId: uuid.optional() })
    .describe('requestId: the request to confirm its address'),
  PasswordResetRequested: z.object({ ...ofAccount, requestId: uuid }),
  PasswordChanged: z.object(ofAccount),
  EmailChangePending: z.object({ ...ofAccount, requestId: uuid }).describe('requestId: the request that can cancel it'),
  EmailChangeRequested: z.object({ ...ofAccount, requestId: uuid }),
  EmailChanged: z.object({ ...ofAccount, requestId: uuid }),
  ApiKeyMade: z.object(ofAccount),
  AccountDeleted: z.object(ofAccount),
};

const allPayloads = { ...payloads, ...accountPayloads };

export type EventKind = keyof typeof payloads;
export type AccountEventKind = keyof typeof accountPayloads;
type AnyKind = keyof typeof allPayloads;
export type Payload<K extends AnyKind> = z.input<(typeof allPayloads)[K]>;

interface EventOf<K extends AnyKind> {
  id: string;
  kind: K;
  payload: z.output<(typeof allPayloads)[K]>;
  message: Message;
  /** Trace context of the span that published the event. */
  traceparent: string | undefined;
}

/** An event for handlers: validated, with money as Decimals. `kind` discriminates the payload. */
export type OrderEvent<K extends EventKind = EventKind> = { [Kind in K]: EventOf<Kind> }[K];
export type AccountEvent<K extends AccountEventKind = AccountEventKind> = { [Kind in K]: EventOf<Kind> }[K];
export type StoreEvent = OrderEvent | AccountEvent;

const isAccountKind = (kind: string): kind is AccountEventKind => Object.hasOwn(accountPayloads, kind);

export const isOfAccount = (event: StoreEvent): event is AccountEvent => isAccountKind(event.kind);

export const topicOf = (kind: string) => (isAccountKind(kind) ? accountEventsTopic : orderEventsTopic);

/** The key of an event: the id of its order or account. */
export const keyOf = (payload: { orderId: string } | { accountId: string }) =>
  'orderId' in payload ? payload.orderId : payload.accountId;

/** For a message that can never be handled: it becomes a dead letter without retries (contract 6.6). */
export class PoisonError extends Error {
  override name = 'PoisonError';
}

/** An event in the form that the outbox stores and the relay publishes. */
export interface StoredEvent {
  /** CloudEvents id, a UUID: consumers skip an id that they have processed. */
  id: string;
  kind: string;
  /** The id of the order or account. Events with the same key are consumed in the order in which they were written (contract 6.2). */
  key: string;
  /** JSON */
  payload: string;
  traceparent: string | null;
  createdAt: Date;
}

/** Makes an event for the outbox, in the current trace. */
export function newEvent<K extends AnyKind>(kind: K, payload: Payload<K>): StoredEvent {
  return {
    id: randomUUID(),
    kind,
    key: keyOf(payload),
    payload: stringifyJson(payload),
    traceparent: currentTrace()?.traceparent ?? null,
    createdAt: new Date(payload.timestamp),
  };
}

export interface Origin {
  topic: string;
  partition: number;
  offset: string;
}

/** A message as text. Parts that are absent or not UTF-8, and repeated headers, are undefined. */
export interface Message {
  origin: Origin;
  key: string | undefined;
  value: string | undefined;
  headers: Record<string, string | undefined>;
}

/**
 * Parses the event in a message of this store or of another producer (contract 6.4). Undefined, without parsing the rest, if its
 * kind is not among `kinds`.
 * @throws PoisonError if the kind or id is unclear, the payload breaks its schema, or the key does not match the payload
 */
export function readEvent(message: Message, kinds: ReadonlySet<string>): StoreEvent | undefined {
  const kind = kindOf(message);
  if (!kinds.has(kind) || !isKnown(kind)) return undefined;
  const id = eventIdOf(message);
  const { success, data: payload, error } = allPayloads[kind].safeParse(parsed(message.value));
  if (!success) throw new PoisonError(`Invalid payload of ${kind}: ${z.prettifyError(error)}`);
  if (message.key?.toLowerCase() !== keyOf(payload)) {
    const expected = isAccountKind(kind) ? 'account' : 'order';
    throw new PoisonError(`The key of the message is ${message.key ?? 'missing'}: it must be the ${expected} id.`);
  }
  return { id, kind, payload, message, traceparent: message.headers.traceparent } as StoreEvent;
}

/** The fields of the specified OrderCreated, which suffice to recognise it. */
const specified = Object.keys(common);
/** Required fields that only other kinds have. An optional one, such as a dispute's `state`, tells no kind. */
const ofOtherKinds = Object.values(payloads)
  .flatMap(({ shape }) => Object.entries(shape))
  .flatMap(([field, schema]) => (schema.safeParse(undefined).success ? [] : field))
  .filter((field) => !(field in payloads.OrderCreated.shape));

/** The kind in the header, or in the field `type`, or OrderCreated if its fields are there and none of other kinds. @throws PoisonError in doubt */
export function kindOf({ headers, value }: Message): string {
  const kind = headerOf(headers, 'ce_type');
  if (kind !== undefined) return kind;
  const fields = z.looseObject({ type: z.string().min(1).optional() }).safeParse(parsed(value));
  if (fields.data?.type !== undefined) return fields.data.type;
  const has = (field: string) => fields.success && Object.hasOwn(fields.data, field);
  if (specified.every(has) && !ofOtherKinds.some(has)) return 'OrderCreated';
  throw new PoisonError(
    `The message has no kind: neither a header ce_type, nor a text in the field type, nor the fields ${specified} without those of other kinds.`,
  );
}

/** The id in the header, or one made from origin and key, since a recreated topic reuses offsets. @throws PoisonError if it is not a UUID */
export function eventIdOf({ headers, origin: { topic, partition, offset }, key }: Omit<Message, 'value'>): string {
  const given = headerOf(headers, 'ce_id');
  if (given === undefined) return nameUuid(JSON.stringify([topic, partition, offset, key ?? null]));
  const id = uuid.safeParse(given);
  if (!id.success) throw new PoisonError('The message has no event id: its header ce_id is not a UUID.');
  return id.data;
}

function headerOf(headers: Message['headers'], name: string): string | undefined {
  if (!Object.hasOwn(headers, name)) return undefined;
  const text = headers[name];
  if (!text) throw new PoisonError(`The header ${name} of the message is empty, repeated, or not UTF-8.`);
  return text;
}

const isKnown = (kind: string): kind is AnyKind => Object.hasOwn(allPayloads, kind);

function parsed(value: string | undefined): unknown {
  if (value === undefined) throw new PoisonError('The message has no value, or none in UTF-8.');
  try {
    return parseJson(value);
  } catch (cause) {
    throw new PoisonError('The message is not valid JSON.', { cause });
  }
}

/** Span attributes of an event, following OpenTelemetry's conventions for messaging and CloudEvents. */
export const eventAttributes = ({ id, kind, key }: Pick<StoredEvent, 'id' | 'kind' | 'key'>) => ({
  'messaging.system': 'kafka',
  'messaging.destination.name': topicOf(kind),
  'messaging.kafka.message.key': key,
  'cloudevents.event_id': id,
  'cloudevents.event_type': kind,
});

/** Span attributes for an operation on an event. Kafka's own name for it is the same as the general type. */
export const operation = (type: 'send' | 'process') => ({
  'messaging.operation.name': type,
  'messaging.operation.type': type,
});
