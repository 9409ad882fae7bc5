import { z } from 'zod';
import { digestOf } from '../tokens/tokens.ts';

/** What is remembered of an API key: the digest of its token (base64url), and by which key that was signed, if that is known. */
export const signedKey = z.object({ digest: z.string(), kid: z.string().nullable(), expiresAt: z.number() });

export type SignedKey = z.output<typeof signedKey>;

/**
 * Keeps in memory which API keys are genuine although their signing key is not known here, since they outlive rotations: a token
 * check asks nobody. An entry takes about 130 bytes.
 * @param kids of the signing keys that are known
 */
export function createOrphanedKeys(kids: readonly string[]) {
  /** When the token of a digest expires, in seconds since 1970. */
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
