import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../values/errors.ts';
import { bearerOf } from './bearer.ts';

/** Refuses an `Authorization` header that does not prove that its sender may call an internal path. */
export type CallerCheck = (authorization: string | undefined) => void;

/**
 * Admits callers with one of these credentials; undefined admits whoever reaches the port (contract 3.7).
 * @returns throws DomainError forbidden (403)
 */
export function callersWith(credentials: string[] | undefined): CallerCheck {
  if (credentials === undefined) return () => undefined;
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
