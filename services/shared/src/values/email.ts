import { domainToASCII } from 'node:url';

/** A dot-atom (RFC 5322, 3.2.3), with letters, marks and digits of any script (RFC 6531, 3.3). */
const localPart = /^[\w!#$%&'*+/=?^`{|}~\-\p{L}\p{M}\p{N}]+(\.[\w!#$%&'*+/=?^`{|}~\-\p{L}\p{M}\p{N}]+)*$/u;
/** Labels of letters, marks and digits of any script, with hyphens within. */
const domainName = /^[\p{L}\p{M}\p{N}]+(-+[\p{L}\p{M}\p{N}]+)*(\.[\p{L}\p{M}\p{N}]+(-+[\p{L}\p{M}\p{N}]+)*)+$/u;
/** RFC 1035, 2.3.1. The last label is not numeric, so that no IPv4 address passes. */
const asciiDomain = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what the pattern is for
const beyondAscii = /[^\x00-\x7f]/;

/**
 * Returns an e-mail address in the one spelling that the store keeps: as written if it is ASCII. Otherwise the local part is in NFC and
 * lower case, because PostgreSQL's `lower` may not cover its script, and the domain is in the form of DNS (xn--).
 * @returns undefined if the text is not an e-mail address
 */
export function emailOf(given: string): string | undefined {
  const [local = '', domain = '', ...more] = given.normalize('NFC').split('@');
  if (more.length > 0 || !localPart.test(local) || !domainName.test(domain)) return undefined;
  // Empty if the domain is invalid (UTS #46)
  const ascii = domainToASCII(domain);
  if (!asciiDomain.test(ascii) || ascii.length > 253) return undefined;
  const kept = beyondAscii.test(local) ? local.toLowerCase().normalize('NFC') : local;
  return `${kept}@${beyondAscii.test(domain) ? ascii : domain}`;
}
