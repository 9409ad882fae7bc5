import { timestamp } from '@store/shared/values/fields';

const pattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-]\d\d)(?::?(\d\d))?)$/i;

/**
 * A time with a zone, as ISO 8601 or as PostgreSQL writes it, in the one form that this service stores, compares and
 * answers: `2026-01-31T09:30:00.123456Z`. A Date would cut the microseconds. What is finer than them is cut: no record
 * has it, so "later than" stays true.
 * @returns undefined for anything else, and for what lies outside the years 1 to 9999 in UTC
 */
export function utcTime(text: string): string | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, date, minute, second = '00', fraction = '', hours, minutes = '00'] = match;
  const iso = `${date}T${minute}:${second}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`;
  // A Date would make 2 March of 30 February.
  if (!timestamp.safeParse(iso).success) return undefined;
  const utc = new Date(iso).toISOString().slice(0, 19);
  return /^(?!0000)\d{4}-/.test(utc) ? `${utc}.${fraction.slice(0, 6).padEnd(6, '0')}Z` : undefined;
}
