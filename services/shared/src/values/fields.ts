import { z } from 'zod';

// Everything below U+0020 but tab and line ends, DEL, and NUL, which PostgreSQL cannot store.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text as people write it: trimmed, then `min` to `max` code points, nothing that cannot be stored or shown. */
export function text(min: number, max: number) {
  return z
    .string()
    .trim()
    .refine((value) => !controlCharacters.test(value) && value.isWellFormed(), 'must not contain control characters')
    .refine(
      (value) => {
        const length = codePoints(value);
        return length >= min && length <= max;
      },
      min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters`,
    )
    .meta({ minLength: min, maxLength: max });
}

/** An e-mail address as it was written, without the blanks around it; two are the same without regard to case. */
export const email = z
  .string()
  .trim()
  .max(254, 'must have at most 254 characters')
  .pipe(z.email('must be an e-mail address'))
  .meta({ format: 'email', maxLength: 254 });

/** A password: any characters, none trimmed. Half a surrogate pair is none: it would turn into another one in UTF-8. */
export function password(min: number, max: number) {
  return z
    .string()
    .refine((value) => value.isWellFormed(), 'must be Unicode text')
    .refine((value) => {
      const length = codePoints(value);
      return length >= min && length <= max;
    }, `must have ${min} to ${max} characters`)
    .meta({ format: 'password', minLength: min, maxLength: max });
}

/** A UUID of any version, in lower case. */
export const uuid = z.guid('must be a UUID').toLowerCase().meta({ format: 'uuid' });

/** An ISO 8601 time with a zone, as this store writes it: UTC. */
export const timestamp = z.iso.datetime({ offset: true });

/** A whole number out of a query: digits only, so neither `1e2` nor ` 5` nor an empty text. */
export function wholeNumber(min: number, max: number) {
  return z
    .string('must be given once')
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be ${min} to ${max}`)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}
