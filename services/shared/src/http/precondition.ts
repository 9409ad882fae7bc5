import { hash } from 'node:crypto';
import { z } from 'zod';
import { DomainError } from '../values/errors.ts';

/** Makes the tag of a reply that is read as it is: a strong validator, the same at every replica (RFC 9110, 8.8.3). */
export const entityTag = (json: string): string => `"${hash('sha256', json, 'base64url')}"`;

/** Headers of a reply that browsers may keep, if they ask each time whether its state is the current one. */
export const stateHeaders = (state: string) => ({ ETag: entityTag(state), 'Cache-Control': 'private, no-cache' });

export const etagDescription =
  'Identifies this state: send it as If-None-Match to check that it is current, as If-Match to require it.';

/** The request header of a write that may demand the state that its client has seen. */
export const ifMatchHeader = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('The ETag that the resource must still have; otherwise the answer is 412.'),
});

/** The same of a PUT that may also demand that there is nothing yet. */
export const preconditionHeaders = ifMatchHeader.extend({
  'if-none-match': z
    .string()
    .regex(/^(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)$/, 'must be * or entity tags')
    .optional()
    .describe('An ETag that the resource must not have; `*`: it must not exist. Otherwise the answer is 412.'),
});

/** An optional field of the body of a change: the `version` of the resource that its client has seen. */
export const seenVersion = z
  .int()
  .min(1)
  .nullish()
  .describe('The version that the resource must still have; otherwise the answer is 409.');

/** Refuses another version than the current one, read and locked in the transaction that writes (contract 4.12): 409. */
export function mustBeVersion(seen: number | null | undefined, current: number): void {
  if ((seen ?? current) === current) return;
  throw new DomainError('conflict', `It has changed since you read it: its version is ${current}.`, {
    code: 'stale-version',
  });
}

/** Description of a documented 409 where a version may be stale. */
export const staleVersion = 'The resource no longer has the version that the body names.';

/**
 * Refuses a client that has seen another state than the current one, read and locked in the transaction that writes: 412.
 * Compares as RFC 9110, 13.1.1 does: strongly, and `*` is any state.
 */
export function mustMatch(ifMatch: string | undefined, current: string | undefined): void {
  if (ifMatch === undefined || (current !== undefined && matchesTag(ifMatch, current))) return;
  throw new DomainError('preconditionFailed', 'It has changed since you read it. Read it again, and decide anew.');
}

/** Refuses a client that has named the current state as one that must not be, such as `*` to create only: 412 (RFC 9110, 13.1.2). */
export function mustNotMatch(ifNoneMatch: string | undefined, current: string | undefined): void {
  if (ifNoneMatch === undefined || current === undefined || !matchesWeakly(ifNoneMatch, current)) return;
  throw new DomainError('preconditionFailed', 'It is there already. Read it, and decide anew.');
}

// Lists of entity tags, of the client's making: each function looks for what it needs, and builds no list.

/** `*` among them: any state. */
const anyState = /(?:^|,)\s*\*\s*(?:,|$)/;
const beginsHere = /(?<=(?:^|,)\s*)/y;
const endsHere = /\s*(?:,|$)/y;

/** Tells whether a list of entity tags (RFC 9110, 13.1) names this one as it is written, or is or has `*`. */
export const matchesTag = (list: string, tag: string): boolean => lists(list, tag) || anyState.test(list);

/** The same where a weak tag is as good (RFC 9110, 8.8.3.2). */
export const matchesWeakly = (list: string, tag: string): boolean => matchesTag(list, tag) || lists(list, `W/${tag}`);

function lists(list: string, tag: string): boolean {
  for (let at = list.indexOf(tag); at !== -1; at = list.indexOf(tag, at + tag.length)) {
    beginsHere.lastIndex = at;
    endsHere.lastIndex = at + tag.length;
    if (beginsHere.test(list) && endsHere.test(list)) return true;
  }
  return false;
}
