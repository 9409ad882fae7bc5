import { DomainError } from '@store/shared/values/errors';
import Stripe from 'stripe';
import {
  Declined,
  type Intent,
  type IntentState,
  KeyIsSpent,
  type PaymentProvider,
  type ProviderChange,
  type ProviderDispute,
  type ProviderRefund,
  type ProviderTransaction,
} from './provider.ts';

interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  /** https://api.stripe.com, or where a fake of it listens. */
  url: string;
}

/** A step makes up to three calls, and has 30 s (provider-calls.ts). */
const timeoutMs = 8_000;

/**
 * Stripe shows events for 30 days, the newest first. One may be shown later than one that is newer. What the overlap tells again costs
 * at most a read of its intent.
 */
const overlapSeconds = 300;

/** Events of intents themselves. Their cards and methods have others, which say nothing new. */
const paymentEvents = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.processing',
  'payment_intent.requires_action',
];
/** Events of refunds and disputes. */
const capturedEvents = [
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
];

/**
 * Charges by PaymentIntents (https://docs.stripe.com/api/payment_intents). Errors have Stripe's codes and the id of the request, and
 * nothing else: Stripe's own hold the intent with its secret.
 */
export function createStripeProvider({ secretKey, webhookSecret, url }: StripeSettings): PaymentProvider {
  const { protocol, hostname, port } = new URL(url);
  const stripe = new Stripe(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    timeout: timeoutMs,
    // Steps are repeated by their queue, after reading.
    maxNetworkRetries: 0,
    telemetry: false,
  });

  async function read(intentId: string): Promise<Intent> {
    const found = await call(() => stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] }));
    const intent = intentOf(found);
    if (intent.state !== 'captured') return intent;
    const of = { payment_intent: intentId, limit: 100 };
    const refunds = await call(() => stripe.refunds.list(of).autoPagingToArray({ limit: 1_000 }));
    const charge = found.latest_charge;
    const isDisputed = charge !== null && typeof charge !== 'string' && charge.disputed;
    const disputes = isDisputed ? await call(() => stripe.disputes.list(of).autoPagingToArray({ limit: 100 })) : [];
    if ([...refunds, ...disputes].some((one) => one.payment_intent !== intentId))
      throw new Error('The answer is about another intent');
    return { ...intent, refunds: refunds.map(refundOf), disputes: disputes.flatMap(disputeOf) };
  }

  return {
    name: 'stripe',
    needsToken: true,

    async createIntent({ orderId, amount, currency, key, stepId }) {
      try {
        const created = await call(() =>
          stripe.paymentIntents.create(
            {
              amount: toStripe(amount, currency),
              currency: currency.toLowerCase(),
              metadata: { orderId, stepId },
              automatic_payment_methods: { enabled: true, allow_redirects: 'always' },
            },
            { idempotencyKey: key },
          ),
        );
        return intentOf(created);
      } catch (error) {
        const reason = error instanceof StripeFailure ? refusalOf(error) : undefined;
        throw reason === undefined ? error : new Declined(reason);
      }
    },

    async findIntents(orderId) {
      const query = `metadata['orderId']:'${orderId}'`;
      const found = await call(() => stripe.paymentIntents.search({ query, limit: 100 }));
      return found.data.map(intentOf);
    },

    async confirm({ intentId, key, token = '', returnUrl }) {
      const paidWith = token.startsWith('ctoken_') ? { confirmation_token: token } : { payment_method: token };
      try {
        const confirmed = await call(() =>
          stripe.paymentIntents.confirm(
            intentId,
            { ...paidWith, return_url: returnUrl },
            { idempotencyKey: `${key}-confirm` },
          ),
        );
        return intentOf(confirmed);
      } catch (error) {
        if (!(error instanceof StripeFailure)) throw error;
        // Confirmed already, by a call whose answer was lost, or declined: the intent says which.
        if (error.code === 'payment_intent_unexpected_state' || error.type === 'card_error') {
          const intent = await read(intentId);
          // A card that is declined before it is attached leaves no trace.
          const isUntouched = error.type === 'card_error' && intent.state === 'unconfirmed';
          return isUntouched ? { ...intent, state: 'declined', reason: declineOf(error) } : intent;
        }
        const reason = refusalOf(error);
        if (reason === undefined) throw error;
        return { ...(await read(intentId)), state: 'declined', reason };
      }
    },

    async cancel(intentId) {
      try {
        return intentOf(await call(() => stripe.paymentIntents.cancel(intentId)));
      } catch (error) {
        if (error instanceof StripeFailure && error.code === 'payment_intent_unexpected_state') return read(intentId);
        throw error;
      }
    },

    read,

    async refund({ key, stepId, intentId, amount, currency }) {
      try {
        const made = await call(() =>
          stripe.refunds.create(
            { payment_intent: intentId, amount: toStripe(amount, currency), metadata: { stepId } },
            { idempotencyKey: key },
          ),
        );
        return refundOf(made);
      } catch (error) {
        const isRefused = error instanceof Declined || (error instanceof StripeFailure && isRefundRefused(error));
        if (isRefused) return { id: `refused-${stepId}`, stepId, amount, state: 'failed' };
        throw error;
      }
    },

    async changesSince(cursor) {
      // A store whose clock is an hour off begins early enough.
      const since = cursor === undefined ? Math.floor(Date.now() / 1000) - 7_200 : Number(cursor);
      const changes: ProviderChange[] = [];
      let latest = since;
      await call(async () => {
        const types = [...paymentEvents, ...capturedEvents];
        for await (const event of stripe.events.list({ types, created: { gte: since - overlapSeconds }, limit: 100 })) {
          const change = changeOf(event);
          if (change !== undefined) changes.push(change);
          latest = Math.max(latest, event.created);
        }
      });
      return { changes, cursor: String(latest) };
    },

    async transactions({ from, to, after }) {
      const page = await call(() =>
        stripe.balanceTransactions.list({
          created: { gte: Math.floor(from.getTime() / 1000), lt: Math.floor(to.getTime() / 1000) },
          limit: 100,
          expand: ['data.source'],
          ...(after !== undefined && { starting_after: after }),
        }),
      );
      const transactions = page.data.flatMap((entry) => transactionOf(entry) ?? []);
      return { transactions, next: page.has_more ? page.data.at(-1)?.id : undefined };
    },

    callback: {
      header: 'stripe-signature',
      changeOf(rawBody, signature) {
        try {
          return changeOf(stripe.webhooks.constructEvent(rawBody, signature, webhookSecret));
        } catch (error) {
          throw new DomainError('invalid', 'The signature does not fit the body.', { cause: nameOf(error) });
        }
      },
    },
  };
}

