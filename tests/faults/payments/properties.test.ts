import type { Book } from '../../kit/payments/stripe-account.ts';
import {
  type Documents,
  documentViolationsOf,
  numberViolationsOf,
  type Recorded,
  violationsOf,
} from './_properties.ts';
import type { Story } from './_stories.ts';

const story: Story = {
  orderId: 'an order',
  customerId: 'a customer',
  amount: 1_000,
  currency: 'USD',
  token: 'good',
  ends: 'well',
  afterMs: 0,
  cancelled: 'never',
  refunds: 'at once',
  outside: 'nothing',
  isTaxed: false,
  asked: 'nothing',
  isShipped: false,
  order: [],
  isAtOnce: false,
  faults: {},
  callbacks: 'late',
};
const intents: Book['intents'] = [];
const bookOf = (charged: number, returned = 0, disputed = 0): Book => ({
  intents,
  charged,
  returned,
  disputed,
  refunds: [],
  disputes: [],
});
const nothing = { isOpen: false, refunds: [], reserved: 0, disputed: 0, provider: 0, unearned: 0, owed: 0 };
const paid: Recorded = {
  ...nothing,
  ...{ status: 'PAID', events: ['OrderPaid'], provider: 1_000, unearned: -1_000, owed: 1_000 },
};
const refunded: Recorded = {
  ...nothing,
  ...{ status: 'REFUNDED', events: ['OrderPaid', 'PaymentRefunded'], refunds: ['SUCCEEDED'], reserved: 1_000 },
};
const disputed: Recorded = { ...paid, provider: 0, disputed: 1_000 };
const failed: Recorded = { ...nothing, status: 'FAILED', events: ['PaymentFailed'] };
const voided: Recorded = { ...nothing, status: 'CANCELLED', events: [] };
const charging: Recorded = { ...nothing, status: 'CHARGING', events: [] };
const shipped: Recorded = { ...paid, unearned: 0, owed: 0 };

type Case = [
  what: string,
  recorded: Recorded | undefined,
  book: Book | undefined,
  more?: { isCancelled?: boolean; isShipped?: boolean; outside?: Story['outside'] },
];
const found = ([, recorded, book, more = {}]: Case) => {
  const { isCancelled = false, isShipped = false, outside = 'nothing' } = more;
  return violationsOf({ story: { ...story, outside }, isCancelled, isShipped, recorded, book, excesses: [] });
};
const cancelled = { isCancelled: true };

it.each<Case>([
  ['is paid', paid, bookOf(1_000)],
  ['is shipped', shipped, bookOf(1_000), { isShipped: true }],
  ['is declined', failed, bookOf(0)],
  ['is cancelled before anything was asked', voided, undefined, cancelled],
  ['is cancelled and refunded', refunded, bookOf(1_000, 1_000), cancelled],
  ['is disputed before it is cancelled', disputed, bookOf(1_000, 0, 1_000), { ...cancelled, outside: 'disputed' }],
  ['has an open step', { ...charging, isOpen: true }, bookOf(1_000), cancelled],
])('nothing is found about an order that %s', (...one) => {
  expect(found(one)).toEqual([]);
});

it.each<[...Case, sentence: string]>([
  ['is charged twice', paid, bookOf(2_000), {}, 'the charges sum to 2000 of 1000'],
  ['is charged a part', paid, bookOf(999), {}, 'the charges sum to 999 of 1000'],
  ['is announced as paid, and was not charged', paid, bookOf(0), {}, 'OrderPaid is announced, and nothing is charged'],
  ['is paid, whatever is open', { ...paid, isOpen: true }, bookOf(0), {}, 'OrderPaid is announced, and nothing'],
  ['has failed, and was charged', failed, bookOf(1_000), {}, 'PaymentFailed is announced, and the provider keeps'],
  ['is charged, and nobody knows', voided, bookOf(1_000, 1_000), cancelled, 'it is charged, and no OrderPaid'],
  ['is cancelled, and its money is kept', paid, bookOf(1_000), cancelled, 'it is cancelled, and the provider keeps'],
  ['is refunded in part', refunded, bookOf(1_000, 400), cancelled, 'it is cancelled, and the provider keeps 600'],
  ['is refunded twice', refunded, bookOf(1_000, 2_000), cancelled, '2000 are refunded and 0 disputed of 1000'],
  [
    'is refunded and disputed',
    refunded,
    bookOf(1_000, 1_000, 1_000),
    { ...cancelled, outside: 'disputed' },
    '1000 are refunded and 1000 disputed of 1000',
  ],
  ['is refunded without reason', paid, bookOf(1_000, 1_000), {}, 'nobody cancelled it, and 1000 are refunded'],
  ['is charging for ever', charging, bookOf(0), {}, 'its payment is CHARGING'],
  ['is announced twice', { ...paid, events: ['OrderPaid', 'OrderPaid'] }, bookOf(1_000), {}, 'there are 2 OrderPaid'],
  [
    'has failed after it was paid',
    { ...failed, events: ['OrderPaid', 'PaymentFailed'] },
    bookOf(1_000),
    {},
    'it has been paid, and has failed',
  ],
  [
    'is returned silently',
    { ...refunded, events: ['OrderPaid'] },
    bookOf(1_000, 1_000),
    cancelled,
    'no PaymentRefunded is announced',
  ],
  ['has no payment', undefined, undefined, {}, 'it has no payment'],
  ['waits for a refund', { ...paid, refunds: ['PENDING'] }, bookOf(1_000), {}, 'a refund is PENDING'],
  ['counts too much', { ...paid, reserved: 600, disputed: 600 }, bookOf(1_000), {}, '600 and 600 count against 1000'],
  ['counts too little', { ...refunded, reserved: 0 }, bookOf(1_000, 1_000), cancelled, '0 are reserved for refunds'],
  ['has a dispute that nobody noticed', paid, bookOf(1_000, 0, 1_000), {}, '0 are disputed in the store, and 1000'],
  ['is not in the books', { ...paid, provider: 0 }, bookOf(1_000), {}, 'the provider has 0 in the books, and keeps'],
  ['is owed too little', { ...paid, owed: 400 }, bookOf(1_000), {}, 'the account unearned has 1000, and 400 are owed'],
  ['is shipped, and owed', paid, bookOf(1_000), { isShipped: true }, '1000 are owed to the order, and should be 0'],
])('it is found that an order %s', (...one) => {
  const [what, recorded, book, more, sentence] = one;
  expect(found([what, recorded, book, more])).toContainEqual(expect.stringContaining(sentence));
});

