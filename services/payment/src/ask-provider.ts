import { found, unreachable } from '@store/shared/values/errors';
import { Decimal, toMinorUnits } from '@store/shared/values/money';
import type { OrderClient } from './order-client.ts';
import type { KnownPayment, PaymentRepository } from './payment-repository.ts';
import {
  Declined,
  type Intent,
  type IntentInput,
  KeyIsSpent,
  type PaymentProvider,
  type ProviderRefund,
} from './providers/provider.ts';
import { outsideRefundId } from './refund.ts';
import { keyOf, type Lane, type Step } from './step-repository.ts';

/** What became of a charge. An intent is missing if there is none at the provider. */
export type ChargeResult = { intent?: Intent | undefined } & (
  | { state: 'captured'; provider: string }
  /** The order will never be charged: it was declined, and its intent, if there is one, is cancelled. */
  | { state: 'declined'; reason: string }
  /** It will never be charged: the intent, if there is one, is cancelled. */
  | { state: 'cancelled' }
  /** The customer must do something first. */
  | { state: 'action'; actionUrl: string }
  | { state: 'processing' }
);

/** A failed refund has the intent as it is then: others may have returned the money. */
export interface RefundResult {
  /** An operator may not know its id. */
  refund: Omit<ProviderRefund, 'id'> & Partial<Pick<ProviderRefund, 'id'>>;
  intent?: Intent;
}

/**
 * `needsKey`: nothing has happened, and nothing may be asked with the present key any more: the provider answers it with a failure
 * that it has stored, or has forgotten it.
 */
export type Result = { charge: ChargeResult } | { refunded: RefundResult } | { told: true } | { needsKey: true };

interface Dependencies {
  /** Asked about new charges. */
  provider: PaymentProvider;
  /** @throws Error if the provider of an earlier charge is not configured any more */
  providerNamed(name: string): PaymentProvider;
  payments: Pick<PaymentRepository, 'findKnown' | 'keepIntent'>;
  orders: Pick<OrderClient, 'paymentToken' | 'tellAction'>;
  /** Where the customer of an order goes after an action. */
  returnUrlOf(orderId: string): string;
}

/** Providers keep keys for 24 h at least. */
const keyLifeSeconds = 23 * 3600;

const needsKey = { needsKey: true } as const;

/**
 * Makes the function that carries out a step (decision 40). A step that was carried out before begins with reading what became of it:
 * nothing is asked twice because an answer was lost.
 * @throws whatever leaves the outcome unknown
 */
