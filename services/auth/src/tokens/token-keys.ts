import {
  importPrivateKey,
  importPublicKeys,
  importSecrets,
  type SigningKey,
  type TokenKey,
} from '@store/shared/auth/token-keys';
import { exportJWK } from 'jose';
import type { AuthConfig } from '../config.ts';
import type { Jwks } from '../schemas.ts';

/** Imports the configured keys (contract 3.2). The configuration guarantees that there is a key to sign with. */
export async function tokenKeysFrom(config: AuthConfig): Promise<{ key: SigningKey; previousKeys: TokenKey[] }> {
  const { JWT_PRIVATE_KEY, JWT_PREVIOUS_PUBLIC_KEYS } = config;
  const secrets = await importSecrets(config);
  const publicKeys = await importPublicKeys(JWT_PREVIOUS_PUBLIC_KEYS);
  if (JWT_PRIVATE_KEY !== undefined)
    return { key: await importPrivateKey(JWT_PRIVATE_KEY), previousKeys: [...publicKeys, ...secrets] };
  const [key, ...previous] = secrets as [SigningKey, ...SigningKey[]];
  return { key, previousKeys: [...publicKeys, ...previous] };
}

/** Returns the public keys of the key pairs as a JWK Set. */
export async function jwksOf(keys: TokenKey[]): Promise<Jwks> {
  const pairs = keys.filter(({ algorithm }) => algorithm === 'EdDSA');
  const published = pairs.map(async ({ kid, key }) => {
    const { x = '' } = await exportJWK(key);
    return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } as const;
  });
  return { keys: await Promise.all(published) };
}
