/** Returns the first characters of a text, at most `max` code points: half of one can be stored and sent by nobody. */
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

/** Returns what PostgreSQL can store of a text, also within JSON: no NUL and no half of a character; at most `max` of them. */
export const storable = (text: string, max = Number.POSITIVE_INFINITY): string =>
  cut(text.replaceAll('\0', '').toWellFormed(), max);

/** A character that is seen: no format, filler or separator, nor the Braille pattern without dots. */
const visible = /[^\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}\p{Cc}\u2800]/u;

/** Tells whether a reader sees anything of a text. */
export const isVisible = (text: string): boolean => visible.test(text);
