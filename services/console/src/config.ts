import { callerConfig } from '@store/shared/auth/config';
import { configOf } from '@store/shared/service/config';
import { currencies } from '@store/shared/values/currencies';
import { list, serviceUrl } from '@store/shared/values/environment';
import { z } from 'zod';

/** name=http://host:port, comma-separated. */
const addresses = list
  .refine((pairs) => pairs.every((pair) => /^[a-z-]+=http:\/\/[^\s/=]+$/.test(pair)), {
    error: 'must be name=http://host:port, comma-separated',
  })
  .transform((pairs) => new Map(pairs.map((pair) => pair.split('=') as [string, string])));

export const configSchema = configOf({
  ...callerConfig,
  CONSOLE_TOKEN: z
    .string()
    .regex(/^[\w+/=-]{32,256}$/, 'must be 32 to 256 letters, digits or +/=_-. Make one with: openssl rand -hex 32')
    .describe('Shared token for logging in; 32 to 256 letters, digits or +/=_-'),
  SERVICES: addresses.describe('Addresses of the services: name=http://host:port, comma-separated'),
  METRICS: addresses.describe(
    "Addresses of the services' metrics; a host name with several addresses has as many replicas",
  ),
  STORE_CURRENCY: z
    .enum(currencies, { error: 'must be a currency that ISO 4217 lists today, such as USD' })
    .default('USD')
    .describe('Currency of all prices, as an ISO 4217 code'),
  GROUPS: list.describe('Services that have a consumer group, comma-separated'),
  AUDITED: list.describe('Services that serve the audit trail of their database, comma-separated'),
  PROMETHEUS_URL: serviceUrl
    .optional()
    .describe('Prometheus whose alerts the console shows, such as http://prometheus-operated.monitoring:9090'),
  PROMETHEUS_NAMESPACE: z
    .string()
    .optional()
    .describe('Namespace of the store; alerts with the label `namespace` of another namespace are not shown'),
});

export type ConsoleConfig = z.output<typeof configSchema>;
