import { createSecretKey } from 'node:crypto';
import {
  importPrivateKey,
  importPublicKeys,
  importTokenKey,
  type SigningKey,
  type TokenKey,
  tokenAudience,
  tokenIssuer,
} from '@store/shared/auth/token-keys';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { newKeyPair } from '../../../tests/kit/credentials.ts';
import { createTokens, type ResolvedSession } from '../src/tokens/tokens.ts';
import { newKey, newSecret } from './_app.ts';

const id = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const jti = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c0de';
const seconds = 1_800_000_000;
const session = { id: jti, accountId: id, authenticatedAt: seconds + 0.123456, expiresAt: seconds + 3600 };
/** Claims of the session's token. */
const claims = {
  iss: tokenIssuer,
  aud: tokenAudience,
  sub: id,
  jti,
  iat: seconds,
  nbf: seconds,
  exp: seconds + 3600,
  auth_time: seconds + 0.123456,
};

const secret = newSecret();
const [key, previousKey, unknownKey] = await Promise.all([importTokenKey(secret), newKey(), newKey()]);
const pair = newKeyPair();
const privateKey = await importPrivateKey(pair.privateKey);
let now: number;
let hasEnded: boolean;

const createOwn = (current: SigningKey = key, previousKeys: TokenKey[] = [previousKey]) =>
  createTokens({ key: current, previousKeys, ttlSeconds: 3600, clock: () => now, hasEnded: () => hasEnded });
let tokens: ReturnType<typeof createOwn>;

beforeEach(() => {
  now = seconds * 1000;
  hasEnded = false;
  tokens = createOwn();
});

type By = Parameters<SignJWT['sign']>[0];
/** A valid token with some claims changed; undefined removes a claim. */
const signed = (changes: object = {}, header: object = {}, by: By = key.key as By) =>
  new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'HS256', kid: key.kid, ...header }).sign(by);
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A valid token with one of its parts replaced. */
const withPart = async (index: number, part: string) => (await signed()).split('.').with(index, part).join('.');

it.each([
  ['a secret', 'HS256', key],
  ['a key pair', 'EdDSA', privateKey],
])('signs a token with all claims with %s', async (_, alg, current) => {
  const own = createOwn(current, []);
  const { token, session: issued } = await own.issue(id, session.authenticatedAt);
  expect(decodeProtectedHeader(token)).toEqual({ alg, typ: 'JWT', kid: current.kid });
  expect(decodeJwt(token)).toEqual({ ...claims, jti: issued.id });
  expect(await own.resolve(token)).toEqual({ ...session, id: issued.id });
});

