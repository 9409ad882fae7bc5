import { randomBytes } from 'node:crypto';
import { readConfig } from '@store/shared/values/environment';
import { configSchema } from '../src/config.ts';

const secret = (bytes = randomBytes(32)) => bytes.toString('base64');
const read = (env: NodeJS.ProcessEnv) =>
  readConfig(configSchema, { JWT_SECRET_KEY: secret(), ACCOUNT_URL: 'http://account:8080/', ...env });

it('has defaults for all but secrets and addresses', () => {
  const config = read({ JWT_PREVIOUS_SECRET_KEYS: '' });
  expect(config).toMatchObject({
    JWT_PREVIOUS_SECRET_KEYS: [],
    JWT_TTL_SECONDS: 86_400,
    JWT_HTTP_ONLY: true,
    COOKIE_SAME_SITE: 'Lax',
    COOKIE_SECURE: false,
    ACCOUNT_URL: 'http://account:8080',
  });
  expect(() => readConfig(configSchema, {})).toThrow(/JWT_SECRET_KEY is not set\n.*ACCOUNT_URL is not set/);
});

it.each([
  ['base64', secret()],
  ['base64url', randomBytes(48).toString('base64url')],
])('takes a key in %s', (_, key) => {
  const config = read({ JWT_SECRET_KEY: key, JWT_PREVIOUS_SECRET_KEYS: `${secret()}, ${secret()}` });
  expect(config.JWT_SECRET_KEY).toBe(key);
  expect(config.JWT_PREVIOUS_SECRET_KEYS).toHaveLength(2);
});

const counting = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
it.each([
  ['31 bytes', secret(randomBytes(31)), 'at least 32 bytes'],
  ['words', 'please let me in, I am the administrator', 'base64'],
  ['zeros', secret(Buffer.alloc(32)), 'pattern'],
  ['one word again and again', 'password'.repeat(8), 'pattern'],
  ['counting', secret(counting), 'pattern'],
])('refuses %s as a key, and says why without saying it', (_, key, why) => {
  const refusal = new RegExp(`^[^]*JWT_SECRET_KEY: .*${why}`);
  expect(() => read({ JWT_SECRET_KEY: key })).toThrow(refusal);
  expect(() => read({ JWT_PREVIOUS_SECRET_KEYS: `${secret()},${key.replaceAll(',', '')}` })).toThrow(why);
  try {
    read({ JWT_SECRET_KEY: key });
  } catch (error) {
    expect(String(error)).not.toContain(key);
  }
});

it('refuses SameSite=None without Secure, which browsers would drop', () => {
  expect(() => read({ COOKIE_SAME_SITE: 'None' })).toThrow('COOKIE_SECURE=true');
  expect(read({ COOKIE_SAME_SITE: 'None', COOKIE_SECURE: 'true' }).COOKIE_SECURE).toBe(true);
});

it.each([
  ['JWT_HTTP_ONLY', 'yes'],
  ['COOKIE_SECURE', '1'],
  ['COOKIE_SAME_SITE', 'lax'],
  ['JWT_TTL_SECONDS', '0'],
  ['ACCOUNT_URL', 'account:8080'],
])('refuses %s=%s', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(`${name}: `);
});
