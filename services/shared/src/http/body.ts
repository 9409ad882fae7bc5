import express, { type Handler, type Request } from 'express';
import { DomainError } from '../values/errors.ts';
import { parseJson } from '../values/json.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i;
/** An order with 100 items has 402 values on 4 levels. */
const maxValues = 1_000;
const maxDepth = 20;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Collects the body as bytes for `parsedBody`. A compressed body is 415, since a kilobyte may inflate to a megabyte. */
export const collectBody = (kib: number): Handler =>
  express.raw({ limit: kib * 1024, inflate: false, type: () => true });

/**
 * Parses the body as JSON. Works once per request: it releases the bytes, so that a waiting handler does not hold them.
 * @param options decimals: if true, numbers that a double cannot hold become Decimals
 * @throws DomainError invalid or unsupportedMedia
 */
export function parsedBody(req: Request, { decimals = false }: { decimals?: boolean }): unknown {
  const bytes: unknown = req.body;
  req.body = undefined;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw new DomainError('invalid', 'The body is missing.');
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  if (!jsonType.test(type) || (charset !== undefined && !/^charset="?utf-?8"?$/i.test(charset))) {
    throw new DomainError('unsupportedMedia', 'Send the body as Content-Type: application/json in UTF-8.');
  }
  try {
    const text = utf8.decode(bytes);
    requireBounds(text);
    return decimals ? parseJson(text) : JSON.parse(text);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('invalid', 'The body is not valid JSON.', { code: 'malformed-json', cause: error });
  }
}

/** Checks the limits before parsing, so that nothing is built from a refused body. Invalid JSON may pass. */
function requireBounds(text: string): void {
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
    if (depth > maxDepth) throw new DomainError('invalid', `The body is nested deeper than ${maxDepth} levels.`);
    if (separators >= maxValues) throw new DomainError('invalid', `The body holds more than ${maxValues} values.`);
  }
}
