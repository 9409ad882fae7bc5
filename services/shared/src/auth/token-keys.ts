import { createHash } from 'node:crypto';
import type { CryptoKey } from 'jose';

/** The only algorithm of platform tokens (contract 3.2). */
export const tokenAlgorithm = 'HS256';
export const tokenIssuer = 'store';
export const tokenAudience = 'store-platform';

export interface TokenKey {
  /** A digest of the key: tells which key signed a token without revealing it. */
  kid: string;
  key: CryptoKey;
}

/** SHA-256 of secrets that courses and tutorials print and people copy (contract 3.2). */
const sampleSecrets = new Set([
  'bcd4608bfbcea08e84da42d9cad2e1bd7bcdf2234e0d63b43a86bd8942cfca2d',
  'b3f6f5d4f9cee4e99fe5db63234b775a205edc23efbbff87acc308626b5fd24a',
]);

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * What is wrong with a JWT secret, as a sentence; undefined if it is acceptable (contract 3.2).
 */
export function secretProblem(secret: string): string | undefined {
  if (!base64.test(secret)) return 'must be base64 text. Make one with: openssl rand -base64 32';
  const bytes = Buffer.from(secret, 'base64');
  if (bytes.length < 32) return 'must hold at least 32 bytes (256 bits). Make one with: openssl rand -base64 32';
  const steps = bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0));
  if (new Set(bytes).size < 8 || new Set(steps).size < 8)
    return 'is a pattern, not a random key. Make one with: openssl rand -base64 32';
  if (sampleSecrets.has(createHash('sha256').update(bytes).digest('hex')))
    return 'is a printed sample key that everybody knows. Make one with: openssl rand -base64 32';
  return undefined;
}

/** Imports the key once: jose would import raw bytes again for every token. */
export async function importTokenKey(secret: string): Promise<TokenKey> {
  const bytes = Buffer.from(secret, 'base64');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  return { kid: createHash('sha256').update('store-jwt-kid').update(bytes).digest('base64url').slice(0, 16), key };
}
