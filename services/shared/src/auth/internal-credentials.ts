import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../values/errors.ts';
import { bearerOf } from './bearer.ts';

/** Refuses a request for an internal path whose `Authorization` header does not prove that a caller may use it. */
export type CallerCheck = (authorization: string | undefined) => void;

/** The default: whoever reaches the port may call (contract 3.7). */
export const anyCaller: CallerCheck = () => undefined;

/**
 * Admits callers with one of these credentials (contract 3.7).
 * @param credentials of the admitted callers; undefined admits everybody
 * @throws DomainError forbidden (403)
 */
export function callersWith(credentials: string[] | undefined): CallerCheck {
  if (credentials === undefined) return anyCaller;
  const digests = credentials.map(digest);
  return (authorization) => {
    const given = digest(bearerOf(authorization));
    // All of them, so that the time says nothing about which one was right.
    const matches = digests.filter((known) => timingSafeEqual(known, given));
    if (matches.length === 0)
      throw new DomainError('forbidden', 'The credential of the calling service is missing or wrong.');
  };
}

/** Makes digests of one length, as the comparison in constant time demands. */
const digest = (credential: string) => createHash('sha256').update(credential).digest();
