import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** For an address that deliveries must not reach. Says nothing that a stranger could learn the network by. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
  constructor() {
    super('The host has no public address.');
  }
}

/** RFC 2544: networks that are measured, which the library takes for the internet. */
const benchmarks = ipaddr.IPv4.parseCIDR('198.18.0.0/15');
/** The host of a virtual machine of Azure, which tells the machine its configuration. It is reached only from there. */
const hostOfAzure = ipaddr.IPv4.parseCIDR('168.63.129.16/32');
/** RFC 8215: translated locally, to whatever the operator of the network likes. */
const localNat64 = ipaddr.IPv6.parseCIDR('64:ff9b:1::/48');
/** All that is assigned to the internet (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

export type Range = ReturnType<typeof rangeOf>;
/** @param text CIDR, such as 203.0.113.0/24 */
export const rangeOf = (text: string) => ipaddr.parseCIDR(text);

/**
 * Whether an address is on the internet: not private, loopback, link-local, shared (RFC 6598), reserved, multicast, nor one that
 * stands for an IPv4 address (mapped, NAT64, 6to4, Teredo), nor one of the installation's own.
 */
export function isPublic(address: string, own: readonly Range[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (own.some((range) => isWithin(parsed, range))) return false;
  if (parsed instanceof ipaddr.IPv4) return !parsed.match(benchmarks) && !parsed.match(hostOfAzure);
  return parsed.match(globalUnicast) && !parsed.match(localNat64);
}

/** Addresses of the two families are never within each other. */
const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Range): boolean =>
  address instanceof ipaddr.IPv4
    ? network instanceof ipaddr.IPv4 && address.match(network, bits)
    : network instanceof ipaddr.IPv6 && address.match(network, bits);

export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Asks the name servers itself. The system's lookups share four threads, which a few names without an answer would occupy, and
 * endpoints that work would wait.
 */
const nameServers = new Resolver({ timeout: 2_000, tries: 2 });

/** All addresses of a name. @throws the error of the name servers if there is none */
export async function resolveName(hostname: string): Promise<string[]> {
  const [v4, v6] = await Promise.allSettled([nameServers.resolve4(hostname), nameServers.resolve6(hostname)]);
  const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
  return found;
}

/**
 * Resolves a name for a connection, which then uses these addresses: a name that has another address a moment later gains nothing. A
 * name with a single forbidden address is refused.
 */
export const publicLookup =
  (own: readonly Range[], resolve: Resolve = resolveName): LookupFunction =>
  (hostname, options, callback) => {
    const found = (addresses: string[]) => {
      const [first] = addresses;
      if (first === undefined || !addresses.every((address) => isPublic(address, own)))
        return callback(new ForbiddenAddress(), '', 0);
      // Node asks for all if it may try several.
      if (!options.all) return callback(null, first, isIP(first));
      const all = addresses.map((address) => ({ address, family: isIP(address) }));
      return (callback as (error: null, addresses: object[]) => void)(null, all);
    };
    resolve(hostname).then(found, (error) => callback(error, '', 0));
  };

/** A literal is connected to without being resolved. @param hostname as in a URL, IPv6 in brackets */
export function isForbiddenLiteral(hostname: string, own: readonly Range[]): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) !== 0 && !isPublic(literal, own);
}
