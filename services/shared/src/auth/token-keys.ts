import { createHash, createPublicKey } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, importPKCS8, importSPKI } from 'jose';
import { tryParse } from '../values/errors.ts';

export const tokenIssuer = 'store';
export const tokenAudience = 'store-platform';
/** Audience of the token that services get in place of an API key: a service that ignores scopes would take it for a session. */
export const scopedAudience = 'store-platform-scoped';

export interface TokenKey {
  /** A digest of the key, which tells which key signed a token without revealing the key. */
  kid: string;
  /** With a shared secret, or with a key pair whose public key only verifies (contract 3.2). */
  algorithm: 'HS256' | 'EdDSA';
  key: CryptoKey;
}

export interface SigningKey extends TokenKey {
  /** For a shared secret, the same as `key`. */
  signingKey: CryptoKey;
}

/** SHA-256 of published sample secrets, which people copy from courses and tutorials (contract 3.2). */
const sampleSecrets = new Set([
  'bcd4608bfbcea08e84da42d9cad2e1bd7bcdf2234e0d63b43a86bd8942cfca2d',
  'b3f6f5d4f9cee4e99fe5db63234b775a205edc23efbbff87acc308626b5fd24a',
]);

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Says why a JWT secret is refused; undefined if it is acceptable (contract 3.2). */
export function secretProblem(secret: string): string | undefined {
  if (!base64.test(secret)) return 'must be base64 text. Make one with: openssl rand -base64 32';
  const bytes = Buffer.from(secret, 'base64');
  if (bytes.length < 32) return 'must hold at least 32 bytes (256 bits). Make one with: openssl rand -base64 32';
  const steps = bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0));
  if (new Set(bytes).size < 8 || new Set(steps).size < 8)
    return 'is a pattern, not a random key. Make one with: openssl rand -base64 32';
  if (sampleSecrets.has(createHash('sha256').update(bytes).digest('hex')))
    return 'is a published sample key that everybody knows. Make one with: openssl rand -base64 32';
  return undefined;
}

/** Imports the key once, because jose would import raw bytes again for every token. */
export async function importTokenKey(secret: string): Promise<SigningKey> {
  const bytes = Buffer.from(secret, 'base64');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  const kid = createHash('sha256').update('store-jwt-kid').update(bytes).digest('base64url').slice(0, 16);
  return { kid, algorithm: 'HS256', key, signingKey: key };
}

/** Imports the configured secrets, the current one first. */
export function importSecrets(config: {
  JWT_SECRET_KEY?: string | undefined;
  JWT_PREVIOUS_SECRET_KEYS?: string[];
}): Promise<SigningKey[]> {
  const current = config.JWT_SECRET_KEY === undefined ? [] : [config.JWT_SECRET_KEY];
  return Promise.all([...current, ...(config.JWT_PREVIOUS_SECRET_KEYS ?? [])].map(importTokenKey));
}

/** Says why the private key of a key pair is refused; undefined if it is acceptable. */
export function privateKeyProblem(pem: string): string | undefined {
  return isEd25519(pem, 'PRIVATE')
    ? undefined
    : 'must be an Ed25519 private key in PEM. Make one with: openssl genpkey -algorithm ed25519';
}

/** Says why public keys, one PEM block after another, are refused; undefined if all are acceptable. */
export function publicKeysProblem(pems: string): string | undefined {
  const rest = pems.replaceAll(publicBlock, '').trim();
  return rest === '' && publicBlocks(pems).every((pem) => isEd25519(pem, 'PUBLIC'))
    ? undefined
    : 'must be Ed25519 public keys in PEM, one after another. Print one with: openssl pkey -pubout';
}

/** @param pem an Ed25519 private key in PKCS #8 (RFC 8410) */
export async function importPrivateKey(pem: string): Promise<SigningKey> {
  const spki = createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();
  return { ...(await importPublicKey(spki)), signingKey: await importPKCS8(pem, 'EdDSA') };
}

/** @param pems Ed25519 public keys (SPKI, RFC 8410), one block after another */
export const importPublicKeys = (pems: string): Promise<TokenKey[]> =>
  Promise.all(publicBlocks(pems).map(importPublicKey));

async function importPublicKey(pem: string): Promise<TokenKey> {
  const key = await importSPKI(pem, 'EdDSA', { extractable: true });
  return { kid: await calculateJwkThumbprint(await exportJWK(key)), algorithm: 'EdDSA', key };
}

const publicBlock = /-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g;
export const publicBlocks = (pems: string): string[] => pems.match(publicBlock) ?? [];

/** Also accepts a private key, from which Node derives the public key. */
const isEd25519 = (pem: string, half: 'PRIVATE' | 'PUBLIC'): boolean =>
  pem.includes(`BEGIN ${half} KEY`) && tryParse(() => createPublicKey(pem).asymmetricKeyType) === 'ed25519';