export function createAsk({ provider: configured, providerNamed, payments, orders, returnUrlOf }: Dependencies) {
  /** An unnamed provider is the built-in one, or nobody has been asked yet. */
  const providerOf = ({ provider, status }: KnownPayment): PaymentProvider =>
    provider === null && (status === 'CHARGING' || status === 'FAILED' || status === 'CANCELLED')
      ? configured
      : providerNamed(provider ?? 'built-in');

  async function charge(step: Step): Promise<Result> {
    const order = orderOf(step);
    if (order.amount === 0n) return { charge: { state: 'captured', provider: 'built-in' } };
    const isNew = step.lane === 'charge' && step.attempts === 1;
    // Costs nothing more than the call.
    if (isNew && 'intentIdOf' in configured) return confirm(configured, configured.intentIdOf(order.orderId), step);
    const known = found(await payments.findKnown(order.orderId), `payment of order ${order.orderId}`);
    const provider = providerOf(known);
    const [intent, ...others] = await intentsOf(provider, known, step, isNew);
    const isOver = known.status !== 'CHARGING' || known.cancelReason !== null;
    if (isOver) {
      for (const other of others) if (other.state !== 'captured') await provider.cancel(other.id);
      return { charge: intent === undefined ? { state: 'cancelled' } : await endOf(provider, intent, order) };
    }
    if (intent !== undefined && intent.state !== 'unconfirmed') {
      return { charge: await resultOf(provider, intent, order) };
    }
    if (step.keyAgeSeconds > keyLifeSeconds) return needsKey;
    return send(provider, intent, step);
  }

  /** The intents of a charge that may have been sent before, the one that counts first. */
  async function intentsOf(provider: PaymentProvider, known: KnownPayment, step: Step, isNew: boolean) {
    const order = orderOf(step);
    if (known.intentId !== null) return [checked(await provider.read(known.intentId), order, known.intentId)];
    if ('intentIdOf' in provider) return [await provider.read(provider.intentIdOf(order.orderId))];
    if (isNew) return [];
    const all = (await provider.findIntents(order.orderId)).map((intent) => checked(intent, order));
    // None of them was confirmed by the store, which confirms only an intent that it has stored.
    return all.toSorted((a, b) => Number(b.state === 'captured') - Number(a.state === 'captured'));
  }

  /** Asks for the money. The intent is stored before, so that whatever happens it can be read. */
  async function send(provider: PaymentProvider, known: Intent | undefined, step: Step): Promise<Result> {
    const order = orderOf(step);
    const token = await tokenOf(provider, step);
    if (provider.needsToken && token === undefined) {
      const reason = 'the order does not say what it is paid with';
      if (known !== undefined) await provider.cancel(known.id);
      return { charge: { state: 'declined', reason } };
    }
    if ('intentIdOf' in provider) return confirm(provider, provider.intentIdOf(order.orderId), step, token);
    const input = { ...order, key: keyOf(step), stepId: step.id };
    try {
      const intent = known ?? checked(await provider.createIntent(input), order);
      const isKept = await payments.keepIntent(order.orderId, { provider: provider.name, intentId: intent.id });
      if (isKept) return await confirm(provider, intent.id, step, token);
      const { cancelReason, intentId } = found(await payments.findKnown(order.orderId), 'payment');
      // Its order was cancelled meanwhile, or another worker has another intent.
      if (intent.id !== intentId) await provider.cancel(intent.id);
      if (cancelReason !== null && intentId === null) return { charge: { state: 'cancelled' } };
      throw new Error('Another worker has stored an intent, and may have confirmed it');
    } catch (error) {
      if (error instanceof KeyIsSpent) return needsKey;
      if (error instanceof Declined) return { charge: { state: 'declined', reason: error.message } };
      throw error;
    }
  }

  async function confirm(provider: PaymentProvider, intentId: string, step: Step, given?: string): Promise<Result> {
    const order = orderOf(step);
    const token = given ?? (await tokenOf(provider, step));
    const returnUrl = returnUrlOf(order.orderId);
    try {
      const intent = await provider.confirm({ ...order, intentId, key: keyOf(step), token, returnUrl });
      return { charge: await resultOf(provider, checked(intent, order, intentId), order) };
    } catch (error) {
      if (error instanceof KeyIsSpent) return needsKey;
      throw error;
    }
  }

  const tokenOf = async ({ needsToken }: PaymentProvider, { orderId, hasToken }: Step) =>
    needsToken || hasToken ? orders.paymentToken(orderId) : undefined;

  /** What an intent means. One that was declined could be confirmed again, so it is cancelled. */
  async function resultOf(provider: PaymentProvider, intent: Intent, order: IntentInput): Promise<ChargeResult> {
    const { state, actionUrl, reason = 'the payment was declined' } = intent;
    switch (state) {
      case 'captured':
        return { state, intent, provider: provider.name };
      case 'declined': {
        if ('intentIdOf' in provider) return { state, intent, reason };
        const ended = checked(await provider.cancel(intent.id), order, intent.id);
        if (ended.state === 'captured') return { state: 'captured', intent: ended, provider: provider.name };
        if (ended.state !== 'cancelled') throw new Error(`The intent is ${ended.state} after it was cancelled`);
        return { state, intent: ended, reason };
      }
      case 'cancelled':
        return { state, intent };
      case 'action':
        return actionUrl === undefined ? { state: 'processing', intent } : { state, intent, actionUrl };
      case 'processing':
        return { state, intent };
      case 'unconfirmed':
        throw new Error('The intent is not confirmed');
      default:
        return unreachable(state);
    }
  }

  /** Has an intent of an order that is over take no money, unless it has. */
  async function endOf(provider: PaymentProvider, intent: Intent, order: IntentInput): Promise<ChargeResult> {
    if (intent.state === 'captured' || intent.state === 'cancelled') return resultOf(provider, intent, order);
    const ended = checked(await provider.cancel(intent.id), order, intent.id);
    if (ended.state === 'captured' || ended.state === 'cancelled') return resultOf(provider, ended, order);
    throw new Error(`The intent is ${ended.state} after it was cancelled`);
  }

  /** Where a payment was charged, and as what. */
  async function chargedAt(orderId: string): Promise<{ provider: PaymentProvider; intentId: string }> {
    const known = found(await payments.findKnown(orderId), `payment of order ${orderId}`);
    const provider = providerOf(known);
    const intentId = known.intentId ?? ('intentIdOf' in provider ? provider.intentIdOf(orderId) : undefined);
    if (intentId === undefined) throw new Error('The payment has no intent');
    return { provider, intentId };
  }

  async function refund(step: Step): Promise<Result> {
    const { orderId, amount, currency } = orderOf(step);
    const { provider, intentId } = await chargedAt(orderId);
    if (step.attempts > 1) {
      const { refunds } = await provider.read(intentId);
      const made = refunds.find(({ stepId }) => stepId === step.id);
      if (made !== undefined) return { refunded: { refund: made } };
      if (step.keyAgeSeconds > keyLifeSeconds) return needsKey;
    }
    try {
      const made = await provider.refund({ key: keyOf(step), stepId: step.id, intentId, amount, currency });
      if (made.stepId !== step.id || made.amount !== amount) throw new Error('The answer is about another refund');
      if (made.state !== 'failed') return { refunded: { refund: made } };
      return { refunded: { refund: made, intent: await provider.read(intentId) } };
    } catch (error) {
      if (error instanceof KeyIsSpent) return needsKey;
      throw error;
    }
  }

  async function readOutside({ id, orderId }: Step): Promise<Result> {
    const { provider, intentId } = await chargedAt(orderId);
    const { refunds } = await provider.read(intentId);
    const made = refunds.find((refund) => refund.stepId === undefined && outsideRefundId(refund.id) === id);
    if (made === undefined) throw new Error('The provider does not know its refund any more');
    return { refunded: { refund: { ...made, stepId: id } } };
  }

  async function tell({ orderId }: Step): Promise<Result> {
    const known = await payments.findKnown(orderId);
    const url = known?.status === 'CHARGING' && known.cancelReason === null ? known.actionUrl : null;
    if (url !== null) await orders.tellAction(orderId, url);
    return { told: true };
  }

  return (step: Step): Promise<Result> => {
    const lane = step.lane as Lane; // checked by the database
    switch (lane) {
      case 'charge':
      case 'check':
        return charge(step);
      case 'refund':
        return refund(step);
      case 'outside':
        return readOutside(step);
      case 'tell':
        return tell(step);
      default:
        return unreachable(lane);
    }
  };
}

function orderOf({ orderId, amount, currency }: Step): IntentInput {
  return { orderId, amount: toMinorUnits({ amount: new Decimal(amount), currency }), currency };
}

/** @throws Error for an answer about something else: what became of the order's own intent is unknown then */
function checked(intent: Intent, { orderId, amount, currency }: IntentInput, id = intent.id): Intent {
  const isIt =
    intent.id === id && intent.orderId === orderId && intent.amount === amount && intent.currency === currency;
  if (!isIt) throw new Error('The answer is about another intent');
  return intent;
}
