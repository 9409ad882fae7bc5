import {
  importPrivateKey,
  importPublicKeys,
  importTokenKey,
  type SigningKey,
  type TokenKey,
} from '@store/shared/auth/token-keys';
import { exportJWK } from 'jose';
import type { AuthConfig } from './config.ts';
import type { Jwks } from './schemas.ts';

/** The keys that the environment configures (contract 3.2); `requireTokenKey` has made sure that one can sign. */
export async function tokenKeysFrom(config: AuthConfig): Promise<{ key: SigningKey; previousKeys: TokenKey[] }> {
  const { JWT_SECRET_KEY, JWT_PREVIOUS_SECRET_KEYS, JWT_PRIVATE_KEY, JWT_PREVIOUS_PUBLIC_KEYS } = config;
  const secrets = [...(JWT_SECRET_KEY === undefined ? [] : [JWT_SECRET_KEY]), ...JWT_PREVIOUS_SECRET_KEYS];
  const imported = await Promise.all(secrets.map(importTokenKey));
  const publicKeys = await importPublicKeys(JWT_PREVIOUS_PUBLIC_KEYS);
  if (JWT_PRIVATE_KEY !== undefined)
    return { key: await importPrivateKey(JWT_PRIVATE_KEY), previousKeys: [...publicKeys, ...imported] };
  const [key, ...previous] = imported as [SigningKey, ...SigningKey[]];
  return { key, previousKeys: [...publicKeys, ...previous] };
}

/** The public halves of the key pairs. */
export async function jwksOf(keys: TokenKey[]): Promise<Jwks> {
  const pairs = keys.filter(({ algorithm }) => algorithm === 'EdDSA');
  const published = pairs.map(async ({ kid, key }) => {
    const { x = '' } = await exportJWK(key);
    return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } as const;
  });
  return { keys: await Promise.all(published) };
}
