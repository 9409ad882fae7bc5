import { z } from 'zod';
import { text, timestamp, uuid } from '../values/fields.ts';
import { moneySchema } from '../values/money.ts';

// Steps of payments that are OPEN: it has not been known for a day what became of them (contract 4.17).

const openStepOut = z.object({
  id: uuid,
  kind: z.enum(['charge', 'refund']),
  orderId: uuid,
  customerId: uuid,
  amount: moneySchema,
  /** null: the provider's intent is not known. */
  provider: z.string().nullable(),
  intentId: z.string().nullable(),
  attempts: z.int(),
  createdAt: timestamp,
  openSince: timestamp,
});

export const openStepsOut = z.object({
  steps: z.array(openStepOut).describe('The longest open first.'),
  next: uuid.nullable().describe('Of the next page, as `after`.'),
});
export type OpenStepsOut = z.output<typeof openStepsOut>;

/** What an operator has found out, and how: `paid` and `failed` of a charge, `refunded` and `failed` of a refund. */
export const settlementIn = z.object({
  outcome: z.enum(['paid', 'failed', 'refunded']),
  evidence: text(1, 1_000),
});
export type SettlementIn = z.output<typeof settlementIn>;