/** An error of Stripe, without what is secret in it. */
class StripeFailure extends Error {
  override name = 'StripeFailure';
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly declineCode: string | undefined;
  readonly param: string | undefined;
  readonly status: number | undefined;

  constructor({
    rawType,
    code,
    decline_code,
    param,
    statusCode,
    requestId,
    type,
  }: InstanceType<typeof Stripe.errors.StripeError>) {
    const words = [statusCode, rawType ?? type, code, param].filter((word) => word !== undefined);
    super(`Stripe answered ${words.join(', ')}; request ${requestId ?? 'unknown'}`);
    this.type = rawType;
    this.code = code;
    this.declineCode = decline_code;
    this.param = param;
    this.status = statusCode;
  }
}

/** @throws Declined, KeyIsSpent, StripeFailure */
async function call<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Declined) throw error;
    if (!(error instanceof Stripe.errors.StripeError))
      throw new Error(`Stripe's answer cannot be read: ${nameOf(error)}`);
    const failure = new StripeFailure(error);
    const { status = 0, type } = failure;
    // Stored with the key (https://docs.stripe.com/api/idempotent_requests), or the key was used for another body.
    const isStored = status >= 500 && error.headers?.['idempotent-replayed'] === 'true';
    if (isStored || type === 'idempotency_error') throw new KeyIsSpent(failure.message, { cause: failure });
    throw failure;
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** Why Stripe will never take an amount, or a means of payment; undefined if it may, such as with another secret key. */
function refusalOf({ status, code, param = '' }: StripeFailure): string | undefined {
  if (code === 'amount_too_small') return 'the total is below the smallest that the payment provider takes';
  if (code === 'amount_too_large') return 'the total is above the largest that the payment provider takes';
  if (status !== 400 && status !== 404) return undefined;
  if (param === 'currency') return 'the payment provider does not take this currency';
  if (/^(payment_method|confirmation_token)/.test(param)) return 'the means of payment is unknown or was used before';
  return undefined;
}

const refundRefusals = [
  'charge_already_refunded',
  'charge_disputed',
  'refund_disputed_payment',
  'charge_not_refundable',
];

/**
 * Whether Stripe says that it will not make a refund. That there is more than is left has no code, but names the amount. Of whatever else
 * it answers somebody has to find out what it means.
 */
const isRefundRefused = ({ status, code = '', param }: StripeFailure): boolean =>
  status === 400 && (refundRefusals.includes(code) || param === 'amount');

/** A code is no sentence, but the same for all customers (https://docs.stripe.com/declines/codes). */
function declineOf({ declineCode, code }: Pick<StripeFailure, 'declineCode' | 'code'>): string {
  const known = declineCode ?? code;
  return known !== undefined && /^[a-z_]{1,60}$/.test(known)
    ? `the payment was declined (${known.replaceAll('_', ' ')})`
    : 'the payment was declined';
}

