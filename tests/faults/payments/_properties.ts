import type { Book } from '../../kit/payments/stripe-account.ts';
import type { Story } from './_stories.ts';

/** What the store says about an order in the end. Amounts are in minor units. */
export interface Recorded {
  status: string;
  /** The kinds of all events about it. */
  events: string[];
  /** Whether a step of it is listed as one that an operator has to settle. */
  isOpen: boolean;
  /** The states of its refunds. */
  refunds: string[];
  /** What counts against its payment. */
  reserved: number;
  disputed: number;
  /** What its entries have moved to the accounts `provider` and `unearned`, debits positive. */
  provider: number;
  unearned: number;
  /** What is owed to it until it is shipped. */
  owed: number;
}

/** An invoice or a credit note, in minor units. */
export interface Document {
  amount: number;
  taxes: { permille: number; gross: number; tax: number }[];
}

export interface Documents {
  invoice: Document;
  notes: Document[];
}

export interface Told {
  story: Story;
  /** Whether the order was cancelled, by its story or because it was never paid. */
  isCancelled: boolean;
  isShipped: boolean;
  recorded: Recorded | undefined;
  book: Book | undefined;
  /** Amounts that the store asked to have refunded although the charge held less. */
  excesses: number[];
}

const untouched: Book = { intents: [], charged: 0, returned: 0, disputed: 0, refunds: [], disputes: [] };
const sum = (amounts: { amount: number }[]) => amounts.reduce((total, { amount }) => total + amount, 0);

/**
 * Compares what the store says about an order with the provider's own books, once nothing is in flight.
 * @returns what does not hold, as sentences
 */
export function violationsOf({ story, isCancelled, isShipped, recorded, book = untouched, excesses }: Told): string[] {
  const { orderId, amount, outside, asked } = story;
  const kept = book.charged - book.returned - book.disputed;
  const isTouchedOutside = outside !== 'nothing';
  const found: string[] = [];
  const hold = (holds: boolean, sentence: string) => {
    if (!holds) found.push(sentence);
  };

  hold(book.charged === 0 || book.charged === amount, `the charges sum to ${book.charged} of ${amount}`);
  hold(kept >= 0, `${book.returned} are refunded and ${book.disputed} disputed of ${book.charged}`);
  const steps = book.refunds.flatMap(({ status, metadata }) => (status === 'failed' ? [] : (metadata.stepId ?? [])));
  hold(new Set(steps).size === steps.length, 'a refund was made twice');
  hold(isTouchedOutside || excesses.length === 0, `the store asked for refunds of ${excesses}, more than there was`);
  if (recorded === undefined) hold(false, 'it has no payment');
  else {
    const { status, events, isOpen, refunds, reserved, disputed, provider, unearned, owed } = recorded;
    const count = (kind: string) => events.filter((one) => one === kind).length;
    for (const kind of ['OrderPaid', 'PaymentFailed', 'PaymentRefunded']) {
      hold(count(kind) <= 1, `there are ${count(kind)} ${kind}`);
    }
    hold(count('OrderPaid') + count('PaymentFailed') <= 1, 'it has been paid, and has failed');
    hold(count('OrderPaid') === 0 || book.charged === amount, 'OrderPaid is announced, and nothing is charged');
    hold(reserved + disputed <= book.charged, `${reserved} and ${disputed} count against ${book.charged}`);
    hold(unearned === -owed, `the account unearned has ${-unearned}, and ${owed} are owed`);
    // A step is open: an operator has to find out what is true.
    if (!isOpen) {
      const lost = sum(book.disputes.filter((dispute) => dispute.status === 'lost'));
      const toEarn = isShipped ? 0 : book.charged - book.returned - lost;
      hold(status !== 'CHARGING', 'its payment is CHARGING');
      hold(!refunds.includes('PENDING'), 'a refund is PENDING');
      hold(count('PaymentFailed') === 0 || kept === 0, `PaymentFailed is announced, and the provider keeps ${kept}`);
      hold(book.charged === 0 || count('OrderPaid') === 1, 'it is charged, and no OrderPaid is announced');
      // The provider refunds nothing while a dispute is open, or after it was lost.
      hold(!isCancelled || kept === 0 || book.disputed > 0, `it is cancelled, and the provider keeps ${kept}`);
      hold(
        !isCancelled || book.charged === 0 || book.disputed > 0 || count('PaymentRefunded') === 1,
        'it is cancelled and its money is returned, and no PaymentRefunded is announced',
      );
      hold(
        isCancelled || isTouchedOutside || asked !== 'nothing' || book.returned === 0,
        `nobody cancelled it, and ${book.returned} are refunded`,
      );
      hold(reserved === book.returned, `${reserved} are reserved for refunds, and ${book.returned} are refunded`);
      hold(disputed === book.disputed, `${disputed} are disputed in the store, and ${book.disputed} at the provider`);
      hold(provider === kept, `the provider has ${provider} in the books, and keeps ${kept}`);
      hold(owed === toEarn, `${owed} are owed to the order, and should be ${toEarn}`);
    }
  }
  if (found.length === 0) return [];
  const all = JSON.stringify({ recorded, isCancelled, isShipped, excesses, book, story });
  return found.map((sentence) => `Order ${orderId}: ${sentence}. ${all}`);
}

