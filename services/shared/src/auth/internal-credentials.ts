import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../values/errors.ts';
import { bearerOf } from './bearer.ts';

/** Refuses an `Authorization` header without a credential for an internal path. */
export type CallerCheck = (authorization: string | undefined) => void;

/**
 * Admits callers with one of these credentials; undefined admits everybody who can reach the port (contract 3.7).
 * @returns throws DomainError forbidden (403)
 */
export function callersWith(credentials: string[] | undefined): CallerCheck {
  if (credentials === undefined) return () => undefined;
  const digests = credentials.map(digest);
  return (authorization) => {
    const given = digest(bearerOf(authorization));
    // Compares with all of them, so that the time does not reveal which was right.
    const matches = digests.filter((known) => timingSafeEqual(known, given));
    if (matches.length === 0)
      throw new DomainError('forbidden', 'The credential of the calling service is missing or wrong.');
  };
}

/** All digests have the same length, as a comparison in constant time requires. */
const digest = (credential: string) => createHash('sha256').update(credential).digest();
