import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { bearerChallenge } from '../auth/bearer.ts';
import { DomainError } from '../values/errors.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Roles, each of which lets an account do more than a customer (contract 3.9). */
export const roleNames = ['catalogue', 'operator'] as const;
export type Role = (typeof roleNames)[number];

/** Reads the comma-separated names in a header that the gateway sets: roles of the caller, or scopes of its API key. */
export const namesIn = (header: string | string[] | undefined): readonly string[] | undefined =>
  typeof header === 'string' ? header.split(',') : header;

/** Refuses a caller and names the missing role. */
export const lacksRole = (role: Role) =>
  new DomainError('forbidden', `Your account needs the role ${role}, which only an operator can give.`);

/** Scopes, which limit what an API key may be used for (contract 3.12). */
export const scopeNames = [
  'orders:read',
  'orders:write',
  'orders:all',
  'orders:ship',
  'products:write',
  'stock:write',
  'refunds:write',
  'webhooks',
] as const;
export type Scope = (typeof scopeNames)[number];

/** Scopes for what only operators may do, so that only they can make keys with them. */
const operatorScopes: readonly string[] = ['orders:all', 'orders:ship', 'refunds:write', 'webhooks'] satisfies Scope[];
export const isOperatorScope = (scope: string): boolean => operatorScopes.includes(scope);

/** A scope, or several of which an API key needs one. */
export type AnyScope = Scope | readonly [Scope, ...Scope[]];

/**
 * Refuses an API key that lacks the scopes of a route, and every API key if the route has no scope.
 * @param scopes undefined for a session, which has no scopes
 */
export function requireScope(needed: AnyScope | undefined, scopes: readonly string[] | undefined): void {
  if (scopes === undefined) return;
  if (needed === undefined)
    throw new DomainError('forbidden', 'No API key may do this, regardless of its scopes. Log in instead.');
  const accepted = [needed].flat();
  if (accepted.some((scope) => scopes.includes(scope))) return;
  // RFC 6750, 3.1
  const challenge = `${bearerChallenge}, error="insufficient_scope", scope="${accepted.join(' ')}"`;
  throw new DomainError('forbidden', `The API key lacks the scope ${accepted.join(' or ')}.`, { challenge });
}

/** Whether a caller may use a scope: a session may use all, as far as the roles of its account go. */
export const hasScope = (scopes: readonly string[] | undefined, scope: Scope): boolean =>
  scopes === undefined || scopes.includes(scope);

/**
 * Returns the account of the caller: `id-account`, set by the gateway (contract 2.3).
 * @throws DomainError unauthenticated if the header is missing, repeated or not a UUID
 */
export function accountIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && uuidPattern.test(header)) return header.toLowerCase();
  const fault = header === undefined ? 'missing' : 'not a UUID';
  throw new DomainError('unauthenticated', `The header id-account is ${fault}.`);
}

/** IPv6 ranges whose last 32 bits are the IPv4 address of a client (RFC 4291, 2.5.5.2; RFC 6145; RFC 6052). */
const embeddingRanges = new Set(['ipv4Mapped', 'rfc6145', 'rfc6052']);

/**
 * Reads the address of the client, with or without a port, from x-envoy-external-address, which only the gateway sets. An IPv6 address
 * becomes its /64, which belongs to one household or machine (RFC 6177, 2), or the IPv4 address that it embeds.
 * @returns undefined for a request that did not come through the gateway; text that is no address unchanged
 */
export function clientAddressOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || isIPv4(header)) return typeof header === 'string' ? header : undefined;
  const [, inBrackets, beforePort] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(header) ?? [];
  const text = inBrackets ?? beforePort ?? header;
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return header;
  const address = ipaddr.IPv6.parse(text);
  if (embeddingRanges.has(address.range())) return address.toByteArray().slice(-4).join('.');
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
