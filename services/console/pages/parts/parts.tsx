import { minorUnit } from '../../../shared/src/values/currencies.ts';
import type { Said } from '../api/acts.ts';
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

/** Says how something went. */
export const Outcome = ({ said }: { said: Said | undefined }) =>
  said && !said.isProblem ? (
    <p class="note" role="status">
      {said.text}
    </p>
  ) : (
    <Problem text={said?.text} />
  );

/** The id of an order, which leads to it. */
export const OrderLink = ({ id }: { id: string }) => (
  <a href={`#/orders/${id}`}>
    <code>{id}</code>
  </a>
);

const tones: Record<string, string> = {
  UP: 'good',
  CONFIRMED: 'good',
  REDRIVEN: 'good',
  PENDING: 'wait',
  DOWN: 'bad',
  GONE: 'bad',
  FAILED: 'bad',
  DISCARDED: 'bad',
  critical: 'bad',
  warning: 'wait',
};
export const Badge = ({ text }: { text: string }) => <span class={`badge ${tones[text] ?? ''}`}>{text}</span>;

export function money({ amount, currency }: { amount: number; currency: string }): string {
  try {
    // Not the browser's own digits, which differ from those of ISO 4217.
    const minimumFractionDigits = minorUnit(currency);
    const digits = { minimumFractionDigits, maximumFractionDigits: Math.max(minimumFractionDigits, 4) };
    return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...digits }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}
