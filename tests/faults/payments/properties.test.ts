import type { Book } from '../../kit/payments/stripe-account.ts';
import { type Recorded, violationsOf } from './_properties.ts';
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
  outsideFirst: false,
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
const paid: Recorded = { status: 'PAID', events: ['OrderPaid'], isOpen: false };
const refunded: Recorded = { status: 'REFUNDED', events: ['OrderPaid', 'PaymentRefunded'], isOpen: false };
const failed: Recorded = { status: 'FAILED', events: ['PaymentFailed'], isOpen: false };
const voided: Recorded = { status: 'CANCELLED', events: [], isOpen: false };
const charging: Recorded = { status: 'CHARGING', events: [], isOpen: false };

type Case = [
  what: string,
  recorded: Recorded,
  book: Book | undefined,
  isCancelled?: boolean,
  outside?: Story['outside'],
];
const found = ([, recorded, book, isCancelled = false, outside = 'nothing']: Case) =>
  violationsOf({ story: { ...story, outside }, isCancelled, recorded, book, excesses: [] });

it.each<Case>([
  ['is paid', paid, bookOf(1_000)],
  ['is declined', failed, bookOf(0)],
  ['is cancelled before anything was asked', voided, undefined, true],
  ['is cancelled and refunded', refunded, bookOf(1_000, 1_000), true],
  ['is disputed before it is cancelled', paid, bookOf(1_000, 0, 1_000), true, 'disputed'],
  ['is refunded outside', paid, bookOf(1_000, 1_000), false, 'all refunded'],
  ['has an open step', { ...charging, isOpen: true }, bookOf(1_000), true],
])('nothing is found about an order that %s', (...one) => {
  expect(found(one)).toEqual([]);
});

it.each<Case>([
  ['is charged twice', paid, bookOf(2_000)],
  ['is charged a part', paid, bookOf(999)],
  ['is announced as paid, and was not charged', paid, bookOf(0)],
  ['is paid, whatever is open', { ...paid, isOpen: true }, bookOf(0)],
  ['has failed, and was charged', failed, bookOf(1_000)],
  ['is charged, and nobody knows', voided, bookOf(1_000, 1_000), true],
  ['is cancelled, and its money is kept', paid, bookOf(1_000), true],
  ['is refunded in part', refunded, bookOf(1_000, 400), true],
  ['is refunded twice', refunded, bookOf(1_000, 2_000), true],
  ['is refunded and disputed', refunded, bookOf(1_000, 1_000, 1_000), true, 'disputed'],
  ['is refunded without reason', paid, bookOf(1_000, 1_000)],
  ['is charging for ever', charging, bookOf(0)],
  ['is announced twice', { ...paid, events: ['OrderPaid', 'OrderPaid'] }, bookOf(1_000)],
  ['has failed after it was paid', { ...failed, events: ['OrderPaid', 'PaymentFailed'] }, bookOf(1_000)],
  ['is returned silently', { ...paid, status: 'REFUNDED' }, bookOf(1_000, 1_000), true],
])('something is found about an order that %s', (...one) => {
  expect(found(one)).not.toEqual([]);
});

it('an excess is found, unless somebody else has refunded', () => {
  const told = { story, isCancelled: false, recorded: paid, book: bookOf(1_000), excesses: [1] };
  expect(violationsOf(told)).toHaveLength(1);
  expect(violationsOf({ ...told, story: { ...story, outside: 'disputed' } })).toEqual([]);
});
