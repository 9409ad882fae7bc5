import { addressIn } from '@store/shared/contracts/address';
import { orderOut, orderStatuses } from '@store/shared/contracts/order';
import type { Sort } from '@store/shared/database/keyset';
import { pagedQuery, pageOf, sortQuery } from '@store/shared/http/pagination';
import { seenVersion } from '@store/shared/http/precondition';
import {
  idempotencyKey,
  line,
  queryTime,
  text,
  timestamp,
  uuid,
  uuidPrefix,
  wholeNumber,
} from '@store/shared/values/fields';
import { Decimal, moneySchema } from '@store/shared/values/money';
import { z } from 'zod';
import { maxQuantity } from './order.ts';

const exampleOrder = 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90';
const exampleProduct = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** A double, unlike amounts of money in the same body. */
const quantity = z.preprocess(
  (value) => (Decimal.isDecimal(value) ? value.toNumber() : value),
  z.int().min(1).max(maxQuantity),
);

const badKey = 'must have keys of 1 to 40 letters, digits, dots, - and _';

/** Without this check, zod silently drops the key `__proto__` from a record. */
function refuseProto(fields: unknown, context: z.core.$RefinementCtx): unknown {
  if (Object.hasOwn(Object(fields), '__proto__')) context.addIssue(badKey);
  return fields;
}

const metadata = z
  .preprocess(refuseProto, z.record(z.string().regex(/^[A-Za-z\d][\w.-]{0,39}$/, badKey), text(0, 500)))
  .refine((fields) => Object.keys(fields).length <= 20, 'must have at most 20 keys')
  .transform((fields) => Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))));

/** A field that may be absent or null, with the same meaning. It has no default, because that would change the hash of every request. */
const optional = <T extends z.ZodType>(field: T) => field.nullish().transform((value) => value ?? undefined);

const visibleAscii = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters');

/** What the provider of payments gave the client for a card. A secret, which is in no answer, event or log. */
const paymentToken = visibleAscii.meta({
  minLength: 1,
  maxLength: 255,
  writeOnly: true,
  description: 'What the provider of payments gave the client for a means of payment.',
});

/** contract 4.5 */
export const orderIn = z
  .object({
    customerId: uuid.optional().describe("Must be the caller's account if it is given."),
    items: z
      .array(z.object({ productId: uuid, quantity }))
      .min(1)
      .max(100),
    expectedTotal: optional(moneySchema).describe(
      'The total that the customer agreed to. If the total differs, the answer is 409.',
    ),
    shippingAddress: optional(addressIn),
    metadata: optional(metadata).describe("The client's own data with up to 20 keys. Not for personal data."),
    payment: optional(z.object({ token: paymentToken })).describe('What the order is paid with.'),
  })
  .meta({ id: 'OrderIn', examples: [{ items: [{ productId: exampleProduct, quantity: 3 }] }] });

export const orderPage = pageOf(orderOut).meta({ id: 'OrderPage' });

/** Whether an index serves a sort (order-list-repository.ts). Few orders have the same time, so PostgreSQL sorts among those quickly. */
function isServed(sort: Sort[]): boolean {
  const [first, ...more] = sort[0]?.field === 'status' ? sort.slice(1) : sort;
  if (first?.field === 'createdAt') return true;
  return more.every(({ field, direction }) => field === 'id' && direction === first?.direction);
}

/** Reads `metadata[key]=value` as fields of `metadata` (OpenAPI 3.1, style deepObject). */
function nestMetadata(query: unknown): unknown {
  const fields = Object.entries(query as object).flatMap(([name, value]) => {
    const key = /^metadata\[(.*)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value]];
  });
  return fields.length === 0 ? query : { ...(query as object), metadata: Object.fromEntries(fields) };
}

const time = queryTime.transform((value) => new Date(value)).meta({ type: 'string', format: 'date-time' });

export const orderQuery = z.preprocess(
  nestMetadata,
  pagedQuery(20, 100, {
    sort: sortQuery(['createdAt', 'status', 'total', 'id'], [{ field: 'createdAt', direction: 'desc' }], ['id']).refine(
      isServed,
      'is not served by an index: sort by createdAt, total or id, with status before it or alone',
    ),
    status: z.enum(orderStatuses).optional(),
    customerId: uuid.optional(),
    idempotencyKey: idempotencyKey.optional().meta({
      type: 'string',
      description: 'The order that was placed with this Idempotency-Key, as long as the key is kept.',
    }),
    createdFrom: time.optional().describe('Only orders placed at or after this time.'),
    createdTo: time.optional().describe('Only orders placed before this time.'),
    metadata: metadata.optional().describe('Only orders with these values: metadata[key]=value.'),
  }),
);

