const pattern =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::([0-5]\d|60)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/i;
const minuteMs = 60_000;

/**
 * Reads a time in RFC 3339, also with a space, without seconds, or with a short offset, as ISO 8601 and PostgreSQL may
 * write it (contract 1.1). Fractions are cut to microseconds; a leap second becomes the second after it.
 * @returns the form in which times are compared, `2026-01-31T09:30:00.123456Z`, since a Date would lose the microseconds;
 * undefined for other text and for times outside the years 1 to 9999 in UTC, which PostgreSQL or this form cannot express
 */
export function utcTime(text: string): string | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, date, minute, second = '00', fraction = '', sign, hours = '0', minutes = '0'] = match;
  const local = new Date(`${date}T${minute}Z`);
  // A Date would turn 30 February into 2 March, and 24:00 into the next day.
  if (Number.isNaN(local.getTime()) || !local.toISOString().startsWith(`${date}T${minute}`)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const time = new Date(local.getTime() - offset * minuteMs);
  if (second === '60' && !time.toISOString().includes('T23:59:')) return undefined;
  time.setUTCSeconds(Number(second));
  const utc = time.toISOString().slice(0, 19);
  return /^(?!0000)\d{4}-/.test(utc) ? `${utc}.${fraction.slice(0, 6).padEnd(6, '0')}Z` : undefined;
}
