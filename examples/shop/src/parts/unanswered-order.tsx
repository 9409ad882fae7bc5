import { type Order, StoreProblem } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { useShop } from '../shop/context.ts';
import { useLookAgain } from '../shop/look-again.ts';
import { money } from '../shop/money.ts';
import { type Attempt, answerTo, forget, keepAttempt, orderOf, send, settle, unanswered } from '../shop/place-order.ts';
import { goTo } from '../shop/route.ts';
import { codeOf, isolated } from '../shop/sentences.ts';
import { when } from './order-status.tsx';

interface State {
  /** What is known about the order: it is being sent, has arrived (then with its id), has been refused, and so on. */
  is: 'sent' | 'asked' | 'unknown' | 'missing' | 'arrived' | 'refused';
  sentence: string;
  orderId?: string;
}

const sent: State = { is: 'sent', sentence: 'It is on its way to the store.' };
const asked: State = { is: 'asked', sentence: 'Asking the store whether it has arrived…' };
const missing: State = {
  is: 'missing',
  sentence: 'It has not arrived at the store. Nothing is sent unless you say so.',
};

/** Shows what became of an order that got no answer, by asking the store. It sends the order again only if the customer says so. */
export function UnansweredOrder() {
  const { account, basket, announce, explain } = useShop();
  const [attempt, setAttempt] = useState(() => unanswered(account.id));
  const answer = attempt && answerTo(attempt);
  const [state, setState] = useState<State>(answer ? sent : asked);
  const [busy, setBusy] = useState(false);

  const unknown = (error: unknown) => setState({ is: 'unknown', sentence: explain(error) });

  async function ask(attempt: Attempt): Promise<boolean> {
    const order = await orderOf(attempt);
    if (!order) {
      setState((before) => (before.is === 'missing' ? before : missing));
      return false;
    }
    arrive(attempt, order);
    return true;
  }
  function arrive(attempt: Attempt, { id }: Order): void {
    settle(account.id, attempt, basket);
    setState({ is: 'arrived', sentence: 'It has arrived at the store.', orderId: id });
  }

  // Keep asking even if the order has not arrived: it was sent before a reload and may still arrive.
  const isOpen = attempt !== undefined && !busy && ['asked', 'unknown', 'missing'].includes(state.is);
  const look = () => void (isOpen && ask(attempt).catch(unknown));
  useEffect(() => {
    if (attempt && answer)
      answer.then(
        (order) => arrive(attempt, order),
        (error) => fail(attempt, error),
      );
    else look();
  }, []);
  useLookAgain(isOpen, look);

  function fail(attempt: Attempt, error: unknown): void {
    if (codeOf(error) === 'price-changed' && error instanceof StoreProblem && error.total) {
      const changed = { ...attempt, total: error.total };
      keepAttempt(account.id, changed);
      setAttempt(changed);
      const [now, before] = [changed.total, attempt.total].map(({ amount, currency }) => money(amount, currency));
      setState({ is: 'missing', sentence: `It would cost ${now} now, not ${before}. Nothing was ordered.` });
    } else if (unanswered(account.id)) unknown(error);
    else setState({ is: 'refused', sentence: `It was not placed. ${explain(error)}` });
  }

  if (!attempt) return null;
  const { at, lines, total } = attempt;

  async function tryAgain(attempt: Attempt): Promise<void> {
    try {
      const { id } = await send(account.id, attempt);
      settle(account.id, attempt, basket);
      setAttempt(undefined);
      announce('Thank you. Your order has been placed.');
      goTo(`orders/${id}`);
    } catch (error) {
      fail(attempt, error);
    }
  }

  /** @param act the customer's decision about the attempt, carried out unless another tab settled it or it is too old */
  const press = (act: (attempt: Attempt) => Promise<unknown>) => async () => {
    if (busy) return;
    if (unanswered(account.id)?.key !== attempt.key) {
      announce('That order is settled, or more than a day old. Your orders show what has been placed.');
      setAttempt(undefined);
      return;
    }
    setBusy(true);
    await act(attempt).catch(unknown);
    setBusy(false);
  };
  const close = () => setAttempt(undefined);
  async function giveUp(attempt: Attempt): Promise<void> {
    if (await ask(attempt)) return;
    forget(account.id);
    close();
    announce('That order is forgotten.');
  }

  return (
    <aside class="unanswered" aria-label="Your earlier order">
      <p>
        <strong>Your order of {when(new Date(at).toISOString())}:</strong>{' '}
        {lines.map(({ name, quantity }) => `${quantity} × ${isolated(name)}`).join(', ')},{' '}
        {money(total.amount, total.currency)}.
      </p>
      <p role="status">{state.sentence}</p>
      <p class="unanswered-foot">
        {state.is === 'unknown' && (
          <button type="button" aria-disabled={busy} onClick={press(ask)}>
            Ask again
          </button>
        )}
        {state.is === 'missing' && (
          <>
            <button type="button" aria-disabled={busy} onClick={press(tryAgain)}>
              {busy ? 'One moment…' : `Try again for ${money(total.amount, total.currency)}`}
            </button>
            <button type="button" class="quiet" aria-disabled={busy} onClick={press(giveUp)}>
              Forget it
            </button>
          </>
        )}
        {state.orderId && (
          <a class="button" href={`#/orders/${state.orderId}`}>
            See the order
          </a>
        )}
        {(state.is === 'arrived' || state.is === 'refused') && (
          <button type="button" class="quiet" onClick={close}>
            Close
          </button>
        )}
      </p>
    </aside>
  );
}
