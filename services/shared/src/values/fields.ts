import { z } from 'zod';
import { emailOf } from './email.ts';
import { isVisible } from './text.ts';
import { utcTime } from './utc-time.ts';

// Everything below U+0020 except tabs and line ends, and DEL. PostgreSQL cannot store NUL.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match them
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text that people write: trimmed, `min` to `max` code points, no control characters, and at least one visible character if `min` is above 0 and the text is not empty. */
export function text(min: number, max: number) {
  return z
    .string()
    .trim()
    .refine((value) => !controlCharacters.test(value) && value.isWellFormed(), 'must not contain control characters')
    .refine(...hasCodePoints(min, max))
    .refine((value) => min === 0 || value === '' || isVisible(value), 'must have visible characters')
    .meta({ minLength: min, maxLength: max });
}

/** Characters that do not belong in a single line: control characters, line and paragraph separators, and bidirectional controls. */
const beyondOneLine = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** Text that mail clients and browsers turn into a link. */
const link = /:\/\/|\bwww\./i;

/** A `text` in one line. */
export const line = (min: number, max: number) =>
  text(min, max).refine((value) => !beyondOneLine.test(value), 'must be one line, without control characters');

/** A person's name: one line without links, because mails contain it. */
export const personName = (min: number, max: number) =>
  line(min, max).refine((name) => !link.test(name.normalize('NFKC')), 'must not contain a link');

/** A `text` in NFC, for searching and comparing, so that texts that look the same match. */
export const comparable = (min: number, max: number) =>
  z.string().normalize('NFC').pipe(text(min, max)).meta({ minLength: min, maxLength: max });

/** The number of a product in other systems: visible characters with spaces between them, spelled exactly (contract 4.4). */
export const sku = comparable(1, 64).refine(
  (value) => [...value].every((character) => character === ' ' || isVisible(character)),
  'must have only visible characters and spaces',
);

/** An e-mail address, trimmed, in one spelling (email.ts). Case is ignored when addresses are compared. */
export const email = z
  .string()
  .trim()
  .transform((given, context) => {
    const found = emailOf(given);
    if (found !== undefined && found.length <= 254) return found;
    context.addIssue(given.length > 254 ? 'must have at most 254 characters' : 'must be an e-mail address');
    return z.NEVER;
  })
  .meta({ format: 'email', maxLength: 254 });

/** An address to look up: in the spelling of `email` if it is valid, else as given. */
export const soughtEmail = text(1, 254).transform((given) => emailOf(given) ?? given);

/** A password: any characters, untrimmed. A lone surrogate is refused, since UTF-8 would replace it. */
export function password(min: number, max: number) {
  return z
    .string()
    .refine((value) => value.isWellFormed(), 'must be Unicode text')
    .refine(...hasCodePoints(min, max))
    .meta({ format: 'password', minLength: min, maxLength: max });
}

/** A UUID of any version, in lower case. */
export const uuid = z.guid('must be a UUID').toLowerCase().meta({ format: 'uuid' });

/** The first four or more digits of a UUID, as people copy them from a page; becomes lower case without hyphens. */
export const uuidPrefix = z
  .string()
  .trim()
  .regex(/^[0-9a-f][0-9a-f-]{3,35}$/i, 'must be a UUID, or at least its first four digits')
  .transform((value) => value.toLowerCase().replaceAll('-', ''))
  .refine((digits) => digits.length >= 4 && digits.length <= 32, 'must be a UUID, or at least its first four digits');

/** A query parameter that may be repeated, for up to `max` UUIDs. */
export const uuids = (max: number) => z.union([uuid.transform((id) => [id]), z.array(uuid).max(max)]);

/** A query parameter that may be repeated, for up to `max` product numbers. */
export const skus = (max: number) => z.union([sku.transform((one) => [one]), z.array(sku).max(max)]);

/** Text from another program, without NUL, which PostgreSQL cannot store. A lone surrogate becomes U+FFFD on the way there. */
export const foreignText = z.string().refine((value) => !value.includes('\0'), 'must be text without NUL');

/** An Idempotency-Key: visible ASCII, with or without quotes (contract 4.7). */
export const idempotencyKey = z
  .string()
  .transform((value) => /^"(.*)"$/.exec(value)?.[1] ?? value)
  .pipe(z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters'));

/** A time in an answer, in RFC 3339. Times that the store makes are in UTC. */
export const timestamp = z.iso.datetime({ offset: true });

/** A time in a request, an event or an import; parsed to UTC with microseconds (contract 1.1). */
export const givenTime = z
  .string()
  .transform((value, context) => {
    const utc = utcTime(value);
    if (utc !== undefined) return utc;
    context.addIssue({ code: 'custom', message: 'must be a time with a zone, such as 2026-01-31T09:30:00Z' });
    return z.NEVER;
  })
  .meta({ type: 'string', format: 'date-time' });

/** A time in a query, where an unencoded plus arrives as a space. */
export const queryTime = z
  .string()
  .transform((value) => value.replace(/ (\d\d(:?\d\d)?)$/, '+$1'))
  .pipe(givenTime)
  .meta({ type: 'string', format: 'date-time' });

/** A whole number in a query or variable: digits only, so `1e2`, ` 5` and an empty text are refused. */
export function wholeNumber(min: number, max: number) {
  return z
    .string('must be given once')
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be ${min} to ${max}`)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** Returns a check of a text's length in code points, and the message if it fails. */
function hasCodePoints(min: number, max: number): [(text: string) => boolean, string] {
  const hasThem = (text: string) => {
    const { length } = [...text];
    return length >= min && length <= max;
  };
  return [hasThem, min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters`];
}
