import { createSecretKey, randomBytes } from 'node:crypto';
import { importPrivateKey, importPublicKeys, type SigningKey, type TokenKey } from '@store/shared/auth/token-keys';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { withShortTitles } from '../../../tests/kit/cases.ts';
import { newKeyPair } from '../../../tests/kit/credentials.ts';
import { createTokens } from '../src/tokens.ts';
import { newKey } from './_app.ts';
import { claims, createTestTokens, id, seconds, session } from './_tokens.ts';

let now = seconds * 1000;
const clock = () => now;

const [key, previousKey, unknownKey] = await Promise.all([newKey(), newKey(), newKey()]);
const pair = newKeyPair();
const privateKey = await importPrivateKey(pair.privateKey);
const ended = new Set<string>();
const createOwn = (current: SigningKey = key, previousKeys: TokenKey[] = [previousKey]) =>
  createTestTokens({ key: current, previousKeys, clock, hasEnded: ({ id }) => ended.has(id) });
let tokens = createOwn();

beforeEach(() => {
  now = seconds * 1000;
  ended.clear();
  tokens = createOwn();
});

/** A valid token with some claims changed; undefined removes a claim. */
function signed(changes: object = {}, { header = {}, by = key.key as Parameters<SignJWT['sign']>[0] } = {}) {
  return new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'HS256', kid: key.kid, ...header }).sign(by);
}
const base64url = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

describe('tokens.issue', () => {
  it.each([
    ['a secret', 'HS256', key],
    ['a key pair', 'EdDSA', privateKey],
  ])('signs a token with all claims with %s', async (_, alg, current) => {
    const own = createOwn(current, []);
    const { token } = await own.issue(id, session.authenticatedAt);
    expect(decodeProtectedHeader(token)).toEqual({ alg, typ: 'JWT', kid: current.kid });
    expect(decodeJwt(token)).toEqual(claims);
    expect(await own.resolve(token)).toEqual(session);
  });
});

