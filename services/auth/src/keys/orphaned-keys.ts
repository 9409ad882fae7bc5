import { z } from 'zod';
import { digestOf } from '../tokens/tokens.ts';

/** An API key in memory: the SHA-256 digest of its token (base64url), and the signing key's kid, null in keys of release 0.1. */
export const signedKey = z.object({ digest: z.string(), kid: z.string().nullable(), expiresAt: z.number() });

export type SignedKey = z.output<typeof signedKey>;

/**
 * Keeps the digests of API keys whose signing key this replica does not know, because API keys outlive rotations. They are in memory,
 * so a token check needs no database. An entry takes about 130 bytes.
 * @param kids of the known signing keys
 */
export function createOrphanedKeys(kids: readonly string[]) {
  /** Expiry of each token by its digest, in seconds since 1970. */
  const expiries = new Map<string, number>();

  return {
    add({ digest, kid, expiresAt }: SignedKey): void {
      if (kid === null || !kids.includes(kid)) expiries.set(digest, expiresAt);
    },
    has: (token: string): boolean => expiries.has(digestOf(token).toString('base64url')),
    forgetExpired(): void {
      const now = Date.now() / 1000;
      for (const [digest, expiresAt] of expiries) if (expiresAt < now) expiries.delete(digest);
    },
  };
}
