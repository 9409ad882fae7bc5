import { z } from 'zod';
import { text, timestamp, uuid } from '../values/fields.ts';
import { Decimal, moneySchema } from '../values/money.ts';
import { nameUuid } from '../values/name-uuid.ts';

const exampleRefund = '5f0c7a1e-8b1d-4c55-9c0e-2f6f5d1b7a90';
const exampleOrder = 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90';
const exampleProduct = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** The most pieces of a product in an order (contract 4.5). */
const maxQuantity = 10_000;
const maxLines = 100;

/** A double, unlike amounts of money in the same body. */
const quantity = z.preprocess(
  (value) => (Decimal.isDecimal(value) ? value.toNumber() : value),
  z.int().min(1).max(maxQuantity),
);

const line = z.object({ productId: uuid, quantity });

/** contract 4.18 */
export const refundIn = z
  .object({
    lines: z.array(line).min(1).max(maxLines).optional().describe('What is refunded, at the prices of the order.'),
    amount: moneySchema
      .refine(({ amount }) => amount.greaterThan(0), { message: 'must be greater than 0', path: ['amount'] })
      .optional()
      .describe('In place of lines.'),
    reason: text(1, 500).describe('For operators only. The customer never sees it.'),
  })
  .refine(
    ({ lines, amount }) => (lines === undefined) !== (amount === undefined),
    'must have either lines or an amount, and not both',
  )
  .meta({
    id: 'RefundIn',
    examples: [{ lines: [{ productId: exampleProduct, quantity: 1 }], reason: 'It arrived broken.' }],
  });

export const refundStates = ['PENDING', 'SUCCEEDED', 'FAILED'] as const;
export const refundSources = ['operator', 'cancellation', 'provider'] as const;

const ofRefund = {
  id: uuid,
  orderId: uuid,
  amount: moneySchema,
  state: z.enum(refundStates),
  lines: z
    .array(z.object({ productId: uuid, quantity: z.int() }))
    .nullable()
    .describe('Null for a refund by amount.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const example = {
  id: exampleRefund,
  orderId: exampleOrder,
  amount: { amount: 4.25, currency: 'USD' },
  state: 'PENDING' as const,
  lines: [{ productId: exampleProduct, quantity: 1 }],
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
};

const forOperators = {
  source: z.enum(refundSources).describe('`cancellation` of the order; `provider`: it was made there.'),
  reason: z.string().nullable().describe("The operator's own words, until the account is deleted."),
  actor: z.string().nullable().describe('Who made it, as in the audit trail.'),
  failure: z.string().nullable().describe('Why it failed.'),
};

/** The id of the refund of a cancelled order, the first one if the provider refuses it: PaymentRefunded does not name it. */
export const wholeRefundId = (orderId: string): string => nameUuid(`refund of order ${orderId}`);

/** A refund as operators see it. */
export const refundRecordOut = z.object({ ...ofRefund, ...forOperators }).meta({
  id: 'RefundRecordOut',
  examples: [
    {
      ...example,
      source: 'operator',
      reason: 'It arrived broken.',
      actor: 'account 3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
      failure: null,
    },
  ],
});

/** A refund as its customer sees it; operators see all fields. */
export const refundOut = z
  .object({
    ...ofRefund,
    source: forOperators.source.optional(),
    reason: forOperators.reason.optional(),
    actor: forOperators.actor.optional(),
    failure: forOperators.failure.optional(),
  })
  .meta({ id: 'RefundOut', examples: [example] });

export const disputeStates = ['OPEN', 'WON', 'LOST'] as const;

/** A dispute as operators see it. */
export const disputeRecordOut = z
  .object({
    id: uuid,
    orderId: uuid,
    providerRef: z.string().describe("The provider's own id."),
    amount: moneySchema,
    state: z.enum(disputeStates),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'DisputeRecordOut' });

export type RefundIn = z.output<typeof refundIn>;
export type RefundOut = z.input<typeof refundOut>;
export type RefundRecordOut = z.input<typeof refundRecordOut>;
export type DisputeRecordOut = z.input<typeof disputeRecordOut>;

const ofReturned = { id: uuid, orderId: uuid, amount: moneySchema, createdAt: timestamp, updatedAt: timestamp };

/** A refund or a dispute, in a list of those of all customers. */
const returnedOut = z.discriminatedUnion('kind', [
  z.object({
    ...ofReturned,
    kind: z.literal('refund'),
    state: z.enum(refundStates),
    source: forOperators.source,
    failure: forOperators.failure,
  }),
  z.object({ ...ofReturned, kind: z.literal('dispute'), state: z.enum(disputeStates) }),
]);

export const returnedPageOut = z.object({
  returned: z.array(returnedOut).describe('The newest first.'),
  next: z.string().nullable().describe('Of the next page, as `after`.'),
});
export type ReturnedPageOut = z.input<typeof returnedPageOut>;

/** Those of refunds and of disputes. */
export const returnedStates = [...refundStates, ...disputeStates] as const;
