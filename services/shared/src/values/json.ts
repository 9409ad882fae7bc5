import { Decimal } from 'decimal.js';

declare global {
  // Of ECMAScript 2026. Node has them, and TypeScript does not declare them yet.
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
    rawJSON(text: string): object;
  }
}

/** A double keeps 15 significant digits, so only a longer run of digits can lose one. */
const longNumber = /[0-9.]{16}/;

/** Parses JSON. A number that a double cannot hold exactly becomes a Decimal. @throws SyntaxError, RangeError if nested too deeply */
export function parseJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    const exact = new Decimal(source);
    return exact.equals(value) ? value : exact;
  });
}

/** Writes JSON, with each Decimal as a plain number with all its digits. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, withAllDigits) ?? 'null';
}

/** Decimals write themselves as strings before a replacer sees them, so this looks at where they come from. */
function withAllDigits(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const own = this[name];
  return typeof own === 'object' && Decimal.isDecimal(own) ? JSON.rawJSON(own.toFixed()) : value;
}

/** A list of JSON texts, in parts that are sent one after the other. */
export const listOfJson = (texts: readonly string[]): string[] => [
  '[',
  ...texts.flatMap((text, n) => (n === 0 ? [text] : [',', text])),
  ']',
];
