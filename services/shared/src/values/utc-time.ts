import { timestamp } from './fields.ts';

const pattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-]\d\d)(?::?(\d\d))?)$/i;

/**
 * Normalises a time with a zone, in ISO 8601 or PostgreSQL's notation, to the one form that this service stores, compares
 * and returns: `2026-01-31T09:30:00.123456Z`. A Date would lose the microseconds. Finer fractions are cut off: no record
 * has them, so "later than" stays correct.
 * @returns undefined for anything else, and for times outside the years 1 to 9999 in UTC
 */
export function utcTime(text: string): string | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, date, minute, second = '00', fraction = '', hours, minutes = '00'] = match;
  const iso = `${date}T${minute}:${second}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`;
  // A Date would turn 30 February into 2 March.
  if (!timestamp.safeParse(iso).success) return undefined;
  const utc = new Date(iso).toISOString().slice(0, 19);
  return /^(?!0000)\d{4}-/.test(utc) ? `${utc}.${fraction.slice(0, 6).padEnd(6, '0')}Z` : undefined;
}
