import { randomBytes } from 'node:crypto';
import type { LocalStripe } from './local-stripe.ts';

/** An error as Stripe answers it (https://docs.stripe.com/api/errors). */
export class StripeError extends Error {
  status: number;
  error: Record<string, unknown>;
  constructor(status: number, error: { code?: string; message: string } & Record<string, unknown>) {
    super(error.message);
    this.status = status;
    this.error = { type: status === 402 ? 'card_error' : 'invalid_request_error', ...error };
  }
}

/** What a customer pays with. Those that Stripe documents for tests have Stripe's names. */
export const tokens = {
  good: 'pm_card_visa',
  declined: 'pm_card_chargeCustomerFail',
  /** 3-D Secure: the customer has to do something first ({@link StripeAccount.act}). */
  action: 'pm_card_authenticationRequired',
  /** The bank answers later ({@link StripeAccount.decide}). */
  undecided: 'pm_card_undecided',
} as const;

/** The card of `tokens.action`, in digits: localstripe does not know that token. */
const actionCard = { number: '4000002760003184', exp_month: '12', exp_year: '2040', cvc: '123' };

interface Refund {
  id: string;
  metadata: Record<string, string>;
  amount: number;
  status: 'pending' | 'succeeded' | 'failed';
  created: number;
}

interface Dispute {
  id: string;
  amount: number;
  status: 'needs_response' | 'won' | 'lost';
  created: number;
}

interface Intent {
  id: string;
  amount: number;
  currency: string;
  metadata: Record<string, string>;
  created: number;
  charge: string | undefined;
  /** Confirmed, and not decided by the bank. */
  isUndecided: boolean;
  returnUrl: string | undefined;
  refunds: Refund[];
  disputes: Dispute[];
}

export interface StripeEvent {
  id: string;
  object: 'event';
  type: string;
  created: number;
  data: { object: Record<string, unknown> };
}

export interface BalanceTransaction {
  id: string;
  object: 'balance_transaction';
  amount: number;
  /** The amount less fees, which there are none of. */
  net: number;
  currency: string;
  created: number;
  type: 'charge' | 'refund' | 'refund_failure' | 'adjustment';
  reporting_category: string;
  source: Record<string, unknown>;
}

/** What the provider has of an order, in minor units. */
export interface Book {
  /** With what localstripe says of each. */
  intents: { id: string; status: string; currency: string }[];
  /** The sum of all charges. */
  charged: number;
  /** Refunds that have not failed. */
  returned: number;
  /** Disputes that are not won. */
  disputed: number;
  refunds: Omit<Refund, 'created'>[];
  disputes: { id: string; amount: number; status: Dispute['status'] }[];
}

/** Stripe's smallest amount is about 50 US cents in any currency; here it is 50 minor units. */
const minimum = 50;
const maximum = 99_999_999;

const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;

export type StripeAccount = ReturnType<typeof createStripeAccount>;

/**
 * An account at Stripe. Intents, charges and refunds are localstripe's. It has no disputes, no refunds that are pending, no search, and
 * none of Stripe's rules about what may be refunded; and its events and times are those of its own clock, so these are kept here.
 * @param now the provider's clock, in milliseconds
 */
