import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { bearerConfig, tokenKeyConfig } from '../auth/config.ts';
import { databaseConfig } from '../database/config.ts';
import { messagingConfig, retriesFrom } from '../messaging/config.ts';
import { ConfigError, flag, list, readConfig, serviceUrl } from '../values/environment.ts';
import { configOf } from './config.ts';

const key = () => randomBytes(32).toString('base64');
const schema = configOf({
  ...bearerConfig,
  ...databaseConfig,
  ORDER_URL: serviceUrl,
  SECURE: flag.default(true),
  NAMES: list.prefault(''),
});
const needed = { DATABASE_URL: 'postgresql://a:b@c/d', ORDER_URL: 'http://order:8080/' };

function linesOf(env: NodeJS.ProcessEnv, of: z.ZodType = schema): string[] {
  try {
    readConfig(of, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
}

it('has a default for every variable except secrets and addresses', () => {
  expect(readConfig(schema, { ...needed, UNKNOWN: 'x' })).toEqual({
    HOST: '0.0.0.0',
    PORT: 8080,
    METRICS_PORT: 9090,
    LOG_LEVEL: 'info',
    APP_PROFILE: 'dev',
    DRAIN_SECONDS: 5,
    BEARER_VALIDATION: 'off',
    JWT_PREVIOUS_SECRET_KEYS: [],
    DATABASE_URL: 'postgresql://a:b@c/d',
    ORDER_URL: 'http://order:8080',
    SECURE: true,
    NAMES: [],
  });
});

it('uses the variables that are set, and treats empty variables as unset', () => {
  const env = { ...needed, PORT: '0', LOG_LEVEL: '', SECURE: 'false', NAMES: ' a, ,b ,' };
  expect(readConfig(schema, env)).toMatchObject({ PORT: 0, LOG_LEVEL: 'info', SECURE: false, NAMES: ['a', 'b'] });
});

it('reports all problems at once, without values', () => {
  const secret = 'hidden'.repeat(3);
  const env = {
    PORT: `${secret}1`,
    METRICS_PORT: '65536',
    LOG_LEVEL: secret,
    APP_PROFILE: secret,
    DRAIN_SECONDS: '-1',
    DATABASE_URL: `mysql://${secret}@host/db`,
    SECURE: secret,
    JWT_PREVIOUS_SECRET_KEYS: `${key()},${secret}`,
    BEARER_VALIDATION: 'on',
  };
  const lines = linesOf(env);
  expect(lines.map((line) => line.split(/[: ]/)[0]).sort()).toEqual([...Object.keys(env), 'ORDER_URL'].sort());
  expect(lines).toContain('ORDER_URL is not set');
  expect(lines).toContain('METRICS_PORT: must be 0 to 65535');
  expect(lines).toContain('APP_PROFILE: must be one of dev, prod');
  expect(lines).toContain('BEARER_VALIDATION: on needs JWT_SECRET_KEY or BEARER_JWKS_URL');
  expect(lines.join()).not.toContain('hidden');
});

it.each([
  ['PORT', ' '],
  ['PORT', '0x50'],
  ['SECURE', 'yes'],
  ['SECURE', '1'],
  ['APP_PROFILE', 'production'],
  ['DATABASE_URL', 'localhost/db'],
  ['ORDER_URL', 'order:8080'],
  ['ORDER_URL', 'ftp://order'],
  ['BEARER_VALIDATION', 'true'],
])('refuses %s=%j instead of guessing', (name, value) => {
  expect(linesOf({ ...needed, [name]: value })).toEqual([expect.stringMatching(`^${name}: `)]);
});

it.each([
  [{ BEARER_VALIDATION: 'on' }, 1],
  [{ BEARER_VALIDATION: 'on', JWT_SECRET_KEY: key() }, 0],
  [{ BEARER_VALIDATION: 'on', BEARER_JWKS_URL: 'https://keys/jwks' }, 0],
  [{ BEARER_VALIDATION: 'off' }, 0],
])('requires keys for bearer validation: %j', (env, problems) => {
  expect(linesOf({ ...needed, ...env })).toHaveLength(problems);
});

it('has no default for a secret', () => {
  expect(linesOf({}, configOf(tokenKeyConfig))).toEqual(['JWT_SECRET_KEY is not set']);
});

it('reads the brokers and the retries', () => {
  const consumer = z.object(messagingConfig);
  const config = readConfig(consumer, { KAFKA_BROKERS: 'a:1, b:2' });
  expect(config.KAFKA_BROKERS).toEqual(['a:1', 'b:2']);
  expect(retriesFrom(config)).toEqual({ attempts: 3, firstDelayMs: 1_000, multiplier: 2 });
  expect(linesOf({}, consumer)).toEqual(['KAFKA_BROKERS is not set']);
  expect(linesOf({ KAFKA_BROKERS: 'a', RETRY_ATTEMPTS: '0', RETRY_DELAY_MS: '1s' }, consumer)).toHaveLength(3);
});

it.each<[object, string[]]>([
  [{ KAFKA_USERNAME: 'order' }, ['KAFKA_USERNAME: needs KAFKA_PASSWORD']],
  [{ KAFKA_LOGIN: 'gssapi' }, ['KAFKA_LOGIN: must be one of plain, scram-sha-256, scram-sha-512, oauthbearer']],
  [
    { KAFKA_LOGIN: 'oauthbearer' },
    ['KAFKA_LOGIN: oauthbearer needs KAFKA_USERNAME, the client id', 'KAFKA_LOGIN: oauthbearer needs KAFKA_TOKEN_URL'],
  ],
  [{ KAFKA_TLS: 'true', KAFKA_CERTIFICATE: 'x' }, ['KAFKA_CERTIFICATE: needs KAFKA_KEY']],
  [{ KAFKA_TLS: 'true', KAFKA_KEY: 'x' }, ['KAFKA_KEY: needs KAFKA_CERTIFICATE']],
  [{ KAFKA_KEY: 'x', KAFKA_CERTIFICATE: 'x' }, ['KAFKA_CERTIFICATE: needs KAFKA_TLS=true']],
  [{ KAFKA_TOKEN_URL: 'sso' }, ['KAFKA_TOKEN_URL: must be an http or https URL']],
  [{ KAFKA_TLS: 'true' }, []],
  [{ KAFKA_LOGIN: 'plain', KAFKA_USERNAME: 'order', KAFKA_PASSWORD: 'x' }, []],
])('refuses half of a login to Kafka: %j', (env, lines) => {
  expect(linesOf({ KAFKA_BROKERS: 'kafka:9092', ...env }, configOf(messagingConfig))).toEqual(lines);
});

it('reads an unset variable from the file that <name>_FILE names', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'config-'));
  const file = join(dir, 'url');
  await writeFile(file, 'http://order.file:8080\n');
  const env = { DATABASE_URL: needed.DATABASE_URL, ORDER_URL_FILE: file };
  expect(readConfig(schema, env).ORDER_URL).toBe('http://order.file:8080');
  expect(readConfig(schema, { ...env, ORDER_URL: needed.ORDER_URL }).ORDER_URL).toBe('http://order:8080');
  expect(linesOf({ ...env, ORDER_URL_FILE: join(dir, 'missing') })).toEqual(['ORDER_URL is not set']);
  expect(linesOf({ ...env, ORDER_URL_FILE: dir })).toEqual(['ORDER_URL_FILE: cannot be read (EISDIR)']);
  await writeFile(file, 'hidden');
  expect(linesOf(env)).toEqual(['ORDER_URL: must be an http or https URL']);
  await rm(dir, { recursive: true });
});
