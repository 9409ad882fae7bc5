import { createHash } from 'node:crypto';

/** A version 8 UUID made from the digest of a name; the same name gives the same UUID (RFC 9562, appendix B.2). */
export function nameUuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '', 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
