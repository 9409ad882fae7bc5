import { tokenAudience, tokenIssuer } from '@store/shared/auth/token-keys';
import { createTokens } from '../src/tokens.ts';

export const id = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const jti = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c0de';
export const seconds = 1_800_000_000;
export const session = { id: jti, accountId: id, authenticatedAt: seconds + 0.123456, expiresAt: seconds + 3600 };

/** Claims of the token of this session. */
export const claims = {
  iss: tokenIssuer,
  aud: tokenAudience,
  sub: id,
  jti,
  iat: seconds,
  nbf: seconds,
  exp: seconds + 3600,
  auth_time: seconds + 0.123456,
};

type Dependencies = Parameters<typeof createTokens>[0];

export const createTestTokens = (dependencies: Pick<Dependencies, 'key' | 'previousKeys' | 'clock' | 'hasEnded'>) =>
  createTokens({ ttlSeconds: 3600, newId: () => jti, ...dependencies });
