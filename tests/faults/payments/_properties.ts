import type { Book } from '../../kit/payments/stripe-account.ts';
import type { Story } from './_stories.ts';

/** What the store says about an order in the end. */
export interface Recorded {
  status: string | undefined;
  /** The kinds of all events about it. */
  events: string[];
  /** Whether a step of it is listed as one that an operator has to settle. */
  isOpen: boolean;
}

interface Told {
  story: Story;
  /** Whether the order was cancelled, by its story or because it was never paid. */
  isCancelled: boolean;
  recorded: Recorded;
  book: Book | undefined;
  /** Amounts that the store asked to have refunded although the charge held less. */
  excesses: number[];
}

const untouched: Book = { intents: [], charged: 0, returned: 0, disputed: 0, refunds: [], disputes: [] };

/**
 * Compares what the store says about an order with the provider's own books, once nothing is in flight.
 * @returns what does not hold, as sentences
 */
export function violationsOf({ story, isCancelled, recorded, book = untouched, excesses }: Told): string[] {
  const { orderId, amount, outside } = story;
  const { status, events, isOpen } = recorded;
  const kept = book.charged - book.returned - book.disputed;
  const count = (kind: string) => events.filter((one) => one === kind).length;
  const found: string[] = [];
  const hold = (holds: boolean, sentence: string) => {
    if (!holds) found.push(sentence);
  };

  hold(book.charged === 0 || book.charged === amount, `the charges sum to ${book.charged} of ${amount}`);
  hold(kept >= 0, `${book.returned} are refunded and ${book.disputed} disputed of ${book.charged}`);
  for (const kind of ['OrderPaid', 'PaymentFailed', 'PaymentRefunded']) {
    hold(count(kind) <= 1, `there are ${count(kind)} ${kind}`);
  }
  hold(count('OrderPaid') + count('PaymentFailed') <= 1, 'it has been paid, and has failed');
  hold(count('OrderPaid') === 0 || book.charged === amount, 'OrderPaid is announced, and nothing is charged');
  // A step is open: an operator has to find out what is true.
  if (!isOpen) {
    hold(status !== undefined && status !== 'CHARGING', `its payment is ${status}`);
    hold(count('PaymentFailed') === 0 || kept === 0, `PaymentFailed is announced, and the provider keeps ${kept}`);
    hold(book.charged === 0 || count('OrderPaid') === 1, 'it is charged, and no OrderPaid is announced');
    hold(!isCancelled || kept === 0, `it is cancelled, and the provider keeps ${kept}`);
    hold(
      !isCancelled || book.charged === 0 || book.disputed > 0 || count('PaymentRefunded') === 1,
      'it is cancelled and its money is returned, and no PaymentRefunded is announced',
    );
    const isTouchedOutside = outside !== 'nothing';
    hold(
      isCancelled || isTouchedOutside || book.returned === 0,
      `nobody cancelled it, and ${book.returned} are refunded`,
    );
  }
  hold(
    outside !== 'nothing' || excesses.length === 0,
    `the store asked for refunds of ${excesses}, more than there was`,
  );
  if (found.length === 0) return [];
  const all = JSON.stringify({ ...recorded, isCancelled, book, story });
  return found.map((sentence) => `Order ${orderId}: ${sentence}. ${all}`);
}
