import { createSecretKey } from 'node:crypto';
import { importPrivateKey, importPublicKeys } from '@store/shared/auth/token-keys';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { newKeyPair } from '../../../tests/kit/credentials.ts';
import { newKey } from './_app.ts';
import { claims, createTestTokens, id, seconds, session } from './_tokens.ts';

const key = await newKey();
const create = (keys: Pick<Parameters<typeof createTestTokens>[0], 'key' | 'previousKeys'>) =>
  createTestTokens({ ...keys, clock: () => seconds * 1000, hasEnded: () => false });

function signed({ header = {}, by = key.key as Parameters<SignJWT['sign']>[0] } = {}) {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid, ...header }).sign(by);
}

describe('with a key pair', () => {
  const pair = newKeyPair();
  let privateKey: Awaited<ReturnType<typeof importPrivateKey>>;

  beforeAll(async () => {
    privateKey = await importPrivateKey(pair.privateKey);
  });

  it('signs with EdDSA', async () => {
    const own = create({ key: privateKey });
    const { token } = await own.issue(id, session.authenticatedAt);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: privateKey.kid });
    expect(decodeJwt(token)).toEqual(claims);
    expect(await own.resolve(token)).toEqual(session);
  });

  it('accepts tokens of the secret and of the key pair on both sides of a change-over', async () => {
    const before = create({ key, previousKeys: await importPublicKeys(pair.publicKey) });
    const after = create({ key: privateKey, previousKeys: [key] });
    for (const issuer of [before, after]) {
      const { token } = await issuer.issue(id, session.authenticatedAt);
      for (const replica of [before, after]) expect(await replica.resolve(token)).toEqual(session);
    }
  });

  it('rejects a token of a secret, unless the secret is configured', async () => {
    const own = create({ key: privateKey });
    expect(await own.resolve(await signed())).toBeUndefined();
  });

  it('rejects HS256 by the public key under its kid', async () => {
    const own = create({ key: privateKey, previousKeys: [key] });
    const by = createSecretKey(Buffer.from(pair.publicKey));
    expect(await own.resolve(await signed({ header: { kid: privateKey.kid }, by }))).toBeUndefined();
  });

  it('rejects EdDSA under the kid of a secret', async () => {
    const own = create({ key: privateKey, previousKeys: [key] });
    const token = await signed({ header: { alg: 'EdDSA' }, by: privateKey.signingKey });
    expect(await own.resolve(token)).toBeUndefined();
  });

  it('rejects a signature that another key pair made', async () => {
    const own = create({ key: privateKey });
    const { signingKey: by } = await importPrivateKey(newKeyPair().privateKey);
    expect(await own.resolve(await signed({ header: { alg: 'EdDSA', kid: privateKey.kid }, by }))).toBeUndefined();
  });
});
