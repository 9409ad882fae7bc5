import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** In the format of INTERNAL_CREDENTIAL and INTERNAL_CREDENTIALS (contract 3.7). */
export const newCredential = () => randomBytes(32).toString('hex');

/** In the format of JWT_PRIVATE_KEY and JWT_PREVIOUS_PUBLIC_KEYS (contract 3.2). */
export const newKeyPair = () =>
  generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
