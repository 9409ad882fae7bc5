import fc from 'fast-check';
import type { Delivery } from '../../kit/payments/stripe-callbacks.ts';
import { type Fault, faultsOf, type ProviderCall } from '../../kit/payments/stripe-faults.ts';

const operations: ProviderCall['operation'][] = ['create', 'confirm', 'cancel', 'read', 'search', 'refund'];

/** What happens to an order once it is paid. */
const acts = ['refund', 'cancel', 'ship', 'outside'] as const;
export type Act = (typeof acts)[number];

/** What happens to the payment of one order. */
export interface Story {
  orderId: string;
  customerId: string;
  /** In minor units. */
  amount: number;
  currency: 'USD' | 'JPY' | 'KWD';
  isTaxed: boolean;
  /** What the customer pays with, and how it ends for those who decide later: the customer of an action, or the bank. */
  token: 'good' | 'declined' | 'action' | 'undecided';
  ends: 'well' | 'badly' | 'never';
  afterMs: number;
  cancelled: 'never' | 'at once' | 'soon' | 'when paid';
  /** How refunds end: the customer's bank may decide later, and return the first. */
  refunds: 'at once' | 'later' | 'failing once';
  /** What an operator refunds. */
  asked: 'nothing' | 'a third' | 'two thirds, twice' | 'all';
  /** Only what is never cancelled is shipped. */
  isShipped: boolean;
  /** What is done at the provider, past the store, once the money is taken. */
  outside: 'nothing' | 'part refunded' | 'all refunded' | 'disputed' | 'disputed and won' | 'disputed and lost';
  order: Act[];
  /** Whether all that happens to the paid order happens at once. */
  isAtOnce: boolean;
  /** What the order's first requests of each kind meet, in turn. */
  faults: Partial<Record<ProviderCall['operation'], (Fault | undefined)[]>>;
  callbacks: Delivery['sent'];
}

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 2 * others.length, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  );

const faults = fc.record(
  Object.fromEntries(
    operations.map((operation) => [
      operation,
      fc.array(fc.oneof(fc.constant(undefined), fc.constantFrom(...faultsOf(operation))), { maxLength: 3 }),
    ]),
  ),
  { requiredKeys: [] },
) as fc.Arbitrary<Story['faults']>;

/** Some amounts are below the provider's minimum. */
const amounts = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 49 }) },
  { weight: 20, arbitrary: fc.integer({ min: 50, max: 9_999_999 }) },
);

const anything: fc.Arbitrary<Story> = fc.record({
  orderId: fc.uuid({ version: 4 }),
  customerId: fc.uuid({ version: 4 }),
  amount: amounts,
  currency: fc.constantFrom('USD', 'JPY', 'KWD'),
  isTaxed: fc.boolean(),
  token: often('good', 'declined', 'action', 'undecided'),
  ends: fc.constantFrom('well', 'badly', 'never'),
  afterMs: fc.integer({ min: 0, max: 3_000 }),
  cancelled: fc.constantFrom('never', 'at once', 'soon', 'when paid'),
  refunds: often('at once', 'later', 'failing once'),
  asked: often('nothing', 'a third', 'two thirds, twice', 'all'),
  isShipped: fc.boolean(),
  outside: often('nothing', 'part refunded', 'all refunded', 'disputed', 'disputed and won', 'disputed and lost'),
  order: fc.shuffledSubarray([...acts], { minLength: acts.length }),
  isAtOnce: fc.boolean(),
  faults,
  callbacks: fc.constantFrom('early', 'late', 'twice', 'never'),
});

/** The provider takes only tens of fils, which most totals are. */
const story = fc.tuple(anything, fc.integer({ min: 0, max: 9 })).map(([one, digit]) => ({
  ...one,
  amount: one.currency === 'KWD' && digit > 0 ? one.amount * 10 : one.amount,
  isShipped: one.isShipped && one.cancelled === 'never',
}));

/** Stories of different orders. */
export const stories = (count: number) =>
  fc.uniqueArray(story, { minLength: count, maxLength: count, selector: ({ orderId }) => orderId });
