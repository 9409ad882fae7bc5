import { isIPv6 } from 'node:net';

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
