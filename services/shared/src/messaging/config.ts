import { z } from 'zod';
import { flag, list, secret } from '../values/environment.ts';
import { wholeNumber } from '../values/fields.ts';
import type { RetryOptions } from './consumer/consumer.ts';
import type { BrokerOptions } from './kafkajs/client.ts';

export const brokerConfig = {
  /** host:port, comma-separated */
  KAFKA_BROKERS: list.pipe(z.array(z.string().regex(/^[^\s:]+:\d+$/, 'must be host:port, comma-separated')).min(1)),
  /** The brokers' certificates are checked against KAFKA_CA (PEM) if given, else against Node's authorities. */
  KAFKA_TLS: flag.default(false),
  KAFKA_CA: secret.optional(),
  /** SCRAM-SHA-512 */
  KAFKA_USERNAME: z.string().optional(),
  KAFKA_PASSWORD: secret.optional(),
  /** Zone of this process: it reads from the replica there, if brokers are told theirs. */
  KAFKA_RACK: z.string().optional(),
};

/** For processes that consume or publish events; the retries are those of contract 6.6. */
export const messagingConfig = {
  ...brokerConfig,
  /** In total, including the first. */
  RETRY_ATTEMPTS: wholeNumber(1, 100).default(3),
  RETRY_DELAY_MS: wholeNumber(0, 600_000).default(1_000),
  RETRY_MULTIPLIER: wholeNumber(1, 100).default(2),
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

export function retriesFrom(config: MessagingConfig): RetryOptions {
  return {
    attempts: config.RETRY_ATTEMPTS,
    firstDelayMs: config.RETRY_DELAY_MS,
    multiplier: config.RETRY_MULTIPLIER,
  };
}