/** A string, to be exact to the last digit. */
const amount = z
  .string()
  .regex(/^\d{1,24}(\.\d{1,4})?$/, 'must be an amount, such as 12.50')
  .optional();

/** The orders of all customers (contract 4.14). */
export const allOrdersQuery = z.object({
  accountId: uuid.optional(),
  status: z.enum(orderStatuses).optional(),
  createdFrom: time.optional(),
  createdTo: time.optional(),
  minTotal: amount,
  maxTotal: amount,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency, such as USD')
    .optional(),
  idPrefix: uuidPrefix.optional(),
  size: wholeNumber(1, 100).default(50),
  after: z.string().min(1).max(2_000).optional(),
});

export const paymentTokenOut = z.object({ token: z.string() });

/** Where a customer has to go: a page that a browser opens, and nothing that it would run. */
const actionUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(4_000);

/** What payment says about an order that it is charging (contract 4.14). */
export const orderPaymentIn = z
  .object({
    status: z.enum(['pending', 'action-required']),
    nextAction: z.object({ type: z.literal('redirect'), url: actionUrl }).nullable(),
  })
  .refine(({ status, nextAction }) => (status === 'action-required') === (nextAction !== null), {
    path: ['nextAction'],
    message: 'must be given if, and only if, the status is action-required',
  });

/** contract 4.21 */
export const storeOrdersQuery = z.object({
  changedAfter: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Opaque: `next` of an earlier answer. Without it, all orders are read.'),
  status: z.enum(orderStatuses).optional(),
  createdFrom: time.optional().describe('Only orders placed at or after this time.'),
  limit: wholeNumber(1, 100).default(50).describe('A page may have fewer orders, even if more follow.'),
});

/** contract 4.20 */
export const shipmentIn = z
  .object({
    carrier: optional(line(1, 80)),
    trackingNumber: optional(line(1, 80)),
    trackingUrl: optional(
      line(1, 2_000)
        .refine(isPlainHttps, 'must be an https URL without user name or password')
        .meta({ format: 'uri', description: 'https only. The customer follows it.' }),
    ),
  })
  .meta({
    id: 'ShipmentIn',
    examples: [{ carrier: 'CTT Expresso', trackingNumber: 'DB123456789PT' }],
  });

/** A user name could make the host look like another one. Spaces and the like would be repaired by browsers, each in its own way. */
function isPlainHttps(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && /^https:\/\/[^\s\\@/?#]+([/?#]\S*)?$/i.test(text);
}

/** Texts of operators. */
export const storeCancellationIn = z.object({ reason: text(1, 500) });
export const orderNoteIn = z.object({ text: text(1, 2_000) });

export const orderChange = z
  .object({ status: z.enum(orderStatuses), version: seenVersion })
  .meta({ id: 'OrderChange', examples: [{ status: 'CANCELLED' }] });

export const cancellationOut = z
  .object({
    orderId: uuid,
    cancelledAt: timestamp,
    reason: z.string(),
    missing: z
      .array(z.object({ productId: uuid, quantity: z.int().min(1) }))
      .optional()
      .describe('The items that were out of stock, if the order was cancelled for that.'),
  })
  .meta({
    id: 'CancellationOut',
    examples: [
      {
        orderId: exampleOrder,
        cancelledAt: '2026-01-31T09:31:00.000Z',
        reason: 'out of stock',
        missing: [{ productId: exampleProduct, quantity: 1 }],
      },
    ],
  });

/** contract 4.11 */
export const orderEvent = z.object({ orderId: uuid, status: z.enum(orderStatuses), changedAt: timestamp }).meta({
  id: 'OrderEvent',
  examples: [{ orderId: exampleOrder, status: 'CONFIRMED', changedAt: '2026-01-31T09:30:02.000Z' }],
});

export const streamHeaders = z.object({
  'last-event-id': z
    .string()
    .regex(/^[ -~]*$/, 'must be ASCII')
    .optional()
    .meta({
      type: 'string',
      description: 'The id of the last event that the client has seen; the stream continues after it.',
    }),
});

export const createHeaders = z.object({
  'idempotency-key': idempotencyKey.optional().meta({
    type: 'string',
    description: 'Chosen by the client, such as a UUID. A repeated request gets the reply to the first.',
  }),
});

export type ShipmentIn = z.output<typeof shipmentIn>;
export type OrderIn = z.output<typeof orderIn>;
export type OrderChange = z.output<typeof orderChange>;
export type AllOrdersQuery = z.output<typeof allOrdersQuery>;
export type OrderQuery = z.output<typeof orderQuery>;