/**
 * Compares what invoice has written about an order with the provider's own books, once invoice has handled all events.
 * @returns what does not hold, as sentences
 */
export function documentViolationsOf(
  { story, isCancelled, recorded, book = untouched }: Told,
  documents: Documents | undefined,
): string[] {
  const events = recorded?.events ?? [];
  const found: string[] = [];
  const hold = (holds: boolean, sentence: string) => {
    if (!holds) found.push(sentence);
  };

  hold(events.includes('OrderPaid') === (documents !== undefined), 'it has no invoice and was paid, or the reverse');
  if (documents !== undefined) {
    const { invoice, notes } = documents;
    const credited = sum(notes);
    hold(invoice.amount === story.amount, `its invoice is about ${invoice.amount} of ${story.amount}`);
    hold(credited <= invoice.amount, `its credit notes return ${credited} of ${invoice.amount}`);
    // What a cancellation refunds is announced once nothing is undecided any more.
    const isUndecided = recorded?.isOpen || (isCancelled && !events.includes('PaymentRefunded'));
    const rest = book.charged - book.returned;
    hold(
      isUndecided || credited + rest === invoice.amount,
      `its credit notes return ${credited} and the rest is ${rest}, but its invoice is about ${invoice.amount}`,
    );
    for (const { amount, taxes } of [invoice, ...notes]) {
      const gross = taxes.reduce((all, line) => all + line.gross, 0);
      hold(gross === (story.isTaxed ? amount : 0), `a document about ${amount} taxes ${gross}`);
    }
    for (const { permille, gross, tax } of invoice.taxes) {
      const lines = notes.flatMap(({ taxes }) => taxes.filter((line) => line.permille === permille));
      const [grossBack, taxBack] = [
        lines.reduce((all, one) => all + one.gross, 0),
        lines.reduce((all, one) => all + one.tax, 0),
      ];
      const isWhole = credited === invoice.amount;
      hold(
        isWhole ? grossBack === gross && taxBack === tax : grossBack <= gross && taxBack <= tax,
        `at ${permille} it has ${gross} with ${tax} of tax, and its credit notes have ${grossBack} with ${taxBack}`,
      );
    }
  }
  if (found.length === 0) return [];
  const all = JSON.stringify({ documents, recorded, isCancelled, book, story });
  return found.map((sentence) => `Order ${story.orderId}: ${sentence}. ${all}`);
}

/** Numbers are 1, 2, 3 and so on. @returns what does not hold, as sentences */
export function numberViolationsOf(numbers: number[]): string[] {
  const sorted = numbers.toSorted((a, b) => a - b);
  const wrong = sorted.findIndex((number, index) => number !== index + 1);
  return wrong === -1 ? [] : [`The numbers have a gap or a duplicate at ${sorted[wrong]}`];
}
