// Every page uses the server's clock, in UTC, as in logs and events.

let aheadMs = 0;

/** @param date header `Date` of an answer, in whole seconds */
export function setClock(date: string | null): void {
  if (date === null) return;
  const seen = Date.parse(date) + 500 - Date.now();
  // A smaller difference comes from rounding to seconds and from the time the answer took.
  if (Math.abs(seen - aheadMs) > 1_500) aheadMs = seen;
}

export const serverNow = () => Date.now() + aheadMs;

/** How long ago, in a single unit. */
export function ageOf(at: string | number): string {
  const seconds = Math.max(0, Math.round((serverNow() - new Date(at).getTime()) / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** The time, with the date unless it is today. */
export function timeOf(at: string | number, isPrecise = false): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T');
  const isToday = day === new Date(serverNow()).toISOString().slice(0, 10);
  return `${isToday ? '' : `${day} `}${time.slice(0, isPrecise ? 12 : 8)} UTC`;
}

const dayMs = 86_400_000;

/** The time that a field for a date, or for a date with a time, means: in UTC, plus some days. Other text is passed on, and the server refuses it. */
export function enteredTime(text: string | undefined, days = 0): string | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text.includes('T') ? `${text}Z` : `${text}T00:00:00Z`) + days * dayMs;
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}
