import { Decimal } from 'decimal.js';
import { isSafeNumber, parse, stringify } from 'lossless-json';

/** A double keeps 15 significant digits, so only a longer run of digits can lose one. */
const longNumber = /[0-9.]{16}/;

/** Parses JSON. A number that a double cannot hold exactly becomes a Decimal. @throws SyntaxError, RangeError if nested too deeply */
export function parseJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return parse(text, undefined, {
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : new Decimal(digits)),
    onDuplicateKey: ({ newValue }) => newValue,
  });
}

/** Writes JSON, with each Decimal as a plain number with all its digits. */
export function stringifyJson(value: unknown): string {
  return (
    stringify(value, undefined, undefined, [
      { test: (part) => Decimal.isDecimal(part), stringify: (part) => (part as Decimal).toFixed() },
    ]) ?? 'null'
  );
}

/** A list of JSON texts, in parts that are sent one after the other. */
export const listOfJson = (texts: readonly string[]): string[] => [
  '[',
  ...texts.flatMap((text, n) => (n === 0 ? [text] : [',', text])),
  ']',
];
