import { z } from 'zod';
import { emailOf } from './email.ts';
import { isVisible } from './text.ts';
import { utcTime } from './utc-time.ts';

// Everything below U+0020 except tabs and line ends, and DEL. PostgreSQL cannot store NUL.
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what the pattern is for
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text that people write: trimmed, `min` to `max` code points, without control characters; something of it is seen, unless it may be empty. */
export function text(min: number, max: number) {
  return z
    .string()
    .trim()
    .refine((value) => !controlCharacters.test(value) && value.isWellFormed(), 'must not contain control characters')
    .refine(...hasCodePoints(min, max))
    .refine((value) => min === 0 || value === '' || isVisible(value), 'must have visible characters')
    .meta({ minLength: min, maxLength: max });
}

/** What no single line has: control characters, ends of lines and paragraphs, and what turns the direction of the text after it. */
const beyondOneLine = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** How links begin that mail clients and browsers make of a text. */
const link = /:\/\/|\bwww\./i;

/** The name of a person, which mails repeat: a text of one line, without links. */
export const personName = (min: number, max: number) =>
  text(min, max)
    .refine((name) => !beyondOneLine.test(name), 'must be one line, without control characters')
    .refine((name) => !link.test(name.normalize('NFKC')), 'must not contain a link');

/** The same in NFC, so that what looks alike is found: for what is searched or compared. */
export const comparable = (min: number, max: number) =>
  z.string().normalize('NFC').pipe(text(min, max)).meta({ minLength: min, maxLength: max });

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

/** The address of whoever may have an account: in the same spelling, if it is one. */
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

/** How a UUID begins, at least four digits of it, as people read it from a page: in lower case and without hyphens. */
export const uuidPrefix = z
  .string()
  .trim()
  .regex(/^[0-9a-f][0-9a-f-]{3,35}$/i, 'must be a UUID, or its first four digits at least')
  .transform((value) => value.toLowerCase().replaceAll('-', ''))
  .refine((digits) => digits.length >= 4 && digits.length <= 32, 'must be a UUID, or its first four digits at least');

/** A query parameter of up to `max` UUIDs, by repetition. */
export const uuids = (max: number) => z.union([uuid.transform((id) => [id]), z.array(uuid).max(max)]);

/** Text of another program, without NUL, which PostgreSQL cannot store; half a character becomes U+FFFD on the way there. */
export const foreignText = z.string().refine((value) => !value.includes('\0'), 'must be text without NUL');

/** A time in an answer: RFC 3339, by the store itself in UTC. */
export const timestamp = z.iso.datetime({ offset: true });

/** A time in a request, an event or an import; in UTC with microseconds once it is parsed (contract 1.1). */
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

/** A whole number in a query or variable: digits only, so neither `1e2` nor ` 5` nor an empty text. */
export function wholeNumber(min: number, max: number) {
  return z
    .string('must be given once')
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be ${min} to ${max}`)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** Returns a rule for the length of a text, and its sentence. */
function hasCodePoints(min: number, max: number): [(text: string) => boolean, string] {
  const hasThem = (text: string) => {
    const { length } = [...text];
    return length >= min && length <= max;
  };
  return [hasThem, min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters`];
}
