import { isIPv6 } from 'node:net';
import { bearerChallenge } from '../auth/bearer.ts';
import { DomainError } from '../values/errors.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Names of what an account may do beyond every customer (contract 3.9). */
export const roleNames = ['catalogue', 'operator'] as const;
export type Role = (typeof roleNames)[number];

/** Names in a header that the gateway sets, comma-separated: roles of the caller, or the scopes of its API key. */
export const namesIn = (header: string | string[] | undefined): readonly string[] | undefined =>
  typeof header === 'string' ? header.split(',') : header;

/** The refusal of a caller, which says what is missing. */
export const lacksRole = (role: Role) =>
  new DomainError('forbidden', `Your account needs the role ${role}, which only an operator can give.`);

/** Names of what an API key may be for (contract 3.12). */
export const scopeNames = ['orders:read', 'orders:write', 'products:write', 'stock:write'] as const;
export type Scope = (typeof scopeNames)[number];

/** Refuses an API key without the scope of a route, and every one where that has none; a session has no scopes. */
export function requireScope(needed: Scope | undefined, scopes: readonly string[] | undefined): void {
  if (scopes === undefined) return;
  if (needed === undefined)
    throw new DomainError('forbidden', 'No API key may do this, whatever its scopes. Log in instead.');
  if (scopes.includes(needed)) return;
  // RFC 6750, 3.1
  const challenge = `${bearerChallenge}, error="insufficient_scope", scope="${needed}"`;
  throw new DomainError('forbidden', `The API key lacks the scope ${needed}.`, { challenge });
}

/**
 * The account on whose behalf a request comes: `id-account`, set by the gateway (contract 2.3).
 * @throws DomainError unauthenticated when the header is missing, repeated or not a UUID
 */
export function accountIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && uuidPattern.test(header)) return header.toLowerCase();
  const fault = header === undefined ? 'missing' : 'not a UUID';
  throw new DomainError('unauthenticated', `The header id-account is ${fault}.`);
}

/**
 * The address of the client, as only the gateway sets it (x-envoy-external-address). Of IPv6 it is the /64, which one household
 * or machine has to itself (RFC 6177, 2).
 * @returns undefined for a request that did not come through the gateway
 */
export function clientAddressOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || !isIPv6(header)) return typeof header === 'string' ? header : undefined;
  // Written canonically: lower case, and the longest run of zeros as ::
  const [before = '', after] = new URL(`http://[${header}]`).hostname.slice(1, -1).split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after ? after.split(':') : [];
  const groups = after === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
