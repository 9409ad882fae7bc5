import express, { type Handler, type Request } from 'express';
import { DomainError } from '../values/errors.ts';
import { parseJson } from '../values/json.ts';

/** The same as at the gateway (contract 2.5). */
const limit = '1mb';
const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i;

/** Collects the body as bytes, which `parsedBody` parses. */
export const collectBody: Handler = express.raw({ limit, type: () => true });

/**
 * The body parsed as JSON; numbers that a double cannot hold are Decimals.
 * @throws DomainError invalid or unsupportedMedia
 */
export function parsedBody(req: Request): unknown {
  const bytes: unknown = req.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw new DomainError('invalid', 'The body is missing.');
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  if (!jsonType.test(type) || (charset !== undefined && !/^charset="?utf-?8"?$/i.test(charset))) {
    throw new DomainError('unsupportedMedia', 'Send the body as Content-Type: application/json in UTF-8.');
  }
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof RangeError)
      throw new DomainError('invalid', 'The body is nested too deeply.', { cause: error });
    throw new DomainError('invalid', 'The body is not valid JSON.', { code: 'malformed-json', cause: error });
  }
}
