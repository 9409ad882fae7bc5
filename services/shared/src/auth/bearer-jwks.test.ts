import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type Clock, install } from '@sinonjs/fake-timers';
import { SignJWT } from 'jose';
import { serve } from '../../../../tests/kit/listen.ts';
import { until } from '../../../../tests/kit/until.ts';
import { accountId, forged, newClaims, otherId, outcome } from '../../test/_bearer.ts';
import { bearerFrom } from './bearer.ts';
import { importTokenKey } from './token-keys.ts';

const claims = newClaims();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = generateKeyPairSync('ed25519');
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const modulus = String(rsa.publicKey.export({ format: 'jwk' }).n);
const ownJwk = { kid: 'own', jwk: otherRsa.publicKey.export({ format: 'jwk' }) };
const jwk = (key: KeyObject, kid: string, alg = 'RS256') => ({
  ...key.export({ format: 'jwk' }),
  kid,
  use: 'sig',
  alg,
});

let answer: { status: number; body: string };
let requests: number;
const publish = (...keys: object[]) => {
  answer = { status: 200, body: JSON.stringify({ keys }) };
};
const publishBoth = () => publish(jwk(rsa.publicKey, 'one'), jwk(ed25519.publicKey, 'two', 'EdDSA'));
const address = await serve((_req, res) => {
  requests += 1;
  res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
});
beforeEach(() => {
  requests = 0;
  publish(jwk(rsa.publicKey, 'one'));
});

const validator = (more: Parameters<typeof bearerFrom>[0] = {}) =>
  bearerFrom({ BEARER_VALIDATION: 'on', BEARER_JWKS_URL: `${address}/jwks`, ...more });
const token = ({ key = rsa.privateKey, kid = 'one', alg = 'RS256', ...header } = {}, payload = claims) =>
  new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(key);
const byEdDsa = () => token({ key: ed25519.privateKey, kid: 'two', alg: 'EdDSA' });

// The same code checks the claims as with the platform key; see bearer.test.ts.
it.each<[string, () => Promise<string> | string]>([
  ['alg none', () => forged({ alg: 'none', kid: 'one' }, undefined)],
  ['HS256 with the public key as the secret', () => forged({ alg: 'HS256', kid: 'one' }, publicPem)],
  ['HS256 with the modulus as the secret', () => forged({ alg: 'HS256', kid: 'one' }, modulus)],
  ['a key that is not in the set', () => token({ key: otherRsa.privateKey })],
  ['a kid that is not in the set', () => token({ kid: 'two' })],
  ['RS512, not on the list', () => token({ alg: 'RS512' })],
  ['its own key in the header', () => token({ key: otherRsa.privateKey, ...ownJwk } as object)],
])('refuses %s', async (_, make) => {
  expect(await outcome(validator(), `Bearer ${await make()}`)).toBe('unauthenticated');
});

it('refuses HS256 with a symmetric key from the set', async () => {
  const shared = randomBytes(32);
  publish({ kty: 'oct', kid: 'one', k: shared.toString('base64url'), alg: 'HS256' });
  const symmetric = forged({ alg: 'HS256', kid: 'one' }, shared);
  expect(await outcome(validator(), `Bearer ${symmetric}`)).toBe('unauthenticated');
});

it('learns a key that is published later, without a restart, and fetches keys only for unknown key ids', async () => {
  const validate = validator();
  for (let n = 0; n < 5; n += 1) expect(await outcome(validate, `Bearer ${await token()}`)).toBe('taken');
  expect(requests).toBe(1);
  publishBoth();
  const later = `Bearer ${await byEdDsa()}`;
  await until('the key is known', async () => (await outcome(validate, later)) === 'taken', { timeoutMs: 5_000 });
});

it('accepts tokens of the key set and of a secret while both are configured', async () => {
  publishBoth();
  const secret = randomBytes(32).toString('base64');
  const imported = await importTokenKey(secret);
  const validate = validator({ JWT_SECRET_KEY: secret });
  const header = { alg: 'HS256', kid: imported.kid };
  const symmetric = await new SignJWT(claims).setProtectedHeader(header).sign(imported.signingKey);
  for (const one of [symmetric, await byEdDsa()]) expect(await outcome(validate, `Bearer ${one}`)).toBe('taken');
});

describe('a token that was verified before', () => {
  let clock: Clock | undefined;
  afterEach(() => clock?.uninstall());

  it('is accepted at once, without its key, but only for its own account and scopes', async () => {
    const validate = validator();
    const authorization = `Bearer ${await token({}, { ...claims, scope: 'orders:read' })}`;
    await validate(authorization, accountId);
    answer = { status: 500, body: '' };
    expect(validate(authorization, accountId)).not.toBeInstanceOf(Promise);
    expect(await outcome(validate, authorization, { accountId: otherId })).toBe('unauthenticated');
    expect(await outcome(validate, authorization, { scope: 'orders:read' })).toBe('taken');
    expect(await outcome(validate, authorization, { scope: 'orders:write' })).toBe('forbidden');
  });

  it('expires after the clock skew', async () => {
    clock = install({ now: Date.now(), toFake: ['Date'], shouldAdvanceTime: true });
    const validate = validator();
    const authorization = `Bearer ${await token()}`;
    expect(await outcome(validate, authorization)).toBe('taken');
    clock.setSystemTime(Date.now() + 80_000);
    expect(await outcome(validate, authorization)).toBe('taken');
    clock.setSystemTime(Date.now() + 20_000);
    expect(await outcome(validate, authorization)).toBe('unauthenticated');
  });
});

it.each([
  ['answers 500', 500, '{}'],
  ['answers no JSON', 200, '<html>'],
  ['answers no keys', 200, '{}'],
])('returns 503, not 401, while the key server %s, and recovers', async (_, status, body) => {
  answer = { status, body };
  const validate = validator();
  expect(await outcome(validate, `Bearer ${await token()}`)).toBe('unavailable');
  publish(jwk(rsa.publicKey, 'one'));
  expect(await outcome(validate, `Bearer ${await token()}`)).toBe('taken');
});

it('returns 503 when the key server refuses connections', async () => {
  const validate = validator({ BEARER_JWKS_URL: 'http://127.0.0.1:1/jwks' });
  expect(await outcome(validate, `Bearer ${await token()}`)).toBe('unavailable');
});
