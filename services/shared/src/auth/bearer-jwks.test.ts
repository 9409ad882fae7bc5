import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, install } from '@sinonjs/fake-timers';
import { SignJWT } from 'jose';
import { until } from '../../../../tests/kit/until.ts';
import { forged, outcome } from '../../test/_bearer.ts';
import { accountId, claimCases, newClaims } from '../../test/_claims.ts';
import { createBearerValidator } from './bearer.ts';
import { importTokenKey } from './token-keys.ts';

const claims = newClaims();

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();

describe('with a JWKS', () => {
  let server: Server;
  let respond: () => { status: number; body: string };
  let requests = 0;
  const jwk = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' });
  const keys =
    (...list: object[]) =>
    () => ({ status: 200, body: JSON.stringify({ keys: list }) });
  const validator = () =>
    createBearerValidator({ jwksUrl: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`) });
  const token = (payload = claims, { key = rsa.privateKey, kid = 'one', alg = 'RS256' } = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);

  beforeAll(async () => {
    server = createServer((_req, res) => {
      requests += 1;
      const { status, body } = respond();
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    requests = 0;
    respond = keys(jwk(rsa.publicKey, 'one'));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));

  it.each(claimCases())('%s', async (_, payload, expected, more = {}) => {
    expect(await outcome(validator(), `Bearer ${await token(payload)}`, more)).toBe(expected);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['alg none', () => forged({ alg: 'none', kid: 'one' }, undefined)],
    ['HS256 with the public key as the secret', () => forged({ alg: 'HS256', kid: 'one' }, publicPem)],
    [
      'HS256 with the modulus as the secret',
      () => forged({ alg: 'HS256', kid: 'one' }, String(rsa.publicKey.export({ format: 'jwk' }).n)),
    ],
    ['a key that is not in the set', () => token(claims, { key: otherRsa.privateKey })],
    ['a kid that is not in the set', () => token(claims, { kid: 'two' })],
    ['RS512, not on the list', () => token(claims, { alg: 'RS512' })],
    [
      'a key of its own in the header',
      async () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'RS256', kid: 'own', jwk: otherRsa.publicKey.export({ format: 'jwk' }) as never })
          .sign(otherRsa.privateKey),
    ],
  ])('refuses %s', async (_, make) => {
    expect(await outcome(validator(), `Bearer ${await make()}`)).toBe('unauthenticated');
  });

  it('does not accept HS256 by a symmetric key of the set', async () => {
    const shared = randomBytes(32);
    respond = keys({ kty: 'oct', kid: 'one', k: shared.toString('base64url'), alg: 'HS256' });
    expect(await outcome(validator(), `Bearer ${forged({ alg: 'HS256', kid: 'one' }, shared)}`)).toBe(
      'unauthenticated',
    );
  });

  describe('of the platform, with EdDSA', () => {
    const ed25519 = generateKeyPairSync('ed25519');
    const sign = (payload = claims) => token(payload, { key: ed25519.privateKey, kid: 'two', alg: 'EdDSA' });
    const publishBoth = () => {
      respond = keys(jwk(rsa.publicKey, 'one'), { ...jwk(ed25519.publicKey, 'two'), alg: 'EdDSA' });
    };

    it('accepts a token', async () => {
      publishBoth();
      expect(await outcome(validator(), `Bearer ${await sign()}`)).toBe('taken');
    });

    it('learns a key that is published later, without a restart', async () => {
      const validate = validator();
      expect(await outcome(validate, `Bearer ${await token()}`)).toBe('taken');
      publishBoth();
      const later = `Bearer ${await sign()}`;
      await until('the key is known', async () => (await outcome(validate, later)) === 'taken', { timeoutMs: 5_000 });
    });

    it('accepts the tokens of a secret too, while both are configured', async () => {
      publishBoth();
      const imported = await importTokenKey(randomBytes(32).toString('base64'));
      const { jwksUrl } = { jwksUrl: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`) };
      const validate = createBearerValidator({ jwksUrl, secrets: [imported] });
      const header = { alg: 'HS256', kid: imported.kid };
      const symmetric = await new SignJWT(claims).setProtectedHeader(header).sign(imported.signingKey);
      expect(await outcome(validate, `Bearer ${symmetric}`)).toBe('taken');
      expect(await outcome(validate, `Bearer ${await sign()}`)).toBe('taken');
    });
  });

  describe('a token that was verified before', () => {
    let clock: Clock | undefined;
    afterEach(() => clock?.uninstall());

    it('is believed without its key, at once', async () => {
      const validate = validator();
      const authorization = `Bearer ${await token()}`;
      await validate(authorization, { accountId });
      respond = () => ({ status: 500, body: '' });
      expect(validate(authorization, { accountId })).not.toBeInstanceOf(Promise);
    });

    it('proves its own account and scopes only', async () => {
      const validate = validator();
      const authorization = `Bearer ${await token()}`;
      await validate(authorization, { accountId });
      const other = { accountId: '00000000-0000-4000-8000-000000000001' };
      expect(await outcome(validate, authorization, other)).toBe('unauthenticated');
      expect(await outcome(validate, authorization, { scope: 'orders:write' })).toBe('forbidden');
    });

    it('expires, clock skew included', async () => {
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

  it('fetches the keys once, not for every token', async () => {
    const validate = validator();
    for (let n = 0; n < 5; n += 1) expect(await outcome(validate, `Bearer ${await token()}`)).toBe('taken');
    expect(requests).toBe(1);
  });

  it.each<[string, () => { status: number; body: string }]>([
    ['answers 500', () => ({ status: 500, body: '{}' })],
    ['answers no JSON', () => ({ status: 200, body: '<html>' })],
    ['answers no keys', () => ({ status: 200, body: '{}' })],
  ])('returns 503, not 401, while the key server %s, and recovers', async (_, answer) => {
    respond = answer;
    const validate = validator();
    expect(await outcome(validate, `Bearer ${await token()}`)).toBe('unavailable');
    respond = keys(jwk(rsa.publicKey, 'one'));
    expect(await outcome(validate, `Bearer ${await token()}`)).toBe('taken');
  });

  it('returns 503 when the key server refuses connections', async () => {
    const validate = createBearerValidator({ jwksUrl: new URL('http://127.0.0.1:1/jwks') });
    expect(await outcome(validate, `Bearer ${await token()}`)).toBe('unavailable');
  });
});
