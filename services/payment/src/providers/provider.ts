/** Amounts at a provider are whole minor units: cents of USD, yen, fils of KWD. `currency` is ISO 4217, in capital letters. */
interface ProviderMoney {
  amount: bigint;
  currency: string;
}

/** What an order is charged by. At the provider it is an intent, which is made once and confirmed once. */
export interface IntentInput extends ProviderMoney {
  orderId: string;
}

/**
 * - `unconfirmed`: nobody has asked for the money yet, or the question never arrived.
 * - `processing`: the provider does not know yet.
 * - `action`: the customer must do something first, such as 3-D Secure, at `actionUrl`.
 * - `captured`: the money is taken. It stays captured when parts of it are refunded or disputed.
 * - `declined`: the money was not taken. Until the intent is cancelled it could still be.
 * - `cancelled`: the money is not taken and never will be.
 */
export type IntentState = 'unconfirmed' | 'processing' | 'action' | 'captured' | 'declined' | 'cancelled';

export interface Intent extends IntentInput {
  id: string;
  state: IntentState;
  actionUrl?: string | undefined;
  /** Why it was declined, for the customer: a fixed sentence, which begins with a lower-case letter and has no personal data. */
  reason?: string | undefined;
  refunds: ProviderRefund[];
  disputes: ProviderDispute[];
}

export interface ProviderRefund {
  id: string;
  /** The step by which the store asked for it; undefined if it was made at the provider. */
  stepId: string | undefined;
  amount: bigint;
  /** `pending` becomes `succeeded` or `failed`; what has succeeded may still fail later, when the customer's bank returns it. */
  state: 'pending' | 'succeeded' | 'failed';
}

export interface ProviderDispute {
  id: string;
  amount: bigint;
  /** `open` and `lost`: the provider has taken the money back; `won`: the store has it again. */
  state: 'open' | 'won' | 'lost';
}

/** Something has happened at the provider. What it was is read from the intent. */
export interface ProviderChange {
  intentId: string;
  /** Whether it concerns the payment itself, or money that was captured: a refund or a dispute. */
  of: 'payment' | 'captured';
}

/** A movement of money in the provider's books. */
export interface ProviderTransaction extends ProviderMoney {
  id: string;
  /** `amount` of a charge and of a dispute that was won is positive, that of a refund and of a dispute is negative. */
  kind: 'charge' | 'refund' | 'dispute';
  intentId: string;
  /** Of a refund that the store asked for. */
  stepId?: string | undefined;
  at: Date;
}

export interface Confirmation extends IntentInput {
  intentId: string;
  /** The same for every repetition of the call, and a UUID. A provider that needs one for each kind of call derives them. */
  key: string;
  /** What the customer pays with, as the provider's own page or library has named it. */
  token: string | undefined;
  /** Where the customer goes after an action. */
  returnUrl: string;
}

/** The ids of intents follow from their orders, so nothing is created and stored before an intent is confirmed. */
interface KnowsIntents {
  intentIdOf(orderId: string): string;
}

interface CreatesIntents {
  /** Moves nothing, and is safe to repeat: at worst an intent is left over that is never confirmed. @throws Declined */
  createIntent(input: IntentInput & { key: string; stepId: string }): Promise<Intent>;
  /** All intents of an order, for the case that the answer to their creation was lost. */
  findIntents(orderId: string): Promise<Intent[]>;
}

interface Charges {
  /** Stored with each payment, so that it is refunded where it was charged. */
  name: string;
  /** True if it charges nothing without a token. */
  needsToken: boolean;
  /** Asks for the money. An intent takes it at most once, however often it is confirmed. */
  confirm(confirmation: Confirmation): Promise<Intent>;
  /** Has an intent never take money. An intent that is captured stays so: see the answer. */
  cancel(intentId: string): Promise<Intent>;
  read(intentId: string): Promise<Intent>;
  refund(refund: ProviderMoney & { key: string; stepId: string; intentId: string }): Promise<ProviderRefund>;
  /** @param cursor from the last answer; undefined: begins with what happens from now on */
  changesSince(cursor: string | undefined): Promise<{ changes: ProviderChange[]; cursor: string }>;
  /**
   * A page of what moved money in [from, to), in any order. A provider that moves none has no list.
   * @param after `next` of the page before
   */
  transactions?: (asked: { from: Date; to: Date; after?: string | undefined }) => Promise<{
    transactions: ProviderTransaction[];
    next?: string | undefined;
  }>;
  callback?: {
    /** The header with the signature, in lower case. */
    header: string;
    /** Checks the signature of a callback. @returns what it is about, if that is an intent @throws DomainError invalid */
    changeOf(rawBody: Buffer, signature: string): ProviderChange | undefined;
  };
}

/**
 * Takes and refunds money (contract 4.17, decision 40). Each provider is a file in this folder and a line in providers.ts.
 *
 * A call that throws may have had its effect: whether it has is read before it is repeated. Only {@link Declined} and
 * {@link KeyIsSpent} say more.
 */
export type PaymentProvider = Charges & (KnowsIntents | CreatesIntents);

/** The provider will never take this money, and nothing was created. */
export class Declined extends Error {
  override name = 'Declined';
}

/**
 * The provider answers a key with what it stored for it, a failure or for another body. The call that used the key is over, so reading
 * shows whether it had an effect; if not, it needs another key.
 */
export class KeyIsSpent extends Error {
  override name = 'KeyIsSpent';
}
