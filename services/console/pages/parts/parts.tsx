const parts = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const time = new Intl.DateTimeFormat(undefined, parts);
const preciseTime = new Intl.DateTimeFormat(undefined, { ...parts, fractionalSecondDigits: 3 });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** How long ago, in one unit. */
export function ageOf(at: string | number, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - new Date(at).getTime()) / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** @param precise with milliseconds */
export function Time({ at, precise = false }: { at: string | number; precise?: boolean }) {
  const date = new Date(at);
  const isToday = day.format(date) === day.format(new Date());
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {isToday ? '' : `${day.format(date)} `}
      {(precise ? preciseTime : time).format(date)}
    </time>
  );
}

export const Problem = ({ text }: { text: string | undefined }) =>
  text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null;

const tones: Record<string, string> = {
  UP: 'good',
  CONFIRMED: 'good',
  REDRIVEN: 'good',
  PENDING: 'wait',
  DOWN: 'bad',
  GONE: 'bad',
  FAILED: 'bad',
};
export const Badge = ({ text }: { text: string }) => <span class={`badge ${tones[text] ?? ''}`}>{text}</span>;

export function money({ amount, currency }: { amount: number; currency: string }): string {
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}
