import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { accountId, base64url, type Expected, forged, newClaims, otherId, outcome, prove } from '../../test/_bearer.ts';
import { bearerFrom } from './bearer.ts';
import { importTokenKey } from './token-keys.ts';

const now = Math.floor(Date.now() / 1000);
const claims = newClaims(now);
const newSecret = () => randomBytes(32).toString('base64');
const [secret, previous] = [newSecret(), newSecret()];
const bytes = Buffer.from(secret, 'base64');
const { kid } = await importTokenKey(secret);
const { kid: previousKid } = await importTokenKey(previous);
const keys = { JWT_SECRET_KEY: secret, JWT_PREVIOUS_SECRET_KEYS: [previous] };
const validator = bearerFrom({ BEARER_VALIDATION: 'on', ...keys });

async function tokenBy(of: string, payload = claims): Promise<string> {
  const { kid, key } = await importTokenKey(of);
  return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid }).sign(key);
}
const token = await tokenBy(secret);
const scope = 'orders:write';
const apiKey = { ...claims, aud: 'store-platform-scoped' };
const key = await tokenBy(secret, { ...claims, scope: 'orders:read' });

const without = (name: string) => ({ ...claims, [name]: undefined });

describe('with the platform key', () => {
  it.each<[string, JWTPayload, string, Expected?]>([
    ['valid claims', claims, 'taken'],
    ['several audiences', { ...claims, aud: ['other', 'store-platform'] }, 'taken'],
    ['the subject in upper case', { ...claims, sub: accountId.toUpperCase() }, 'taken'],
    ['expired within the skew', { ...claims, exp: now - 20 }, 'taken'],
    ['expired', { ...claims, exp: now - 40 }, 'unauthenticated'],
    ['without exp', without('exp'), 'unauthenticated'],
    ['exp as text', { ...claims, exp: 'never' as unknown as number }, 'unauthenticated'],
    ['not yet, within the skew', { ...claims, nbf: now + 20 }, 'taken'],
    ['not yet', { ...claims, nbf: now + 90 }, 'unauthenticated'],
    ['without nbf', without('nbf'), 'unauthenticated'],
    ['another issuer', { ...claims, iss: 'shop' }, 'unauthenticated'],
    ['without issuer', without('iss'), 'unauthenticated'],
    ['another audience', { ...claims, aud: 'store' }, 'unauthenticated'],
    ['without audience', without('aud'), 'unauthenticated'],
    ['another subject', { ...claims, sub: otherId }, 'unauthenticated'],
    ['without subject', without('sub'), 'unauthenticated'],
    ['a session, which has no scope, for a route with a scope', claims, 'taken', { scope }],
    ['the scope, as an API key', { ...apiKey, scope: 'orders:read orders:write' }, 'taken', { scope }],
    ['another scope', { ...claims, scope: 'orders:read' }, 'forbidden', { scope }],
    ['part of the scope', { ...claims, scope: 'orders' }, 'forbidden', { scope }],
    ['more than the scope', { ...claims, scope: 'orders:write:all' }, 'forbidden', { scope }],
    ['no scope at all, as an API key', { ...claims, scope: '' }, 'forbidden', { scope }],
    ['a scope that is not text', { ...claims, scope: ['orders:write'] }, 'forbidden', { scope }],
    ['a scope for a route that accepts no API key', { ...claims, scope: 'orders:read' }, 'forbidden'],
  ])('%s', async (_, payload, expected, more = {}) => {
    expect(await outcome(validator, `Bearer ${await tokenBy(secret, payload)}`, more)).toBe(expected);
  });

  it.each<[string, string | undefined, Expected, string]>([
    ['a missing token', undefined, {}, ''],
    ['an invalid token', 'Bearer a.b.c', {}, ', error="invalid_token"'],
    ["another account's token", `Bearer ${token}`, { accountId: otherId }, ', error="invalid_token"'],
    ['a missing scope', `Bearer ${key}`, { scope }, `, error="insufficient_scope", scope="${scope}"`],
  ])('challenges after RFC 6750 for %s', async (_, authorization, expected, error) => {
    await expect(prove(validator, authorization, expected)).rejects.toMatchObject({
      challenge: `Bearer realm="store"${error}`,
    });
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['another scheme', `Basic ${token}`],
    ['no token', 'Bearer '],
    ['two tokens', `Bearer ${token} ${token}`],
    ['two headers that were joined', `Bearer ${token}, Bearer ${token}`],
    ['a token with a line end', `Bearer ${token}\n`],
    ['rubbish', 'Bearer a.b.c'],
    ['a changed payload', `Bearer ${token.replace(/\..*\./, `.${base64url({ ...claims, scope: 'all' })}.`)}`],
    ['no signature', `Bearer ${token.replace(/[^.]+$/, '')}`],
  ])('refuses %s', async (_, authorization) => {
    expect(await outcome(validator, authorization)).toBe('unauthenticated');
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

  it.each<[string, string | Promise<string>]>([
    ['a foreign key', tokenBy(newSecret())],
    ['alg none', forged({ alg: 'none', kid }, undefined)],
    ['alg none with a signature', forged({ alg: 'none', kid }, bytes)],
    ['alg None', forged({ alg: 'None', kid }, bytes)],
    ['alg HS384 by the right key', new SignJWT(claims).setProtectedHeader({ alg: 'HS384', kid }).sign(bytes)],
    ['alg RS256', new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(rsa)],
    ['no kid', forged({ alg: 'HS256' }, bytes)],
    ['another kid', forged({ alg: 'HS256', kid: previousKid }, bytes)],
    ['an unknown critical header', forged({ alg: 'HS256', kid, crit: ['x'], x: 1 }, bytes)],
    ['the secret as text', forged({ alg: 'HS256', kid }, secret)],
  ])('refuses a token with %s', async (_, made) => {
    expect(await outcome(validator, `Bearer ${await made}`)).toBe('unauthenticated');
  });

  it('accepts a valid token built by hand, so the forgeries above fail for the stated reason', async () => {
    expect(await outcome(validator, `Bearer ${forged({ alg: 'HS256', kid }, bytes)}`)).toBe('taken');
    expect(await outcome(validator, `bearer ${token}`)).toBe('taken');
  });
});

describe('bearerFrom', () => {
  const off = { BEARER_VALIDATION: 'off' as const, JWT_PREVIOUS_SECRET_KEYS: [] };

  it('is off by default', async () => {
    for (const config of [off, { ...off, JWT_SECRET_KEY: secret }])
      expect(await outcome(bearerFrom(config), undefined)).toBe('taken');
  });

  it('accepts the current and the previous keys', async () => {
    for (const one of [secret, previous])
      expect(await outcome(validator, `Bearer ${await tokenBy(one)}`)).toBe('taken');
    expect(await outcome(validator, undefined)).toBe('unauthenticated');
  });
});
