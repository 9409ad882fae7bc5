import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { base64url, forged, outcome } from '../../test/_bearer.ts';
import { accountId, claimCases, newClaims } from '../../test/_claims.ts';
import { bearerFrom, createBearerValidator, noBearer } from './bearer.ts';
import { importTokenKey } from './token-keys.ts';

const claims = newClaims();

const secret = randomBytes(32).toString('base64');
const previous = randomBytes(32).toString('base64');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('with the platform key', () => {
  const header = async (key = secret) => ({ alg: 'HS256', kid: (await importTokenKey(key)).kid });
  const validator = async () =>
    createBearerValidator({ secrets: await Promise.all([secret, previous].map(importTokenKey)) });
  const token = async (payload = claims, key = secret) => {
    const { kid, key: imported } = await importTokenKey(key);
    return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid }).sign(imported);
  };

  it.each(claimCases())('%s', async (_, payload, expected, more = {}) => {
    expect(await outcome(await validator(), `Bearer ${await token(payload)}`, more)).toBe(expected);
  });

  it.each([
    ['a missing token', async () => undefined, {}, 'Bearer realm="store"'],
    ['an invalid token', async () => 'Bearer a.b.c', {}, 'Bearer realm="store", error="invalid_token"'],
    [
      "another account's token",
      async () => `Bearer ${await token()}`,
      { accountId: '00000000-0000-4000-8000-000000000001' },
      'Bearer realm="store", error="invalid_token"',
    ],
    [
      'a missing scope',
      async () => `Bearer ${await token()}`,
      { scope: 'orders' },
      'Bearer realm="store", error="insufficient_scope", scope="orders"',
    ],
  ])('challenges after RFC 6750 for %s', async (_, authorization, expected, challenge) => {
    const validate = await validator();
    const refusal = async () => validate(await authorization(), { accountId, ...expected });
    await expect(refusal()).rejects.toMatchObject({ challenge });
  });

  it('accepts a previous key and refuses a foreign one', async () => {
    expect(await outcome(await validator(), `Bearer ${await token(claims, previous)}`)).toBe('taken');
    expect(await outcome(await validator(), `Bearer ${await token(claims, randomBytes(32).toString('base64'))}`)).toBe(
      'unauthenticated',
    );
  });

  it.each<[string, () => Promise<string | undefined> | string | undefined]>([
    ['no header', () => undefined],
    ['an empty header', () => ''],
    ['another scheme', async () => `Basic ${await token()}`],
    ['no token', () => 'Bearer '],
    ['two tokens', async () => `Bearer ${await token()} ${await token()}`],
    ['two headers that were joined', async () => `Bearer ${await token()}, Bearer ${await token()}`],
    ['a token with a line end', async () => `Bearer ${await token()}\n`],
    ['rubbish', () => 'Bearer a.b.c'],
    ['alg none', async () => `Bearer ${forged({ ...(await header()), alg: 'none' }, undefined)}`],
    [
      'alg none with a signature',
      async () => `Bearer ${forged({ ...(await header()), alg: 'none' }, Buffer.from(secret, 'base64'))}`,
    ],
    ['alg None', async () => `Bearer ${forged({ ...(await header()), alg: 'None' }, Buffer.from(secret, 'base64'))}`],
    [
      'alg HS384 by the right key',
      async () => {
        const key = Buffer.from(secret, 'base64');
        return `Bearer ${await new SignJWT(claims).setProtectedHeader({ ...(await header()), alg: 'HS384' }).sign(key)}`;
      },
    ],
    [
      'alg RS256',
      async () =>
        `Bearer ${await new SignJWT(claims).setProtectedHeader({ ...(await header()), alg: 'RS256' }).sign(rsa.privateKey)}`,
    ],
    ['no kid', () => `Bearer ${forged({ alg: 'HS256' }, Buffer.from(secret, 'base64'))}`],
    ['another kid', async () => `Bearer ${forged({ ...(await header(previous)) }, Buffer.from(secret, 'base64'))}`],
    [
      'an unknown critical header',
      async () => `Bearer ${forged({ ...(await header()), crit: ['x'], x: 1 }, Buffer.from(secret, 'base64'))}`,
    ],
    ['the secret as text', async () => `Bearer ${forged(await header(), secret)}`],
    [
      'a changed payload',
      async () => {
        const [head, , signature] = (await token()).split('.');
        return `Bearer ${head}.${base64url({ ...claims, scope: 'all' })}.${signature}`;
      },
    ],
    ['no signature', async () => `Bearer ${(await token()).replace(/[^.]+$/, '')}`],
  ])('refuses %s', async (_, authorization) => {
    expect(await outcome(await validator(), await authorization())).toBe('unauthenticated');
  });

  it('accepts a valid token built by hand, so the forgeries above fail for the stated reason', async () => {
    expect(await outcome(await validator(), `Bearer ${forged(await header(), Buffer.from(secret, 'base64'))}`)).toBe(
      'taken',
    );
    expect(await outcome(await validator(), `bearer ${await token()}`)).toBe('taken');
  });
});

describe('bearerFrom', () => {
  const off = { BEARER_VALIDATION: 'off' as const, JWT_PREVIOUS_SECRET_KEYS: [] };
  it('is off by default', async () => {
    expect(await bearerFrom({ ...off, JWT_SECRET_KEY: secret })).toBe(noBearer);
    expect(await outcome((await bearerFrom(off)) as never, undefined)).toBe('taken');
  });

  it('accepts the current and the previous keys', async () => {
    const validate = await bearerFrom({
      BEARER_VALIDATION: 'on',
      JWT_SECRET_KEY: secret,
      JWT_PREVIOUS_SECRET_KEYS: [previous],
    });
    for (const text of [secret, previous]) {
      const { kid, key } = await importTokenKey(text);
      const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(key);
      expect(await outcome(validate as never, `Bearer ${token}`)).toBe('taken');
    }
    expect(await outcome(validate as never, undefined)).toBe('unauthenticated');
  });
});