describe('tokens.resolve', () => {
  it.each<[string, () => Promise<string>, object]>([
    ['that another library signed', () => signed(), {}],
    ['that a previous key signed', () => signed({}, { kid: previousKey.kid }, previousKey.key as By), {}],
    ['of an earlier release, without auth_time', () => signed({ auth_time: undefined }), { authenticatedAt: seconds }],
    ['with a subject in upper case', () => signed({ sub: id.toUpperCase() }), {}],
    ['with an expiry 29 s ago', () => signed({ exp: seconds - 29 }), { expiresAt: seconds - 29 }],
    ['with nbf in 30 s', () => signed({ nbf: seconds + 30 }), {}],
  ])('accepts a token %s', async (_, token, changes) => {
    expect(await tokens.resolve(await token())).toEqual({ ...session, ...changes });
  });

  type Forged = [string, () => Promise<string> | string];
  it.each<Forged>([
    ...['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'jti'].map(
      (name): Forged => [`no ${name}`, () => signed({ [name]: undefined })],
    ),
    ['another issuer', () => signed({ iss: 'shop' })],
    ['another audience', () => signed({ aud: 'shop' })],
    ['a subject that is not a UUID', () => signed({ sub: '42' })],
    ['a subject that is not a string', () => signed({ sub: 42 })],
    ['an expiry that is not a number', () => signed({ exp: '2999-01-01' })],
    ['a jti that is not a UUID', () => signed({ jti: 'one' })],
    ['an expiry 30 s ago', () => signed({ exp: seconds - 30 })],
    ['nbf in 31 s', () => signed({ nbf: seconds + 31 })],
    ['too many characters', () => signed({ filler: 'x'.repeat(4_000) })],
    ['an unknown key under a known kid', () => signed({}, {}, unknownKey.key as By)],
    ['an unknown key', () => signed({}, { kid: unknownKey.kid }, unknownKey.key as By)],
    ['the current key under the kid of the previous one', () => signed({}, { kid: previousKey.kid })],
    ['no kid', () => signed({}, { kid: undefined })],
    ['a kid that is not a string', () => signed({}, { kid: {} })],
    ['HS384 by the current secret', () => signed({}, { alg: 'HS384' }, Buffer.from(secret, 'base64'))],
    ['HS512 by the current secret', () => signed({}, { alg: 'HS512' }, Buffer.from(secret, 'base64'))],
    ...['none', 'None', 'NONE', ''].flatMap((alg): Forged[] => [
      [`alg "${alg}"`, () => withPart(0, base64url({ alg, kid: key.kid }))],
      [`alg "${alg}" and no signature`, async () => `${base64url({ alg, kid: key.kid })}.${base64url(claims)}.`],
    ]),
    ['a changed header', () => withPart(0, base64url({ alg: 'HS256', kid: key.kid, x: 1 }))],
    ['a changed payload', () => withPart(1, base64url({ ...claims, sub: crypto.randomUUID() }))],
    [
      'another spelling of its signature',
      async () => {
        const token = await signed();
        const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
        return token.slice(0, -1) + digits[digits.indexOf(token.at(-1) ?? '') + 1];
      },
    ],
    [
      'an unknown critical header',
      async () => {
        const input = `${base64url({ alg: 'HS256', kid: key.kid, crit: ['x'], x: 1 })}.${base64url(claims)}`;
        const signature = await crypto.subtle.sign('HMAC', key.key as never, Buffer.from(input));
        return `${input}.${Buffer.from(signature).toString('base64url')}`;
      },
    ],
    ...['%s\n', ' %s', '%s=', '%s\r\nx: y'].map(
      (spelling): Forged => [
        `extra characters: ${JSON.stringify(spelling)}`,
        async () => spelling.replace('%s', await signed()),
      ],
    ),
    ...['', '.', '..', 'a.b.c', 'a.b.c.d', 'null.null.null', 'é.é.é'].map(
      (text): Forged => [`only "${text}"`, () => text],
    ),
    ['arrays instead of objects', () => `${base64url([])}.${base64url([])}.AAAA`],
    ['100,000 characters of garbage', () => `${'x'.repeat(50_000)}.${'y'.repeat(50_000)}.z`],
  ])('rejects a token with %s', async (_, token) => {
    expect(await tokens.resolve(await token())).toBeUndefined();
  });

  it('rejects a token with any single character changed', async () => {
    const token = await signed();
    for (let index = 0; index < token.length; index += 1) {
      const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`;
      expect([index, await tokens.resolve(changed)]).toEqual([index, undefined]);
    }
  });

  it('rejects a token that is older than the lifetime configured now', async () => {
    const issuer = createTokens({ key, ttlSeconds: 86_400, clock: () => now, hasEnded: () => false });
    const { token: long } = await issuer.issue(id, seconds);
    expect(await tokens.resolve(long)).toMatchObject({ expiresAt: seconds + 3600 });
    now += 3_630_000;
    for (const own of [tokens, createOwn()]) expect(await own.resolve(long)).toBeUndefined();
  });

  it('rejects a token that has expired by more than the clock skew, cached or not', async () => {
    const token = await signed();
    const remembered = await tokens.resolve(token);
    now = (claims.exp + 30) * 1000 - 1;
    expect(await tokens.resolve(token)).toBe(remembered);
    expect(await createOwn().resolve(token)).toEqual(session);
    now += 1;
    for (const own of [tokens, createOwn()]) expect(await own.resolve(token)).toBeUndefined();
  });

  it('rejects a token whose session has ended, cached or not', async () => {
    const token = await signed();
    expect(await tokens.resolve(token)).toEqual(session);
    hasEnded = true;
    for (const own of [tokens, createOwn()]) expect(await own.resolve(token)).toBeUndefined();
  });
});

it('reuses the token for services for half of its lifetime, and signs another when the roles change', async () => {
  const token = await signed();
  const resolved = async () => (await tokens.resolve(token)) as ResolvedSession;
  const roles = ['operator'];
  const first = await tokens.forServices(await resolved(), roles);
  expect(decodeJwt(first)).toEqual({ ...claims, roles });
  now += 1_799_000;
  expect(await tokens.forServices(await resolved(), roles)).toBe(first);
  expect(decodeJwt(await tokens.forServices(await resolved(), [...roles]))).toMatchObject({
    iat: seconds + 1799,
    roles,
  });
  now += 1_800_000;
  expect(decodeJwt(await tokens.forServices(await resolved(), []))).toMatchObject({ iat: seconds + 3599, roles: [] });
});

describe('tokens signed by a key pair and by a secret', () => {
  it('are accepted by replicas on both sides of a change-over', async () => {
    const replicas = [createOwn(key, await importPublicKeys(pair.publicKey)), createOwn(privateKey, [key])];
    for (const issuer of replicas) {
      const { token, session } = await issuer.issue(id, seconds);
      for (const replica of replicas) expect(await replica.resolve(token)).toEqual(session);
    }
  });

  it('are rejected if their key is not configured, under the kid of the other key, and from another pair', async () => {
    const { signingKey: otherPair } = await importPrivateKey(newKeyPair().privateKey);
    const eddsa = { alg: 'EdDSA', kid: privateKey.kid };
    expect(await createOwn(privateKey, []).resolve(await signed())).toBeUndefined();
    for (const forged of [
      await signed({}, { kid: privateKey.kid }, createSecretKey(Buffer.from(pair.publicKey))),
      await signed({}, { ...eddsa, kid: key.kid }, privateKey.signingKey as By),
      await signed({}, eddsa, otherPair as By),
    ])
      expect(await createOwn(privateKey, [key]).resolve(forged)).toBeUndefined();
  });
});
