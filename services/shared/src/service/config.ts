import { z } from 'zod';
import { secretProblem } from '../auth/token-keys.ts';
import type { RetryOptions } from '../messaging/consumer/consumer.ts';
import type { BrokerOptions } from '../messaging/kafka.ts';
import { wholeNumber } from '../values/fields.ts';

/** All problems of the environment at once, a line each. */
export class ConfigError extends Error {
  readonly lines: string[];

  constructor(lines: string[]) {
    super(`The configuration is wrong:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
    this.lines = lines;
  }
}

const port = wholeNumber(0, 65535);

/** `true` or `false`, and nothing else: `yes` for a security switch would be a guess. */
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

export const seconds = wholeNumber;

export const serviceUrl = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''));

export const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be postgresql://role:password@host:port/database',
});

/** What every service takes from its environment. */
export const commonConfig = {
  HOST: z.string().default('0.0.0.0'),
  PORT: port.default(8080),
  METRICS_PORT: port.default(9090),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  APP_PROFILE: z.enum(['dev', 'prod']).default('dev'),
  /** How long readiness is false before the port closes, so that nobody new is sent here. */
  DRAIN_SECONDS: seconds(0, 300).default(5),
  /** OTLP over HTTP, such as http://collector:4318; without it nothing is traced. Further OTEL_ variables are the SDK's. */
  OTEL_EXPORTER_OTLP_ENDPOINT: serviceUrl.optional(),
  OTEL_TRACES_SAMPLER: z
    .enum([
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ])
    .optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('must be a number from 0 to 1').min(0).max(1).optional(),
};

/** For processes that read or write events (spec: Limits, retry attempts). */
export const consumerConfig = {
  /** host:port, comma-separated */
  KAFKA_BROKERS: list.pipe(z.array(z.string().regex(/^[^\s:]+:\d+$/, 'must be host:port, comma-separated')).min(1)),
  /** TLS to the brokers; their certificates are checked by KAFKA_CA (PEM), else by the authorities that Node knows. */
  KAFKA_TLS: flag.default(false),
  KAFKA_CA: z.string().optional(),
  /** SCRAM-SHA-512 */
  KAFKA_USERNAME: z.string().optional(),
  KAFKA_PASSWORD: z.string().optional(),
  /** In total, the first included. */
  RETRY_ATTEMPTS: wholeNumber(1, 100).default(3),
  RETRY_DELAY_MS: wholeNumber(0, 600_000).default(1_000),
  RETRY_MULTIPLIER: wholeNumber(1, 100).default(2),
};

/** How the brokers are reached. */
export function brokersFrom(config: {
  KAFKA_BROKERS: string[];
  KAFKA_TLS: boolean;
  KAFKA_CA?: string | undefined;
  KAFKA_USERNAME?: string | undefined;
  KAFKA_PASSWORD?: string | undefined;
}): BrokerOptions {
  const { KAFKA_BROKERS: brokers, KAFKA_TLS: tls, KAFKA_CA: ca, KAFKA_USERNAME: username, KAFKA_PASSWORD } = config;
  return {
    brokers,
    ...(tls && { tls: ca === undefined ? true : { ca } }),
    ...(username !== undefined && { login: { username, password: KAFKA_PASSWORD ?? '' } }),
  };
}

export function retryOptions(config: {
  RETRY_ATTEMPTS: number;
  RETRY_DELAY_MS: number;
  RETRY_MULTIPLIER: number;
}): RetryOptions {
  return {
    attempts: config.RETRY_ATTEMPTS,
    firstDelayMs: config.RETRY_DELAY_MS,
    multiplier: config.RETRY_MULTIPLIER,
  };
}

const secretKey = z.string().superRefine((value, context) => {
  const wrong = secretProblem(value);
  if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong });
});

/** decisions 3: the present key signs, the previous ones still verify. */
export const tokenKeyConfig = {
  JWT_SECRET_KEY: secretKey,
  JWT_PREVIOUS_SECRET_KEYS: list.pipe(z.array(secretKey)).prefault(''),
};

/** For services that have routes with an identity; `.superRefine(needsBearerKeys, atOnce)` goes with it. */
export const bearerConfig = {
  BEARER_VALIDATION: z.enum(['off', 'on']).default('off'),
  BEARER_JWKS_URL: serviceUrl.optional(),
  JWT_SECRET_KEY: secretKey.optional(),
  JWT_PREVIOUS_SECRET_KEYS: tokenKeyConfig.JWT_PREVIOUS_SECRET_KEYS,
};

export function needsBearerKeys(
  config: z.output<z.ZodObject<typeof bearerConfig>>,
  context: z.core.$RefinementCtx,
): void {
  if (config.BEARER_VALIDATION !== 'on' || (config.BEARER_JWKS_URL ?? config.JWT_SECRET_KEY) !== undefined) return;
  context.addIssue({
    code: 'custom',
    path: ['BEARER_VALIDATION'],
    message: 'on needs JWT_SECRET_KEY or BEARER_JWKS_URL',
  });
}

/** For a check over several variables: it is made even where others are wrong, so that all problems are seen at once. */
export const atOnce = { when: () => true };

/**
 * Reads the environment once. A variable set to nothing counts as not set.
 * @throws ConfigError that names every wrong variable, never a value: it may be a secret
 */
export function readConfig<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? 'environment');
      return name in given ? `${name}: ${issue.message}` : `${name} is not set`;
    }),
  );
}
