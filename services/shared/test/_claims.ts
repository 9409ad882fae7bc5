import type { JWTPayload } from 'jose';

export const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const seconds = () => Math.floor(Date.now() / 1000);

/** Claims of a token that begins now and ends in a minute. */
export const newClaims = (now = seconds()): JWTPayload => ({
  iss: 'store',
  aud: 'store-platform',
  sub: accountId,
  iat: now,
  nbf: now,
  exp: now + 60,
  scope: 'products:read products:write',
});

type ClaimCase = [string, JWTPayload, string, { scope?: string }?];

/** Returns cases of claims, with what they make of a token. Both kinds of keys judge them alike. */
export function claimCases(now = seconds()): ClaimCase[] {
  const claims = newClaims(now);
  const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  return [
    ['all as it should be', claims, 'taken'],
    ['several audiences', { ...claims, aud: ['other', 'store-platform'] }, 'taken'],
    ['the subject in upper case', { ...claims, sub: accountId.toUpperCase() }, 'taken'],
    ['expired within the skew', { ...claims, exp: now - 20 }, 'taken'],
    ['expired', { ...claims, exp: now - 40 }, 'unauthenticated'],
    ['without exp', without('exp'), 'unauthenticated'],
    ['exp as text', { ...claims, exp: 'never' as unknown as number }, 'unauthenticated'],
    ['not yet, within the skew', { ...claims, nbf: now + 20 }, 'taken'],
    ['not yet', { ...claims, nbf: now + 60 }, 'unauthenticated'],
    ['without nbf', without('nbf'), 'unauthenticated'],
    ['another issuer', { ...claims, iss: 'shop' }, 'unauthenticated'],
    ['without issuer', without('iss'), 'unauthenticated'],
    ['another audience', { ...claims, aud: 'store' }, 'unauthenticated'],
    ['without audience', without('aud'), 'unauthenticated'],
    ['another subject', { ...claims, sub: '00000000-0000-4000-8000-000000000001' }, 'unauthenticated'],
    ['without subject', without('sub'), 'unauthenticated'],
    ['the scope', claims, 'taken', { scope: 'products:write' }],
    ['another scope', claims, 'forbidden', { scope: 'orders:write' }],
    ['part of a scope', claims, 'forbidden', { scope: 'products' }],
    ['without scope where one is needed', without('scope'), 'forbidden', { scope: 'products:write' }],
    ['a scope that is no text', { ...claims, scope: ['products:write'] }, 'forbidden', { scope: 'products:write' }],
  ];
}
