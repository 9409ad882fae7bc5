import { z } from 'zod';
import { requireKeys } from '../auth/config.ts';
import { requireLogin } from '../messaging/config.ts';
import { port, serviceUrl } from '../values/environment.ts';
import { wholeNumber } from '../values/fields.ts';

/** Environment variables of every process (contract 9). */
const serviceConfig = {
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe lines to log: trace, debug, info, warn, error, fatal or silent'),
  OTEL_EXPORTER_OTLP_ENDPOINT: serviceUrl
    .optional()
    .describe(
      'Collector of spans by OTLP over HTTP, such as http://collector:4318; the SDK reads further OTEL_ variables',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .optional()
    .describe('Sampler: always_on, always_off, traceidratio, or one of these with parentbased_ before it'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number('must be a number from 0 to 1')
    .min(0)
    .max(1)
    .optional()
    .describe('Ratio of the sampler, 0 to 1'),
  HOST: z.string().default('0.0.0.0').describe('Address to listen on'),
  PORT: port.default(8080).describe('Port of the API'),
  METRICS_PORT: port.default(9090).describe('Port of the metrics'),
  APP_PROFILE: z
    .enum(['dev', 'prod'])
    .default('dev')
    .describe('dev, or prod, which switches the documentation endpoints off'),
  DRAIN_SECONDS: wholeNumber(0, 300)
    .default(5)
    .describe('Time for which a stopping process still takes requests, 0 to 300; in the chart <service>.drainSeconds'),
};

/** Makes the schema for the environment of a process: the common variables and its own, such as those of modules that it uses. */
export const configOf = <Own extends z.core.$ZodLooseShape>(own: Own) =>
  requireLogin(requireKeys(z.object({ ...serviceConfig, ...own })));

export type ServiceConfig = z.output<z.ZodObject<typeof serviceConfig>>;
