import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { newKeyPair } from '../../../../tests/kit/credentials.ts';
import {
  importPrivateKey,
  importPublicKeys,
  importTokenKey,
  privateKeyProblem,
  publicKeysProblem,
  secretProblem,
} from './token-keys.ts';

describe('secretProblem', () => {
  it.each([
    ['standard alphabet', () => randomBytes(32).toString('base64')],
    ['URL alphabet', () => randomBytes(32).toString('base64url')],
    ['longer', () => randomBytes(64).toString('base64')],
  ])('accepts a random key in the %s', (_, make) => {
    // Many keys, to notice if a random key can be mistaken for a pattern.
    for (let n = 0; n < 2_000; n += 1) expect(secretProblem(make())).toBeUndefined();
  });

  it.each([
    ['change me', 'base64'],
    [`${randomBytes(32).toString('base64')}\n`, 'base64'],
    [`${randomBytes(32).toString('base64')}===`, 'base64'],
    ['secret', '256 bits'],
    [randomBytes(31).toString('base64'), '256 bits'],
    [Buffer.alloc(32).toString('base64'), 'pattern'],
    [Buffer.from('0123456701234567'.repeat(4)).toString('base64'), 'pattern'],
    [Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('base64'), 'pattern'],
    ['A'.repeat(64), 'pattern'],
  ])('refuses %j: %s', (secret, reason) => {
    expect(secretProblem(secret)).toMatch(reason);
  });

  it('never repeats the secret', () => {
    for (const secret of ['hidden-hidden', 'aGlkZGVu', 'hidden!'])
      expect(secretProblem(secret)).not.toMatch(/hidden|aGlk/);
  });
});

describe('importTokenKey', () => {
  it('imports the same key from either alphabet, and names it by a digest that does not reveal it', async () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const standard = await importTokenKey(bytes.toString('base64'));
    expect((await importTokenKey(bytes.toString('base64url'))).kid).toBe(standard.kid);
    expect(standard.kid).toMatch(/^[\w-]{16}$/);
    expect(createHash('sha256').update(bytes).digest('base64url')).not.toContain(standard.kid);
    expect(standard.key).toMatchObject({ extractable: false, algorithm: { name: 'HMAC', hash: { name: 'SHA-256' } } });
  });

  it('gives every key a different name', async () => {
    const secrets = Array.from({ length: 50 }, () => randomBytes(32).toString('base64'));
    const keys = await Promise.all(secrets.map(importTokenKey));
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(50);
  });
});

const pair = newKeyPair();
const otherPair = newKeyPair();
const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

describe('key pairs', () => {
  it('accepts the output of openssl, also with surrounding white space', () => {
    expect(privateKeyProblem(pair.privateKey)).toBeUndefined();
    expect(privateKeyProblem(`\n${pair.privateKey}\n`)).toBeUndefined();
    expect(publicKeysProblem('')).toBeUndefined();
    expect(publicKeysProblem(pair.publicKey)).toBeUndefined();
    expect(publicKeysProblem(`${pair.publicKey}\n${otherPair.publicKey}`)).toBeUndefined();
  });

  it.each([
    ['a public key', pair.publicKey],
    ['an RSA key', rsa.privateKey],
    ['a broken key', pair.privateKey.replace(/.{10}\n-----END/, '\n-----END')],
    ['a secret', randomBytes(32).toString('base64')],
  ])('refuses %s as a private key, without repeating it', (_, pem) => {
    expect(privateKeyProblem(pem)).toMatch(/Ed25519 private key in PEM/);
    expect(privateKeyProblem(pem)).not.toContain(pem.slice(40, 60));
  });

  it.each([
    ['a private key', pair.privateKey],
    ['an RSA key', rsa.publicKey],
    ['text after a key', `${pair.publicKey}, more`],
    ['a private key after a public one', `${pair.publicKey}${pair.privateKey}`],
    ['a broken key', pair.publicKey.replace(/.{10}\n-----END/, '\n-----END')],
  ])('refuses %s as public keys', (_, pems) => {
    expect(publicKeysProblem(pems)).toMatch(/Ed25519 public keys in PEM/);
  });

  it('gives both keys of a pair the same name, and each pair a different one', async () => {
    const keys = await Promise.all([importPrivateKey(pair.privateKey), importPrivateKey(otherPair.privateKey)]);
    const publicKeys = await importPublicKeys(`${pair.publicKey}${otherPair.publicKey}`);
    expect(publicKeys.map(({ kid }) => kid)).toEqual(keys.map(({ kid }) => kid));
    expect(keys[0].kid).not.toBe(keys[1].kid);
    expect(keys[0].signingKey.extractable).toBe(false);
    await expect(new SignJWT().setProtectedHeader({ alg: 'EdDSA' }).sign(keys[0].key)).rejects.toThrow();
  });
});
