import type { UseMutationResult, UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { minorUnit } from '../../../shared/src/values/currencies.ts';
import { timeOf } from './clock.ts';

/** @param precise with milliseconds */
export function Time({ at, precise = false }: { at: string | number; precise?: boolean }) {
  return <time dateTime={new Date(at).toISOString()}>{timeOf(at, precise)}</time>;
}

export const Problem = ({ text }: { text: string | undefined }) =>
  text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null;

export const Problems = ({ texts = [] }: { texts: string[] | undefined }) => (
  <>
    {texts.map((text) => (
      <Problem key={text} text={text} />
    ))}
  </>
);

export const Loading = () => (
  <p class="note" role="status">
    Loading…
  </p>
);

interface AnswerProps<T> {
  of: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'isPlaceholderData'>;
  children: (data: T) => ComponentChildren;
}

/** Shows an answer. The last answer stays until the next one comes, and next to the problem if the next one fails. */
export const Answer = <T,>({ of: { data, error, isPending, isPlaceholderData }, children }: AnswerProps<T>) => (
  <>
    <Problem text={error?.message} />
    {(isPending || isPlaceholderData) && <Loading />}
    {data !== undefined && <div aria-busy={isPlaceholderData}>{children(data)}</div>}
  </>
);

interface OutcomeProps {
  of: Pick<UseMutationResult<unknown, Error, never>, 'isSuccess' | 'error'>;
  /** Shown after success. */
  done?: string;
}

/** Shows how an action went. */
export const Outcome = ({ of: { isSuccess, error }, done }: OutcomeProps) =>
  isSuccess && done !== undefined ? (
    <p class="note" role="status">
      {done}
    </p>
  ) : (
    <Problem text={error?.message} />
  );

/** The id of an order, as a link to it. */
export const OrderLink = ({ id }: { id: string }) => (
  <a href={`#/orders/${id}`}>
    <code>{id}</code>
  </a>
);

const tones: Record<string, string> = {
  UP: 'good',
  CONFIRMED: 'good',
  REDRIVEN: 'good',
  SUCCEEDED: 'good',
  WON: 'good',
  PENDING: 'wait',
  OPEN: 'wait',
  DOWN: 'bad',
  GONE: 'bad',
  FAILED: 'bad',
  LOST: 'bad',
  DISCARDED: 'bad',
  critical: 'bad',
  warning: 'wait',
};
export const Badge = ({ text }: { text: string }) => <span class={`badge ${tones[text] ?? ''}`}>{text}</span>;

export function money({ amount, currency }: { amount: number; currency: string }): string {
  try {
    // The browser's own number of decimals differs from ISO 4217.
    const minimumFractionDigits = minorUnit(currency);
    const digits = { minimumFractionDigits, maximumFractionDigits: Math.max(minimumFractionDigits, 4) };
    return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...digits }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}
