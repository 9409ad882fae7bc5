import { readConfig } from '@store/shared/values/environment';
import { newCredential, newKeyPair } from '../../../tests/kit/credentials.ts';
import { configSchema } from '../src/config.ts';
import { newSecret } from './_app.ts';

const DATABASE_URL = 'postgresql://auth:secret@database:5432/auth';
const read = (env: NodeJS.ProcessEnv) =>
  readConfig(configSchema, { JWT_SECRET_KEY: newSecret(), ACCOUNT_URL: 'http://account:8080/', DATABASE_URL, ...env });

describe('the configuration of auth', () => {
  it('has defaults for everything except secrets and addresses', () => {
    expect(read({ JWT_PREVIOUS_SECRET_KEYS: '' })).toMatchObject({
      JWT_PREVIOUS_SECRET_KEYS: [],
      JWT_TTL_SECONDS: 86_400,
      JWT_HTTP_ONLY: true,
      COOKIE_SAME_SITE: 'Lax',
      COOKIE_SECURE: 'auto',
      ACCOUNT_URL: 'http://account:8080',
    });
    const notSet = /DATABASE_URL is not set\n.*ACCOUNT_URL is not set\n.*JWT_SECRET_KEY is not set/;
    expect(() => readConfig(configSchema, {})).toThrow(notSet);
  });

  // The tests of token-keys, in shared, cover which keys are too weak.
  it.each([
    ['plain text', 'please let me in, I am the administrator', 'base64'],
    ['zeros', Buffer.alloc(32).toString('base64'), 'pattern'],
  ])('refuses %s as a key and names the reason without the key', (_, key, reason) => {
    expect(() => read({ JWT_SECRET_KEY: key })).toThrow(new RegExp(`JWT_SECRET_KEY: .*${reason}`));
    expect(() => read({ JWT_PREVIOUS_SECRET_KEYS: `${newSecret()},${key.replaceAll(',', '')}` })).toThrow(reason);
    expect(() => read({ JWT_SECRET_KEY: key })).not.toThrow(key);
  });

  it.each([
    ['JWT_HTTP_ONLY', 'yes'],
    ['COOKIE_SECURE', '1'],
    ['COOKIE_SAME_SITE', 'lax'],
    ['JWT_TTL_SECONDS', '0'],
    ['JWT_PRIVATE_KEY', newKeyPair().publicKey],
    ['JWT_PREVIOUS_PUBLIC_KEYS', newKeyPair().privateKey],
    ['INTERNAL_CREDENTIAL', 'too-short-for-a-credential'],
    ['INTERNAL_CREDENTIAL', `${newCredential()} ${newCredential()}`],
  ])('refuses an invalid %s without printing it: %j', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(`${name}: must be`);
    if (value.length > 10) expect(() => read({ [name]: value })).not.toThrow(value.slice(10, 30));
  });

  it('refuses SameSite=None without Secure, because browsers drop such cookies', () => {
    expect(() => read({ COOKIE_SAME_SITE: 'None' })).toThrow('COOKIE_SECURE=true');
    expect(read({ COOKIE_SAME_SITE: 'None', COOKIE_SECURE: 'true' }).COOKIE_SECURE).toBe(true);
  });

  it('accepts a private key instead of a secret or in addition to it', () => {
    const { privateKey, publicKey } = newKeyPair();
    const previous = `${publicKey}${newKeyPair().publicKey}`;
    const both = read({ JWT_PRIVATE_KEY: privateKey, JWT_PREVIOUS_PUBLIC_KEYS: previous });
    expect(both.JWT_PRIVATE_KEY).toBe(privateKey);
    expect(read({ JWT_PRIVATE_KEY: privateKey, JWT_SECRET_KEY: '' }).JWT_SECRET_KEY).toBeUndefined();
  });

  it.each(['INTERNAL_CREDENTIAL', 'INTERNAL_CREDENTIALS', 'OPERATOR_CREDENTIALS', 'MAILER_CREDENTIALS'])(
    'refuses to start with only %s, because the other paths would be open',
    (name) => expect(() => read({ [name]: newCredential() })).toThrow('set all of them, or none'),
  );

  it('sends the first of its credentials; the others are for a rotation', () => {
    const [next, current] = [newCredential(), newCredential()];
    const others = Object.fromEntries(
      ['INTERNAL_CREDENTIALS', 'OPERATOR_CREDENTIALS', 'MAILER_CREDENTIALS'].map((name) => [name, newCredential()]),
    );
    expect(read({ INTERNAL_CREDENTIAL: `${next}, ${current}`, ...others }).INTERNAL_CREDENTIAL).toBe(next);
    expect(read({}).INTERNAL_CREDENTIAL).toBeUndefined();
  });
});
