import { z } from 'zod';
import { observabilityConfig } from '../observability/config.ts';
import { port, seconds } from '../values/environment.ts';

/** Variables that every process takes from its environment (contract 9). */
export const serviceConfig = {
  ...observabilityConfig,
  HOST: z.string().default('0.0.0.0'),
  PORT: port.default(8080),
  METRICS_PORT: port.default(9090),
  APP_PROFILE: z.enum(['dev', 'prod']).default('dev'),
  /** How long the process keeps answering after it has turned unready, so that callers notice before the port closes. */
  DRAIN_SECONDS: seconds(0, 300).default(5),
};

export type ServiceConfig = z.output<z.ZodObject<typeof serviceConfig>>;
