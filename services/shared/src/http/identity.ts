import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
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

/** Ranges of IPv6 whose last 32 bits are the IPv4 address of a client (RFC 4291, 2.5.5.2; RFC 6145; RFC 6052). */
const embeddingRanges = new Set(['ipv4Mapped', 'rfc6145', 'rfc6052']);

/**
 * The address of the client, as only the gateway sets it (x-envoy-external-address), with or without a port. Of IPv6 it is the /64,
 * which one household or machine has to itself (RFC 6177, 2), or the IPv4 address that it embeds.
 * @returns undefined for a request that did not come through the gateway; what is no address as it is
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