export function createStripeAccount({ ask }: Pick<LocalStripe, 'ask'>, now: () => number) {
  const intents = new Map<string, Intent>();
  const orderOfRefund = new Map<string, Intent>();
  /** The newest one is the last. */
  const events: StripeEvent[] = [];
  const transactions: BalanceTransaction[] = [];
  /** Requests for more than the charge holds, which the provider refused. */
  const excesses: { orderId: string; amount: number }[] = [];
  const listeners = new Set<(event: StripeEvent) => void>();
  const locks = new Map<string, Promise<unknown>>();
  const seconds = () => Math.floor(now() / 1000);

  /** Does one thing with an intent at a time, as the provider does. */
  function alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const done = (locks.get(id) ?? Promise.resolve()).then(work, work);
    const settled = done.catch(() => undefined);
    locks.set(id, settled);
    return done;
  }

  async function local(method: 'GET' | 'POST', path: string, fields: Record<string, string> = {}) {
    const { status, body } = await ask(method, path, fields);
    if (status !== 200 && status !== 402)
      throw new Error(`localstripe answered ${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return { status, body };
  }

  function emit(type: string, object: Record<string, unknown>): void {
    const event: StripeEvent = { id: newId('evt'), object: 'event', type, created: seconds(), data: { object } };
    events.push(event);
    for (const listener of listeners) listener(event);
  }

  function book(type: BalanceTransaction['type'], category: string, amount: number, intent: Intent, source: object) {
    transactions.push({
      id: newId('txn'),
      object: 'balance_transaction',
      amount,
      net: amount,
      currency: intent.currency,
      created: seconds(),
      type,
      reporting_category: category,
      source: { ...source },
    });
  }

  function find(id: string): Intent {
    const intent = intents.get(id);
    if (intent === undefined) throw missing('payment_intent', id);
    return intent;
  }

  const openDispute = ({ disputes }: Intent) => disputes.find(({ status }) => status !== 'won');
  const isKept = ({ status }: Refund) => status !== 'failed';
  const refunded = ({ refunds }: Intent) => sum(refunds.filter(isKept).map(({ amount }) => amount));
  const disputed = ({ disputes }: Intent) =>
    sum(disputes.filter(({ status }) => status !== 'won').map(({ amount }) => amount));

  async function statusOf(intent: Intent) {
    const { body } = await local('GET', `/v1/payment_intents/${intent.id}`);
    const status: string = intent.isUndecided ? 'processing' : body.status;
    if (body.latest_charge?.status === 'succeeded') intent.charge = body.latest_charge.id;
    return { status, error: body.last_payment_error, secret: body.client_secret as string };
  }

  const refundOut = (intent: Intent, refund: Refund) => ({
    object: 'refund',
    ...refund,
    currency: intent.currency,
    charge: intent.charge,
    payment_intent: intent.id,
    ...(refund.status === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
  });
  const disputeOut = (intent: Intent, dispute: Dispute) => ({
    object: 'dispute',
    ...dispute,
    currency: intent.currency,
    charge: intent.charge,
    payment_intent: intent.id,
    reason: 'fraudulent',
    is_charge_refundable: false,
  });
  const chargeOut = (intent: Intent) => ({
    object: 'charge',
    id: intent.charge,
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: refunded(intent),
    captured: true,
    paid: true,
    status: 'succeeded',
    refunded: refunded(intent) === intent.amount,
    disputed: intent.disputes.length > 0,
    currency: intent.currency,
    created: intent.created,
    metadata: intent.metadata,
    payment_intent: intent.id,
  });

  async function intentOut(intent: Intent, expand: string[] = []) {
    const { status, error, secret } = await statusOf(intent);
    const charge = expand.includes('latest_charge') && intent.charge ? chargeOut(intent) : intent.charge;
    return {
      object: 'payment_intent',
      id: intent.id,
      amount: intent.amount,
      amount_received: status === 'succeeded' ? intent.amount : 0,
      currency: intent.currency,
      metadata: intent.metadata,
      created: intent.created,
      status,
      client_secret: secret,
      latest_charge: charge ?? null,
      last_payment_error: error
        ? { type: 'card_error', decline_code: 'generic_decline', ...error, payment_intent: undefined }
        : null,
      next_action:
        status === 'requires_action'
          ? {
              type: 'redirect_to_url',
              redirect_to_url: {
                url: `https://hooks.stripe.com/3d_secure/${intent.id}?client_secret=${secret}`,
                return_url: intent.returnUrl,
              },
            }
          : null,
      livemode: false,
    };
  }

  /** Takes the money, or does not, and says what became of it. */
  async function charge(intent: Intent, token: string) {
    await local('POST', `/v1/payment_intents/${intent.id}`, { payment_method: token });
    const { status, body } = await local('POST', `/v1/payment_intents/${intent.id}/confirm`);
    return tell(intent, status === 402 ? body.error : undefined);
  }

  /** Emits the events of what localstripe has made of an intent. @throws StripeError of a decline */
  async function tell(intent: Intent, declined?: Record<string, string>) {
    const out = await intentOut(intent);
    if (out.status === 'succeeded') {
      book('charge', 'charge', intent.amount, intent, chargeOut(intent));
      emit('charge.succeeded', chargeOut(intent));
      emit('payment_intent.succeeded', out);
    } else if (out.status === 'requires_action') emit('payment_intent.requires_action', out);
    else if (out.status === 'requires_payment_method') emit('payment_intent.payment_failed', out);
    if (declined === undefined) return out;
    throw new StripeError(402, {
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
      payment_intent: out,
    });
  }

  const unexpected = (out: { status: string }, what: string) =>
    new StripeError(400, {
      code: 'payment_intent_unexpected_state',
      message: `You cannot ${what} this PaymentIntent because it has a status of ${out.status}.`,
      payment_intent: out,
    });

  async function addRefund(intent: Intent, amount: number | undefined, metadata: Record<string, string>) {
    const { status } = await statusOf(intent);
    if (status !== 'succeeded') {
      const message = `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`;
      throw new StripeError(400, { message });
    }
    const rest = intent.amount - refunded(intent);
    const asked = amount ?? rest;
    if (asked > 0 && asked > rest - disputed(intent))
      excesses.push({ orderId: intent.metadata.orderId ?? '', amount: asked });
    if (openDispute(intent)) {
      const message = `Charge ${intent.charge} has been charged back; cannot issue a refund.`;
      throw new StripeError(400, { code: 'charge_disputed', message });
    }
    if (rest === 0) {
      throw new StripeError(400, {
        code: 'charge_already_refunded',
        message: `Charge ${intent.charge} has already been refunded.`,
      });
    }
    if (asked <= 0)
      throw new StripeError(400, {
        code: 'parameter_invalid_integer',
        message: 'Invalid positive integer',
        param: 'amount',
      });
    if (asked > rest) {
      const message = `Refund amount (${asked}) is greater than unrefunded amount on charge (${rest})`;
      throw new StripeError(400, { message, param: 'amount' });
    }
    const { body } = await local('POST', '/v1/refunds', {
      payment_intent: intent.id,
      amount: String(asked),
      ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value])),
    });
    const refund: Refund = { id: body.id, metadata, amount: asked, status: 'succeeded', created: seconds() };
    intent.refunds.push(refund);
    orderOfRefund.set(refund.id, intent);
    book('refund', 'refund', -asked, intent, refundOut(intent, refund));
    return { intent, refund };
  }

  function tellRefund(intent: Intent, refund: Refund) {
    emit('refund.created', refundOut(intent, refund));
    emit('charge.refunded', chargeOut(intent));
    return refundOut(intent, refund);
  }

  function findRefund(id: string) {
    const intent = orderOfRefund.get(id);
    const refund = intent?.refunds.find((one) => one.id === id);
    if (intent === undefined || refund === undefined) throw missing('refund', id);
    return { intent, refund };
  }

  function findDispute(id: string) {
    for (const intent of intents.values()) {
      const dispute = intent.disputes.find((one) => one.id === id);
      if (dispute !== undefined) return { intent, dispute };
    }
    throw missing('dispute', id);
  }

  return {
    events,
    transactions,
    excesses,
    /** @param listener gets each event before the request that caused it is answered @returns a function that removes it */
    onEvent(listener: (event: StripeEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    orderOf: (intentId: string) => intents.get(intentId)?.metadata.orderId,
    intentIds: () => [...intents.keys()],
    intentsOf: (orderId: string) =>
      [...intents.values()].filter(({ metadata }) => metadata.orderId === orderId).map(({ id }) => id),
    /** Emits an event again, as if something had happened: nothing has. */
    repeatEvent(index: number) {
      const event = events[index % Math.max(events.length, 1)];
      if (event !== undefined) emit(event.type, event.data.object);
    },

    async create(amount: number, currency: string, metadata: Record<string, string>) {
      if (!Number.isInteger(amount) || amount < 1) {
        throw new StripeError(400, {
          code: 'parameter_invalid_integer',
          message: 'Invalid positive integer',
          param: 'amount',
        });
      }
      if (amount < minimum) {
        throw new StripeError(400, {
          code: 'amount_too_small',
          message: 'Amount must convert to at least 50 cents.',
          param: 'amount',
        });
      }
      if (amount > maximum) {
        throw new StripeError(400, {
          code: 'amount_too_large',
          message: 'Amount must be no more than 999,999.99.',
          param: 'amount',
        });
      }
      const { body } = await local('POST', '/v1/payment_intents', { amount: String(amount), currency });
      const intent: Intent = {
        id: body.id,
        amount,
        currency,
        metadata,
        created: seconds(),
        charge: undefined,
        isUndecided: false,
        returnUrl: undefined,
        refunds: [],
        disputes: [],
      };
      intents.set(intent.id, intent);
      const out = await intentOut(intent);
      emit('payment_intent.created', out);
      return out;
    },

    confirm: (id: string, token: string, returnUrl: string | undefined) =>
      alone(id, async () => {
        const intent = find(id);
        const before = await intentOut(intent);
        // localstripe, unlike Stripe, cannot confirm again what was declined.
        const isNew = before.status === 'requires_payment_method' && before.last_payment_error === null;
        if (!isNew) throw unexpected(before, 'confirm');
        intent.returnUrl = returnUrl;
        if (token === tokens.undecided) {
          intent.isUndecided = true;
          const out = await intentOut(intent);
          emit('payment_intent.processing', out);
          return out;
        }
        if (token === tokens.action) {
          const fields = Object.entries(actionCard).map(([name, value]) => [`card[${name}]`, value] as const);
          const { body } = await local('POST', '/v1/payment_methods', { type: 'card', ...Object.fromEntries(fields) });
          return charge(intent, body.id);
        }
        if (token !== tokens.good && token !== tokens.declined) throw missing('payment_method', token);
        return charge(intent, token);
      }),

    cancel: (id: string) =>
      alone(id, async () => {
        const intent = find(id);
        const before = await intentOut(intent);
        if (before.status === 'succeeded' || before.status === 'canceled' || before.status === 'processing') {
          throw unexpected(before, 'cancel');
        }
        await local('POST', `/v1/payment_intents/${id}/cancel`);
        const out = await intentOut(intent);
        emit('payment_intent.canceled', out);
        return out;
      }),

    read: (id: string, expand: string[]) => alone(id, () => intentOut(find(id), expand)),
    readAll: (ids: string[]) => Promise.all(ids.map((id) => intentOut(find(id)))),

    refund: (intentId: string, amount: number | undefined, metadata: Record<string, string>) =>
      alone(intentId, async () => {
        const { intent, refund } = await addRefund(find(intentId), amount, metadata);
        return tellRefund(intent, refund);
      }),
    /** Like `refund`, but the customer's bank decides later ({@link settleRefund}). */
    refundLater: (intentId: string, amount: number | undefined, metadata: Record<string, string>) =>
      alone(intentId, async () => {
        const { intent, refund } = await addRefund(find(intentId), amount, metadata);
        refund.status = 'pending';
        return tellRefund(intent, refund);
      }),
    /** The customer's bank takes a pending refund, or returns one. */
    settleRefund(id: string, status: 'succeeded' | 'failed') {
      const { intent, refund } = findRefund(id);
      if (refund.status === 'failed' || refund.status === status) return;
      refund.status = status;
      if (status === 'failed')
        book('refund_failure', 'refund_failure', refund.amount, intent, refundOut(intent, refund));
      emit('refund.updated', refundOut(intent, refund));
      if (status === 'failed') emit('refund.failed', refundOut(intent, refund));
    },
    readRefund(id: string) {
      const { intent, refund } = findRefund(id);
      return refundOut(intent, refund);
    },
    /** The newest first. */
    refundsOf: (intentId?: string) =>
      [...intents.values()]
        .filter(({ id }) => intentId === undefined || id === intentId)
        .flatMap((intent) => intent.refunds.map((refund) => refundOut(intent, refund)))
        .reverse(),

    readCharge(id: string) {
      const intent = [...intents.values()].find((one) => one.charge === id);
      if (intent === undefined) throw missing('charge', id);
      return chargeOut(intent);
    },
    chargesOf: (intentId?: string) =>
      [...intents.values()]
        .filter(({ id, charge }) => charge !== undefined && (intentId === undefined || id === intentId))
        .map(chargeOut)
        .reverse(),

    /** The customer's bank takes money back. @returns the dispute's id, or undefined if there is no money to take */
    dispute: (intentId: string, amount?: number) =>
      alone(intentId, async () => {
        const intent = find(intentId);
        await statusOf(intent);
        const rest = intent.amount - refunded(intent) - disputed(intent);
        if (intent.charge === undefined || rest <= 0 || openDispute(intent)) return undefined;
        const dispute: Dispute = {
          id: newId('du'),
          amount: Math.min(amount ?? rest, rest),
          status: 'needs_response',
          created: seconds(),
        };
        intent.disputes.push(dispute);
        book('adjustment', 'dispute', -dispute.amount, intent, disputeOut(intent, dispute));
        emit('charge.dispute.created', disputeOut(intent, dispute));
        return dispute.id;
      }),
    closeDispute(id: string, status: 'won' | 'lost') {
      const { intent, dispute } = findDispute(id);
      if (dispute.status !== 'needs_response') return;
      dispute.status = status;
      if (status === 'won') book('adjustment', 'dispute_reversal', dispute.amount, intent, disputeOut(intent, dispute));
      emit('charge.dispute.closed', disputeOut(intent, dispute));
    },
    readDispute(id: string) {
      const { intent, dispute } = findDispute(id);
      return disputeOut(intent, dispute);
    },
    disputesOf: (intentId?: string) =>
      [...intents.values()]
        .filter(({ id }) => intentId === undefined || id === intentId)
        .flatMap((intent) => intent.disputes.map((dispute) => disputeOut(intent, dispute)))
        .reverse(),

    /** The customer finishes 3-D Secure, or fails. @returns whether there was something to do */
    act: (intentId: string, success: boolean) =>
      alone(intentId, async () => {
        const intent = find(intentId);
        const { status, secret } = await statusOf(intent);
        if (status !== 'requires_action') return false;
        const fields = { client_secret: secret, success: String(success) };
        await local('POST', `/v1/payment_intents/${intentId}/_authenticate`, fields);
        await tell(intent);
        return true;
      }),
    /** The bank decides about an intent with `tokens.undecided`. @returns whether there was something to decide */
    decide: (intentId: string, success: boolean) =>
      alone(intentId, async () => {
        const intent = find(intentId);
        if (!intent.isUndecided) return false;
        intent.isUndecided = false;
        await charge(intent, success ? tokens.good : tokens.declined).catch((error) => {
          if (!(error instanceof StripeError)) throw error;
        });
        return true;
      }),

    /** The provider's own books by order: charges and refunds as localstripe has them, and what this adds to them. */
    async books(): Promise<Map<string, Book>> {
      const all = { limit: '1000000' };
      const [charges, refunds] = await Promise.all([
        local('GET', '/v1/charges', all),
        local('GET', '/v1/refunds', all),
      ]);
      const orders = Map.groupBy(intents.values(), ({ metadata }) => metadata.orderId ?? '');
      const books = new Map<string, Book>();
      for (const [orderId, own] of orders) {
        const charged = charges.body.data.filter(
          (charge: { payment_intent: string; status: string }) =>
            charge.status === 'succeeded' && own.some(({ id }) => id === charge.payment_intent),
        );
        const chargeIds = new Set(charged.map(({ id }: { id: string }) => id));
        const returned = refunds.body.data.filter(({ charge }: { charge: string }) => chargeIds.has(charge));
        const withStatus = returned.map(
          ({ id, amount, metadata }: { id: string; amount: number; metadata: Record<string, string> }) => ({
            id,
            amount,
            metadata,
            status: findRefund(id).refund.status,
          }),
        );
        books.set(orderId, {
          intents: await Promise.all(
            own.map(async (intent) => ({
              id: intent.id,
              currency: intent.currency,
              status: (await statusOf(intent)).status,
            })),
          ),
          charged: sum(charged.map(({ amount }: { amount: number }) => amount)),
          returned: sum(withStatus.filter(isKept).map(({ amount }: { amount: number }) => amount)),
          disputed: sum(own.map(disputed)),
          refunds: withStatus,
          disputes: own.flatMap(({ disputes }) => disputes.map(({ id, amount, status }) => ({ id, amount, status }))),
        });
      }
      return books;
    },
    /** Forgets everything, as another account would know nothing. */
    clear() {
      intents.clear();
      orderOfRefund.clear();
      for (const list of [excesses, events, transactions]) list.splice(0);
    },
  };
}

export function missing(type: string, id: string) {
  return new StripeError(404, { code: 'resource_missing', message: `No such ${type}: '${id}'`, param: 'id' });
}

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
