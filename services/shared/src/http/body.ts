import express, { type Handler, type Request } from 'express';
import { DomainError } from '../values/errors.ts';
import { parseBounded } from './bounded-json.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i;
/** NDJSON has no registered type; these are in use. */
const linesType = /^application\/(?:x-ndjson|ndjson|jsonl)$/i;

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
  requireType(req, jsonType, 'application/json');
  return parseBounded('The body', bytes, decimals);
}

/** Checks the type of a body that may not be compressed. @throws DomainError unsupportedMedia */
function requireType(req: Request, admitted: RegExp, name: string): void {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  if (!admitted.test(type) || (charset !== undefined && !/^charset="?utf-?8"?$/i.test(charset))) {
    throw new DomainError('unsupportedMedia', `Send the body as Content-Type: ${name} in UTF-8.`);
  }
}

/** The longest time for which the body of an upload is received. The gateway allows less (`gateway.timeouts.request`). */
const maxUploadMs = 60_000;

/**
 * Streams the body of a route with `lines`, as fast as the handler takes it. Beyond a limit it drops what still arrives, and closes
 * the connection at the end of the time, so a client that trickles or never ends holds it no longer.
 * @throws DomainError unsupportedMedia, tooLarge, or invalid if the client goes away
 */
export async function* uploadOf(req: Request, kib: number, maxMs = maxUploadMs): AsyncGenerator<Buffer> {
  requireType(req, linesType, 'application/x-ndjson');
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new DomainError('unsupportedMedia', 'Send the body uncompressed.');
  const tooLarge = () => {
    req.resume();
    return new DomainError('tooLarge', `The body is larger than ${kib} KiB.`);
  };
  const deadline = setTimeout(() => req.destroy(), maxMs).unref();
  req.once('close', () => clearTimeout(deadline));
  if (Number(req.headers['content-length'] ?? 0) > kib * 1024) throw tooLarge();
  let size = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > kib * 1024) throw tooLarge();
      yield chunk;
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('invalid', 'The request was aborted.', { cause: error });
  }
}