const states: Record<string, IntentState> = {
  requires_payment_method: 'unconfirmed',
  requires_confirmation: 'unconfirmed',
  requires_action: 'action',
  processing: 'processing',
  requires_capture: 'processing',
  succeeded: 'captured',
  canceled: 'cancelled',
};

function intentOf(intent: Stripe.PaymentIntent): Intent {
  const { id, amount, metadata, status, last_payment_error: failure, next_action: next } = intent;
  const currency = intent.currency.toUpperCase();
  const known = states[status];
  if (known === undefined) throw new Error(`Stripe's intent ${id} has the unknown status ${status}`);
  const isDeclined = status === 'requires_payment_method' && failure !== null;
  const reason = failure === null ? undefined : declineOf({ declineCode: failure?.decline_code, code: failure?.code });
  return {
    id,
    orderId: metadata.orderId ?? '',
    amount: fromStripe(amount, currency),
    currency,
    state: isDeclined ? 'declined' : known,
    actionUrl: next?.redirect_to_url?.url ?? undefined,
    reason,
    refunds: [],
    disputes: [],
  };
}

function refundOf({ id, metadata, amount, currency, status }: Stripe.Refund): ProviderRefund {
  const state =
    status === 'succeeded' ? 'succeeded' : status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
  return { id, stepId: metadata?.stepId, amount: fromStripe(amount, currency.toUpperCase()), state };
}

/** Inquiries (`warning_…`) move no money. */
function disputeOf({ id, amount, currency, status }: Stripe.Dispute): ProviderDispute[] {
  if (status.startsWith('warning_') || status === 'prevented') return [];
  const state = status === 'won' ? 'won' : status === 'lost' ? 'lost' : 'open';
  return [{ id, amount: fromStripe(amount, currency.toUpperCase()), state }];
}

function changeOf({ type, data }: Pick<Stripe.Event, 'type' | 'data'>): ProviderChange | undefined {
  const object = data.object as unknown as { id?: string; payment_intent?: string | { id: string } | null };
  if (paymentEvents.includes(type)) return object.id === undefined ? undefined : { intentId: object.id, of: 'payment' };
  const intent = object.payment_intent;
  if (!capturedEvents.includes(type) || !intent) return undefined;
  return { intentId: typeof intent === 'string' ? intent : intent.id, of: 'captured' };
}

/** Amounts are those of the charge, refund or dispute: a balance may be in another currency. Fees and payouts are left out. */
function transactionOf({ id, created, net, source }: Stripe.BalanceTransaction): ProviderTransaction | undefined {
  if (source === null || typeof source === 'string') return undefined;
  const {
    object,
    amount,
    currency,
    payment_intent: intent,
  } = source as unknown as Stripe.Charge | Stripe.Refund | Stripe.Dispute;
  if ((object !== 'charge' && object !== 'refund' && object !== 'dispute') || !intent) return undefined;
  const units = fromStripe(amount, currency.toUpperCase());
  const stepId = object === 'refund' ? (source as unknown as Stripe.Refund).metadata?.stepId : undefined;
  return {
    id,
    kind: object,
    intentId: typeof intent === 'string' ? intent : intent.id,
    amount: net < 0 ? -units : units,
    currency: currency.toUpperCase(),
    ...(stepId !== undefined && { stepId }),
    at: new Date(created * 1000),
  };
}

/**
 * Powers of ten by which Stripe's amounts differ from minor units of ISO 4217 (https://docs.stripe.com/currencies): it has two decimals
 * for ISK and UGX, and none for MGA.
 */
const scales: Record<string, number> = { ISK: 2, UGX: 2, MGA: -2 };
/** Of these Stripe takes no more than two decimals. */
const threeDecimals = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND']);

/** @throws Declined for an amount that Stripe's form of the currency cannot express */
function toStripe(units: bigint, currency: string): number {
  const scale = scales[currency] ?? 0;
  const divisor = scale < 0 ? 10n ** BigInt(-scale) : threeDecimals.has(currency) ? 10n : 1n;
  if (units % divisor !== 0n)
    throw new Declined(`the payment provider takes no total in ${currency} that is so finely divided`);
  const amount = scale < 0 ? units / divisor : units * 10n ** BigInt(scale);
  if (amount > BigInt(Number.MAX_SAFE_INTEGER))
    throw new Declined('the total is above the largest that the payment provider takes');
  return Number(amount);
}

function fromStripe(amount: number, currency: string): bigint {
  const scale = scales[currency] ?? 0;
  return scale < 0 ? BigInt(amount) * 10n ** BigInt(-scale) : BigInt(amount) / 10n ** BigInt(scale);
}
