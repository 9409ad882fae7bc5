/** Returns the first `max` code points of a text at most. Half a code point cannot be stored or sent. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  let [units, count] = [0, 0];
  for (const character of text) {
    if (count === max) break;
    units += character.length;
    count += 1;
  }
  return text.slice(0, units);
}

/** Makes a text storable by PostgreSQL, also within JSON: removes NUL, replaces lone surrogates by U+FFFD, and cuts to `max` code points. */
export const storable = (text: string, max = Number.POSITIVE_INFINITY): string =>
  cut(text.replaceAll('\0', '').toWellFormed(), max);

/** A visible character: not a format character, filler, separator or blank Braille pattern. */
const visible = /[^\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}\p{Cc}\u2800]/u;

/** Tells whether a text has a visible character. */
export const isVisible = (text: string): boolean => visible.test(text);
