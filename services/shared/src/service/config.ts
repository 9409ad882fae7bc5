import { z } from 'zod';
import { port, seconds, serviceUrl } from '../values/environment.ts';

/** Variables that every process takes from its environment (contract 9). */
export const serviceConfig = {
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** OTLP over HTTP, such as http://collector:4318. Without it nothing is traced. The SDK reads further OTEL_ variables. */
  OTEL_EXPORTER_OTLP_ENDPOINT: serviceUrl.optional(),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('must be a number from 0 to 1').min(0).max(1).optional(),
  HOST: z.string().default('0.0.0.0'),
  PORT: port.default(8080),
  METRICS_PORT: port.default(9090),
  APP_PROFILE: z.enum(['dev', 'prod']).default('dev'),
  /** How long the process keeps answering after it has turned unready, so that callers notice before the port closes. */
  DRAIN_SECONDS: seconds(0, 300).default(5),
};

export type ServiceConfig = z.output<z.ZodObject<typeof serviceConfig>>;
