import { createHash } from 'node:crypto';
import type { CryptoKey } from 'jose';

/** The only algorithm of platform tokens (decisions 3). */
export const tokenAlgorithm = 'HS256';
export const tokenIssuer = 'store';
export const tokenAudience = 'store-platform';

export interface TokenKey {
  /** A digest of the key, so that a token says which key signed it without giving it away. */
  kid: string;
  key: CryptoKey;
}

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * What is wrong with a JWT secret, as a sentence; undefined when it may be used.
 * spec: Limits, JWT secret strength; decisions 3
 */
export function secretProblem(secret: string): string | undefined {
  if (!base64.test(secret)) return 'must be base64 text. Make one with: openssl rand -base64 32';
  const bytes = Buffer.from(secret, 'base64');
  if (bytes.length < 32) return 'must hold at least 32 bytes (256 bits). Make one with: openssl rand -base64 32';
  if (new Set(bytes).size < 8) return 'is a pattern, not a random key. Make one with: openssl rand -base64 32';
  return undefined;
}

/** A CryptoKey imported once: jose would import raw bytes again for every token. */
export async function importTokenKey(secret: string): Promise<TokenKey> {
  const bytes = Buffer.from(secret, 'base64');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  return { kid: createHash('sha256').update('store-jwt-kid').update(bytes).digest('base64url').slice(0, 16), key };
}
