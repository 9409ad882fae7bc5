import { z } from 'zod';
import { flag, list, reportTogether, secret } from '../values/environment.ts';
import { wholeNumber } from '../values/fields.ts';
import type { BrokerOptions, Login } from './kafka/client.ts';
import { tokenSource } from './kafka/token-client.ts';

export const brokerConfig = {
  KAFKA_BROKERS: list
    .pipe(z.array(z.string().regex(/^[^\s:]+:\d+$/, 'must be host:port, comma-separated')).min(1))
    .describe('host:port, comma-separated'),
  KAFKA_TLS: flag.default(false).describe('TLS to the brokers'),
  KAFKA_CA: secret
    .optional()
    .describe(
      "Authority of the brokers: PEM, or file:///path, read for each new connection; without it, Node's authorities",
    ),
  KAFKA_CERTIFICATE: secret.optional().describe('Client certificate for the brokers, in the form of KAFKA_CA'),
  KAFKA_KEY: secret.optional().describe('Its private key, in the form of KAFKA_CA'),
  KAFKA_LOGIN: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'])
    .default('scram-sha-512')
    .describe('How KAFKA_USERNAME logs in: plain, scram-sha-256, scram-sha-512 or oauthbearer'),
  KAFKA_USERNAME: z.string().optional().describe('User, with oauthbearer the client id; without it there is no login'),
  KAFKA_PASSWORD: secret
    .optional()
    .describe('Its password, with oauthbearer the client secret; or file:///path, like KAFKA_CA'),
  KAFKA_TOKEN_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .describe('With oauthbearer, the URL that issues tokens for client credentials (RFC 6749, 4.4)'),
  KAFKA_TOKEN_SCOPE: z.string().optional().describe('With oauthbearer, the scope to request'),
  KAFKA_RACK: z.string().optional().describe('Zone of the process, which then reads from the replica there'),
};

/** For processes that consume or publish events. Retries: contract 6.6. */
export const messagingConfig = {
  ...brokerConfig,
  RETRY_ATTEMPTS: wholeNumber(1, 100).default(3).describe('Attempts in total, 1 to 100'),
  RETRY_DELAY_MS: wholeNumber(0, 600_000).default(1_000).describe('Delay before the second attempt, 0 to 600,000'),
  RETRY_MULTIPLIER: wholeNumber(1, 100).default(2).describe('Factor of each further delay, 1 to 100'),
};

type BrokerConfig = z.output<z.ZodObject<typeof brokerConfig>>;
export type MessagingConfig = z.output<z.ZodObject<typeof messagingConfig>>;

/** Adds the rules between the login variables to a schema. */
export function requireLogin<S extends z.ZodType>(schema: S): S {
  return schema.superRefine((values, context) => {
    const config = values as Partial<BrokerConfig>;
    const refuse = (name: keyof BrokerConfig, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (config.KAFKA_USERNAME !== undefined && config.KAFKA_PASSWORD === undefined)
      refuse('KAFKA_USERNAME', 'needs KAFKA_PASSWORD');
    if (config.KAFKA_LOGIN === 'oauthbearer') {
      if (config.KAFKA_USERNAME === undefined) refuse('KAFKA_LOGIN', 'oauthbearer needs KAFKA_USERNAME, the client id');
      if (config.KAFKA_TOKEN_URL === undefined) refuse('KAFKA_LOGIN', 'oauthbearer needs KAFKA_TOKEN_URL');
    }
    if ((config.KAFKA_CERTIFICATE === undefined) !== (config.KAFKA_KEY === undefined)) {
      const [given, other] = config.KAFKA_KEY ? ['KEY', 'CERTIFICATE'] : ['CERTIFICATE', 'KEY'];
      refuse(`KAFKA_${given}` as keyof BrokerConfig, `needs KAFKA_${other}`);
    }
    if (config.KAFKA_CERTIFICATE !== undefined && !config.KAFKA_TLS)
      refuse('KAFKA_CERTIFICATE', 'needs KAFKA_TLS=true');
  }, reportTogether) as S;
}

export function brokersFrom(config: BrokerConfig): BrokerOptions {
  const { KAFKA_CA: ca, KAFKA_CERTIFICATE: cert, KAFKA_KEY: key } = config;
  return {
    brokers: config.KAFKA_BROKERS,
    tls: config.KAFKA_TLS && { ca, cert, key },
    login: loginFrom(config),
    rack: config.KAFKA_RACK,
  };
}

function loginFrom(config: BrokerConfig): Login | undefined {
  const { KAFKA_LOGIN: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password = () => '' } = config;
  if (username === undefined) return undefined;
  if (mechanism !== 'oauthbearer') return { mechanism, username, password };
  const { KAFKA_TOKEN_URL: url = '', KAFKA_TOKEN_SCOPE: scope } = config;
  return { mechanism, token: tokenSource({ url, clientId: username, clientSecret: password, scope }) };
}

export const retriesFrom = (config: MessagingConfig) => ({
  attempts: config.RETRY_ATTEMPTS,
  firstDelayMs: config.RETRY_DELAY_MS,
  multiplier: config.RETRY_MULTIPLIER,
});
