import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';
import { moneySchema } from '../values/money.ts';

// The books of payment, for operators (contract 4.19).

export const accounts = ['provider', 'unearned', 'revenue', 'tax', 'refunds', 'disputes'] as const;
export type Account = (typeof accounts)[number];

/** The side on which the account usually stands, and on which its balance is positive. */
export const sideOf: Record<Account, 'debit' | 'credit'> = {
  provider: 'debit',
  unearned: 'credit',
  revenue: 'credit',
  tax: 'credit',
  refunds: 'debit',
  disputes: 'debit',
};

// A later release may have more accounts and kinds, and the console may be older than payment.
const account = z.string().describe('provider, unearned, revenue, tax, refunds or disputes.');
const movementKind = z.enum(['charge', 'refund', 'dispute']);

const movementOut = z.object({
  id: z.string().describe("The provider's id, or the id of the entry."),
  amount: moneySchema.describe('Positive if the provider holds more.'),
  at: timestamp,
});

export const differenceOut = z.object({
  what: z.enum(['missing-here', 'missing-there', 'different']),
  kind: movementKind,
  subject: z.string().describe("The order or, if no payment has it, the provider's id of what was paid."),
  there: movementOut.nullable().describe("In the provider's list."),
  here: movementOut.nullable().describe('In the books.'),
});

export const reconciliationOut = z
  .object({
    provider: z.string(),
    hasList: z.boolean().describe('False: the provider keeps no list, so nothing was compared with it.'),
    from: timestamp,
    to: timestamp,
    at: timestamp,
    there: z.int().describe("Movements in the provider's list."),
    here: z.int().describe('Movements in the books.'),
    missingHere: z.int(),
    missingThere: z.int(),
    different: z.int(),
    differences: z.array(differenceOut).describe('The first 100.'),
    problems: z.array(z.string()).describe('What is wrong with the books themselves.'),
  })
  .meta({ id: 'ReconciliationOut' });

export const booksOut = z
  .object({
    balances: z.array(
      z.object({
        account,
        side: z.enum(['debit', 'credit']).describe('On which a positive balance stands.'),
        balance: moneySchema,
      }),
    ),
    unbooked: z.int().describe('Payments that are not in the books yet, counted up to 10000.'),
    problems: z.array(z.string()).describe('What is wrong with the sums.'),
    reconciliations: z.array(reconciliationOut).describe('The parts of the last run, the earliest period first.'),
  })
  .meta({ id: 'BooksOut' });

export const entriesOut = z.array(
  z
    .object({
      id: uuid,
      kind: z.string(),
      at: timestamp,
      lines: z.array(z.object({ account, amount: moneySchema.describe('A debit is positive, a credit negative.') })),
    })
    .meta({ id: 'BookEntryOut' }),
);

/** In the request: a period that has ended before the cut-off. */
export const cutOffMinutes = 15;
export const longestDays = 31;

export type ReconciliationOut = z.input<typeof reconciliationOut>;
