import { hash } from 'node:crypto';
import { z } from 'zod';
import { DomainError } from '../values/errors.ts';

/** Makes the tag of a reply from its exact text: a strong validator, the same at every replica (RFC 9110, 8.8.3). */
export const entityTag = (json: string): string => `"${hash('sha256', json, 'base64url')}"`;

/** Headers of a reply that browsers may keep if they revalidate it before each use. */
export const stateHeaders = (state: string) => ({ ETag: entityTag(state), 'Cache-Control': 'private, no-cache' });

export const etagDescription =
  'Identifies this state: send it as If-None-Match to check that it is current, as If-Match to require it.';

/** The request header of a write that may demand the state that the client has seen. */
export const ifMatchHeader = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('The ETag that the resource must still have; otherwise the answer is 412.'),
});

/** The request headers of a PUT that may also demand that the resource does not exist yet. */
export const preconditionHeaders = ifMatchHeader.extend({
  'if-none-match': z
    .string()
    .regex(/^(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)$/, 'must be * or entity tags')
    .optional()
    .describe('An ETag that the resource must not have; `*`: it must not exist. Otherwise the answer is 412.'),
});

/** An optional field in the body of a change: the `version` of the resource that the client has seen. */
export const seenVersion = z
  .int()
  .min(1)
  .nullish()
  .describe('The version that the resource must still have; otherwise the answer is 409.');

/** Answers 409 unless `seen` is the current version, which the writing transaction has read and locked (contract 4.12). */
export function mustBeVersion(seen: number | null | undefined, current: number): void {
  if ((seen ?? current) === current) return;
  throw new DomainError('conflict', `It has changed since you read it: its version is ${current}.`, {
    code: 'stale-version',
  });
}

/** Describes the 409 of a stale version in documents. */
export const staleVersion = 'The resource no longer has the version that the body names.';

/**
 * Answers 412 unless the client has seen the current state, which the writing transaction has read and locked.
 * Compares as RFC 9110, 13.1.1: strongly, and `*` matches any state.
 */
export function mustMatch(ifMatch: string | undefined, current: string | undefined): void {
  if (ifMatch === undefined || (current !== undefined && matchesTag(ifMatch, current))) return;
  throw new DomainError('preconditionFailed', 'It has changed since you read it. Fetch it again before you retry.');
}

/** Answers 412 if If-None-Match names the current state, or is `*` and the resource exists (RFC 9110, 13.1.2). */
export function mustNotMatch(ifNoneMatch: string | undefined, current: string | undefined): void {
  if (ifNoneMatch === undefined || current === undefined || !matchesWeakly(ifNoneMatch, current)) return;
  throw new DomainError('preconditionFailed', 'It already exists. Fetch it before you retry.');
}

// Clients control the lists of entity tags: each function searches for one tag and builds no list.

/** A list that contains `*`, which matches any state. */
const anyState = /(?:^|,)\s*\*\s*(?:,|$)/;
const beginsHere = /(?<=(?:^|,)\s*)/y;
const endsHere = /\s*(?:,|$)/y;

/** Tells whether a list of entity tags (RFC 9110, 13.1) has exactly this tag, or `*`. */
export const matchesTag = (list: string, tag: string): boolean => lists(list, tag) || anyState.test(list);

/** Like `matchesTag`, but a weak tag also matches (RFC 9110, 8.8.3.2). */
export const matchesWeakly = (list: string, tag: string): boolean => matchesTag(list, tag) || lists(list, `W/${tag}`);

function lists(list: string, tag: string): boolean {
  for (let at = list.indexOf(tag); at !== -1; at = list.indexOf(tag, at + tag.length)) {
    beginsHere.lastIndex = at;
    endsHere.lastIndex = at + tag.length;
    if (beginsHere.test(list) && endsHere.test(list)) return true;
  }
  return false;
}