describe('tokens.resolve', () => {
  it('accepts a token that another library signed', async () => {
    expect(await tokens.resolve(await signed())).toEqual(session);
  });

  it('accepts a token that a previous key signed', async () => {
    expect(await tokens.resolve(await signed({}, { header: { kid: previousKey.kid }, by: previousKey.key }))).toEqual(
      session,
    );
  });

  it('takes the time of issue for that of the login, where a token of an earlier release lacks it', async () => {
    const token = await signed({ auth_time: undefined });
    expect(await tokens.resolve(token)).toEqual({ ...session, authenticatedAt: seconds });
  });

  it('rejects a token that is older than the life that is configured now', async () => {
    const { token: long } = await createTokens({ key, ttlSeconds: 86_400, clock, hasEnded: () => false }).issue(
      id,
      seconds,
    );
    expect(await tokens.resolve(long)).toMatchObject({ expiresAt: seconds + 3600 });
    now += 3_630_000;
    expect(await tokens.resolve(long)).toBeUndefined();
    expect(await createOwn().resolve(long)).toBeUndefined();
  });

  it('rejects a token whose session has ended, remembered or not', async () => {
    const token = await signed();
    expect(await tokens.resolve(token)).toEqual(session);
    ended.add(session.id);
    expect(tokens.remembered(token)).toBeUndefined();
    expect(await tokens.resolve(token)).toBeUndefined();
    expect(await createOwn().resolve(token)).toBeUndefined();
  });

  it('returns the account id in lower case', async () => {
    expect(await tokens.resolve(await signed({ sub: id.toUpperCase() }))).toEqual(session);
  });

  it.each([
    ['another issuer', { iss: 'shop' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'shop' }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is not a UUID', { sub: '42' }],
    ['a subject that is not a string', { sub: 42 }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is not a number', { exp: '2999-01-01' }],
    ['no nbf', { nbf: undefined }],
    ['no iat', { iat: undefined }],
    ['no jti', { jti: undefined }],
    ['a jti that is not a UUID', { jti: 'one' }],
    ['an expiry 30 s ago', { exp: seconds - 30 }],
    ['nbf in 31 s', { nbf: seconds + 31 }],
  ])('rejects a token with %s', async (_, changes) => {
    expect(await tokens.resolve(await signed(changes))).toBeUndefined();
  });

  it.each([
    ['an expiry 29 s ago', { exp: seconds - 29 }],
    ['nbf in 30 s', { nbf: seconds + 30 }],
  ])('tolerates clock skew: %s', async (_, changes) => {
    expect(await tokens.resolve(await signed(changes))).toMatchObject({ accountId: id });
  });

  it.each([
    ['an unknown key under a known kid', {}, unknownKey.key],
    ['an unknown key', { kid: unknownKey.kid }, unknownKey.key],
    ['the current key under the kid of the previous one', { kid: previousKey.kid }, key.key],
    ['no kid', { kid: undefined }, key.key],
    ['a kid that is not a string', { kid: {} }, key.key],
    ['HS512', { alg: 'HS512' }, createSecretKey(randomBytes(64))],
  ])('rejects a signature with %s', async (_, header, by) => {
    expect(await tokens.resolve(await signed({}, { header: header as object, by }))).toBeUndefined();
  });

  it('rejects HS512 and HS384 even with the current secret', async () => {
    const secret = randomBytes(64);
    const own = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
      'verify',
    ]);
    const ownKey = { kid: 'own', algorithm: 'HS256' as const, key: own, signingKey: own };
    const ownTokens = createTestTokens({ key: ownKey, clock, hasEnded: () => false });
    const by = createSecretKey(secret);
    expect(await ownTokens.resolve(await signed({}, { header: { kid: 'own' }, by }))).toEqual(session);
    for (const alg of ['HS384', 'HS512'])
      expect(await ownTokens.resolve(await signed({}, { header: { kid: 'own', alg }, by }))).toBeUndefined();
  });

  it.each(['none', 'None', 'NONE', ''])('rejects alg "%s"', async (alg) => {
    const head = base64url({ alg, kid: key.kid });
    const [, payload, signature] = (await signed()).split('.');
    for (const end of ['', signature]) expect(await tokens.resolve(`${head}.${payload}.${end}`)).toBeUndefined();
  });

  it('rejects a changed header or payload', async () => {
    const [head, , signature] = (await signed()).split('.');
    const [, payload, end] = (await signed({ sub: crypto.randomUUID() })).split('.');
    const other = base64url({ alg: 'HS256', kid: key.kid, x: 1 });
    for (const forged of [`${head}.${payload}.${signature}`, `${other}.${payload}.${end}`])
      expect(await tokens.resolve(forged)).toBeUndefined();
  });

  it('rejects a token with any single character changed', async () => {
    const token = await signed();
    for (let index = 0; index < token.length; index += 1) {
      const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`;
      expect([index, await tokens.resolve(changed)]).toEqual([index, undefined]);
    }
  });

  it('rejects an unknown critical header', async () => {
    const head = base64url({ alg: 'HS256', kid: key.kid, crit: ['x'], x: 1 });
    const input = `${head}.${base64url(claims)}`;
    const signature = await crypto.subtle.sign('HMAC', key.key as never, Buffer.from(input));
    expect(await tokens.resolve(`${input}.${Buffer.from(signature).toString('base64url')}`)).toBeUndefined();
  });

  const garbage = [
    '',
    '.',
    '..',
    'a.b.c',
    'a.b.c.d',
    'null.null.null',
    `${base64url('[]')}.${base64url('[]')}.AAAA`,
    `${base64url('{"alg":"HS256"}')}.${base64url('no json')}.AAAA`,
    'é.é.é',
    'x'.repeat(100_000),
    `${'x'.repeat(50_000)}.${'y'.repeat(50_000)}.z`,
  ];
  it.each(withShortTitles(garbage))('rejects garbage: "%s"', async (_, token) => {
    expect(await tokens.resolve(token)).toBeUndefined();
  });

  it.each(['%s\n', ' %s', '%s=', '%s\r\nx: y'])('rejects a valid token with extra characters: %j', async (spelling) => {
    expect(await tokens.resolve(spelling.replace('%s', await signed()))).toBeUndefined();
  });

  it('rejects a validly signed token that is too long', async () => {
    expect(await tokens.resolve(await signed({ filler: 'x'.repeat(100_000) }))).toBeUndefined();
  });
});

describe('tokens.remembered', () => {
  it('returns the account id of resolved tokens only', async () => {
    const { token } = await tokens.issue(id, seconds + 0.123456);
    expect(tokens.remembered(token)).toBeUndefined();
    await tokens.resolve(token);
    expect(tokens.remembered(token)).toEqual(session);
    expect(tokens.remembered(`${token}x`)).toBeUndefined();
    await tokens.resolve(`${token}x`);
    expect(tokens.remembered(`${token}x`)).toBeUndefined();
  });

  it('expires together with the token, clock skew included', async () => {
    const { token } = await tokens.issue(id, seconds + 0.123456);
    await tokens.resolve(token);
    now = (claims.exp + 30) * 1000 - 1;
    expect(tokens.remembered(token)).toEqual(session);
    expect(await createOwn().resolve(token)).toEqual(session);
    now += 1;
    expect(tokens.remembered(token)).toBeUndefined();
    expect(await tokens.resolve(token)).toBeUndefined();
  });
});

describe('tokens of a key pair and of a secret', () => {
  it('are accepted on both sides of a change-over', async () => {
    const replicas = [createOwn(key, await importPublicKeys(pair.publicKey)), createOwn(privateKey, [key])];
    for (const issuer of replicas) {
      const { token } = await issuer.issue(id, session.authenticatedAt);
      for (const replica of replicas) expect(await replica.resolve(token)).toEqual(session);
    }
  });

  it('are rejected where the other is not configured, under the other kid and by another pair', async () => {
    const { signingKey: otherPair } = await importPrivateKey(newKeyPair().privateKey);
    const eddsa = { alg: 'EdDSA', kid: privateKey.kid };
    expect(await createOwn(privateKey, []).resolve(await signed())).toBeUndefined();
    for (const forged of [
      await signed({}, { header: { kid: privateKey.kid }, by: createSecretKey(Buffer.from(pair.publicKey)) }),
      await signed({}, { header: { ...eddsa, kid: key.kid }, by: privateKey.signingKey }),
      await signed({}, { header: eddsa, by: otherPair }),
    ])
      expect(await createOwn(privateKey, [key]).resolve(forged)).toBeUndefined();
  });
});
