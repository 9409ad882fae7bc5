import { z } from 'zod';
import { flag, list, secret } from '../values/environment.ts';
import { wholeNumber } from '../values/fields.ts';
import type { BrokerOptions } from './kafkajs/client.ts';

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
  KAFKA_USERNAME: z.string().optional().describe('User for SCRAM-SHA-512'),
  KAFKA_PASSWORD: secret.optional().describe('Its password, or file:///path, as for KAFKA_CA'),
  KAFKA_RACK: z.string().optional().describe('Zone of the process, which then reads from the replica there'),
};

/** For processes that consume or publish events; the retries are those of contract 6.6. */
export const messagingConfig = {
  ...brokerConfig,
  RETRY_ATTEMPTS: wholeNumber(1, 100).default(3).describe('Attempts in total, 1 to 100'),
  RETRY_DELAY_MS: wholeNumber(0, 600_000).default(1_000).describe('Delay before the second attempt, 0 to 600,000'),
  RETRY_MULTIPLIER: wholeNumber(1, 100).default(2).describe('Factor of each further delay, 1 to 100'),
};

type BrokerConfig = z.output<z.ZodObject<typeof brokerConfig>>;
export type MessagingConfig = z.output<z.ZodObject<typeof messagingConfig>>;

export function brokersFrom(config: BrokerConfig): BrokerOptions {
  const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password = () => '' } = config;
  return {
    brokers: config.KAFKA_BROKERS,
    tls: config.KAFKA_TLS && { ca: config.KAFKA_CA },
    login: username === undefined ? undefined : { username, password },
    rack: config.KAFKA_RACK,
  };
}

export const retriesFrom = (config: MessagingConfig) => ({
  attempts: config.RETRY_ATTEMPTS,
  firstDelayMs: config.RETRY_DELAY_MS,
  multiplier: config.RETRY_MULTIPLIER,
});
