import { createHash } from 'node:crypto';

/**
 * The digest of a request as it was parsed. An Idempotency-Key that comes again with another digest was used for another request
 * (contract 4.7).
 */
export const requestHash = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('base64url');