it('a refund that was made twice is found, and an excess, unless somebody else has refunded', () => {
  const told = { story, isCancelled: false, isShipped: false, recorded: paid, book: bookOf(1_000), excesses: [1] };
  expect(violationsOf(told)).toEqual([expect.stringContaining('more than there was')]);
  const disputed = { ...told, story: { ...story, outside: 'disputed' as const } };
  expect(violationsOf(disputed)).toEqual([]);
  const refund = { id: 're_1', metadata: { stepId: 'a step' }, amount: 1, status: 'succeeded' as const };
  const twice = { ...bookOf(1_000), refunds: [refund, { ...refund, id: 're_2' }] };
  expect(violationsOf({ ...disputed, book: twice })).toEqual([expect.stringContaining('a refund was made twice')]);
});

const taxedAs = (gross: number, tax: number) => [{ permille: 230, gross, tax }];
const invoice = { amount: 1_000, taxes: [] };
const note = (amount: number) => ({ amount, taxes: [] });
const taxed = { invoice: { amount: 1_000, taxes: taxedAs(1_000, 187) } };

it.each<[what: string, documents: Documents | undefined, recorded: Recorded, book: Book, sentence?: string]>([
  ['is right without a credit note', { invoice, notes: [] }, paid, bookOf(1_000)],
  ['is right with two', { invoice, notes: [note(300), note(100)] }, paid, bookOf(1_000, 400)],
  ['is right about an order that failed', undefined, failed, bookOf(0)],
  ['waits for a step that is OPEN', { invoice, notes: [] }, { ...paid, isOpen: true }, bookOf(1_000, 400)],
  ['lacks an invoice', undefined, paid, bookOf(1_000), 'it has no invoice and was paid'],
  [
    'has an invoice too much',
    { invoice, notes: [] },
    failed,
    bookOf(0),
    'it has no invoice and was paid, or the reverse',
  ],
  ['has another amount', { invoice: note(999), notes: [] }, paid, bookOf(1_000), 'its invoice is about 999 of 1000'],
  ['lacks a credit note', { invoice, notes: [] }, paid, bookOf(1_000, 400), 'return 0 and the rest is 600'],
  [
    'has one twice',
    { invoice, notes: [note(400), note(400)] },
    paid,
    bookOf(1_000, 400),
    'return 800 and the rest is 600',
  ],
  ['returns too much', { invoice, notes: [note(1_001)] }, paid, bookOf(1_000), 'its credit notes return 1001 of 1000'],
  ['taxes what is not taxed', { ...taxed, notes: [] }, paid, bookOf(1_000), 'a document about 1000 taxes 1000'],
])('of the documents of an order it is found that it %s', (_, documents, recorded, book, sentence) => {
  const told = { story, isCancelled: false, isShipped: false, recorded, book, excesses: [] };
  const found = documentViolationsOf(told, documents);
  expect(found).toEqual(sentence === undefined ? [] : expect.arrayContaining([expect.stringContaining(sentence)]));
});

it.each([
  ['nothing', 186, 1, []],
  ['tax that is not returned in the end', 186, 0, [expect.stringContaining('its credit notes have 1000 with 186')]],
  ['tax that is returned twice', 187, 1, [expect.stringContaining('its credit notes have 1000 with 188')]],
])('of credit notes of a taxed order it is found: %s', (_, first, second, sentences) => {
  const notes = [
    { amount: 995, taxes: taxedAs(995, first) },
    { amount: 5, taxes: taxedAs(5, second) },
  ];
  const about = { story: { ...story, isTaxed: true }, isCancelled: false, isShipped: false, excesses: [] };
  const book = bookOf(1_000, 1_000);
  expect(documentViolationsOf({ ...about, recorded: refunded, book }, { ...taxed, notes })).toEqual(sentences);
});

it('a gap and a duplicate of numbers are found', () => {
  expect(numberViolationsOf([2, 1, 3])).toEqual([]);
  expect(numberViolationsOf([1, 3])).toEqual([expect.stringContaining('at 3')]);
  expect(numberViolationsOf([1, 2, 2])).toEqual([expect.stringContaining('at 2')]);
});
