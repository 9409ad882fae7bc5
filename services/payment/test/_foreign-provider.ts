import { randomUUID } from 'node:crypto';
import { type Intent, KeyIsSpent, type PaymentProvider, type ProviderRefund } from '../src/providers/provider.ts';

type Operation = 'createIntent' | 'findIntents' | 'confirm' | 'cancel' | 'read' | 'refund';

/** What happens to a call: it is lost before its effect, or its answer after it. */
type Lost = 'before' | 'after' | undefined;
type Fault = (operation: Operation, orderId: string) => Lost | Promise<Lost>;

/**
 * A provider that keeps intents, as a real one does, and the answers to keys. Tokens: `declined` declines, `action` and `processing` wait for `act`.
 * `fault` may lose calls.
 */
export function foreignProvider() {
  const intents = new Map<string, Intent>();
  const answers = new Map<string, unknown>();
  const control = {
    fault: (() => undefined) as Fault,
    /** All calls so far, with their orders. */
    calls: [] as [Operation, string][],
    keys: [] as string[],
    /** Keys for which a failure is stored. */
    spent: new Set<string>(),
    /** What becomes of refunds at first. */
    refundsAre: 'succeeded' as ProviderRefund['state'],
    of: (orderId: string): Intent[] => [...intents.values()].filter((intent) => intent.orderId === orderId),
  };
  const intentOf = (id: string): Intent => {
    const intent = intents.get(id);
    if (intent === undefined) throw new Error(`There is no intent ${id}`);
    return intent;
  };

  /** What is kept of an order's money, in minor units. */
  function holds(orderId: string): bigint {
    const captured = control.of(orderId).filter(({ state }) => state === 'captured');
    const refunds = captured.flatMap((intent) => intent.refunds).filter(({ state }) => state !== 'failed');
    const sum = (amounts: { amount: bigint }[]) => amounts.reduce((total, { amount }) => total + amount, 0n);
    return sum(captured) - sum(refunds);
  }

  async function call<T>(operation: Operation, orderId: string, work: () => T): Promise<T> {
    control.calls.push([operation, orderId]);
    const lost = await control.fault(operation, orderId);
    if (lost === 'before') throw new Error('The connection was refused');
    const answer = structuredClone(work());
    if (lost === 'after') throw new Error('The answer was lost');
    return answer;
  }

  /** The first answer is repeated. */
  function keyed<T>(key: string, work: () => T): T {
    control.keys.push(key);
    if (control.spent.has(key)) throw new KeyIsSpent('A failure is stored');
    if (!answers.has(key)) answers.set(key, structuredClone(work()));
    return answers.get(key) as T;
  }

  const provider = {
    name: 'foreign',
    needsToken: true,
    createIntent: ({ key, stepId: _, ...input }) =>
      call('createIntent', input.orderId, () =>
        keyed(`${key} create`, () => {
          const id = `pi_${randomUUID()}`;
          const intent: Intent = { ...input, id, state: 'unconfirmed', refunds: [], disputes: [] };
          intents.set(id, intent);
          return intent;
        }),
      ),
    findIntents: (orderId) => call('findIntents', orderId, () => control.of(orderId)),
    confirm: ({ intentId, orderId, key, token }) =>
      call('confirm', orderId, () =>
        keyed(`${key} confirm`, () => {
          const intent = intentOf(intentId);
          if (intent.state !== 'unconfirmed' && intent.state !== 'declined') throw new Error('Not in this state');
          intent.state = token === 'declined' || token === 'action' || token === 'processing' ? token : 'captured';
          if (token === 'declined') intent.reason = 'the card was declined';
          if (token === 'action') intent.actionUrl = `https://bank.example/${intentId}`;
          return intent;
        }),
      ),
    cancel: (intentId) =>
      call('cancel', intentOf(intentId).orderId, () => {
        const intent = intentOf(intentId);
        if (intent.state !== 'captured') intent.state = 'cancelled';
        return intent;
      }),
    read: (intentId) => call('read', intentOf(intentId).orderId, () => intentOf(intentId)),
    refund: ({ key, stepId, intentId, amount }) =>
      call('refund', intentOf(intentId).orderId, () =>
        keyed(key, () => {
          const intent = intentOf(intentId);
          if (holds(intent.orderId) < amount) throw new Error('Nothing is left');
          const refund: ProviderRefund = { id: `re_${randomUUID()}`, stepId, amount, state: control.refundsAre };
          intent.refunds.push(refund);
          return refund;
        }),
      ),
    changesSince: async (): ReturnType<PaymentProvider['changesSince']> => ({ changes: [], cursor: '' }),
    transactions: async () => ({ transactions: [] }),
  } satisfies PaymentProvider;

  return Object.assign(control, {
    ...provider,
    holds,
    operationsOf: (orderId: string) => control.calls.flatMap(([operation, id]) => (id === orderId ? [operation] : [])),
    /** Somebody makes a refund at the provider, past the store. */
    refundThere(orderId: string, amount: bigint, state: ProviderRefund['state']): ProviderRefund {
      const refund: ProviderRefund = { id: `re_${randomUUID()}`, stepId: undefined, amount, state };
      for (const intent of control.of(orderId)) if (intent.state === 'captured') intent.refunds.push(refund);
      return refund;
    },
    /** The customers' banks decide. */
    endRefunds(orderId: string, state: 'succeeded' | 'failed'): void {
      for (const { refunds } of control.of(orderId)) for (const refund of refunds) refund.state = state;
    },
    /** The customer carries out the action, or the bank decides. */
    act(orderId: string, state: 'captured' | 'declined'): void {
      for (const intent of control.of(orderId))
        if (intent.state === 'action' || intent.state === 'processing') intent.state = state;
    },
  });
}
