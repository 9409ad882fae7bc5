import { DomainError } from '../values/errors.ts';
import { parseJson } from '../values/json.ts';

/** An order with 100 items has 402 values on 4 levels. */
const maxValues = 1_000;
const maxDepth = 20;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses bytes as JSON in UTF-8, within the limits of a body (contract 2.5).
 * @param what how messages name it, such as `The line`
 * @throws DomainError invalid
 */
export function parseBounded(what: string, bytes: Uint8Array, decimals: boolean): unknown {
  try {
    const text = utf8.decode(bytes);
    requireBounds(what, text);
    return decimals ? parseJson(text) : JSON.parse(text);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('invalid', `${what} is not valid JSON.`, { code: 'malformed-json', cause: error });
  }
}

/** Checks the limits before parsing, so that nothing is built from a refused body. Invalid JSON may pass. */
function requireBounds(what: string, text: string): void {
  let [depth, separators, inText] = [0, 0, false];
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (inText) {
      if (char === '\\') index += 1;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '[' || char === '{') {
      depth += 1;
      separators += 1;
    } else if (char === ']' || char === '}') depth -= 1;
    else if (char === ',') separators += 1;
    if (depth > maxDepth) throw new DomainError('invalid', `${what} is nested deeper than ${maxDepth} levels.`);
    if (separators >= maxValues) throw new DomainError('invalid', `${what} holds more than ${maxValues} values.`);
  }
}
