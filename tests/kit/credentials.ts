import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** As INTERNAL_CREDENTIAL and INTERNAL_CREDENTIALS take it (contract 3.7). */
export const newCredential = () => randomBytes(32).toString('hex');

/** As JWT_PRIVATE_KEY and JWT_PREVIOUS_PUBLIC_KEYS take them (contract 3.2). */
export const newKeyPair = () =>
  generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
