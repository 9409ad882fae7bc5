import { callerConfig } from '@store/shared/auth/config';
import { serviceConfig } from '@store/shared/service/config';
import { list } from '@store/shared/values/environment';
import { z } from 'zod';

/** name=http://host:port, comma-separated. */
const addresses = list.transform((pairs, context) => {
  const found = pairs.map(
    (pair) => /^([a-z-]+)=(http:\/\/[^\s/=]+)$/.exec(pair)?.slice(1) as [string, string] | undefined,
  );
  if (found.includes(undefined)) {
    context.addIssue({ code: 'custom', message: 'must be name=http://host:port, comma-separated' });
  }
  return new Map(found.filter((pair) => pair !== undefined));
});

export const configSchema = z.object({
  ...serviceConfig,
  ...callerConfig,
  /** Token whose holder may do everything here. */
  CONSOLE_TOKEN: z
    .string()
    .regex(/^[\w+/=-]{32,256}$/, 'must be 32 to 256 letters, digits or +/=_-. Make one with: openssl rand -hex 32'),
  /** Where services answer. */
  SERVICES: addresses,
  /** Where their metrics are; a name with several addresses has as many replicas. */
  METRICS: addresses,
  /** The services that have a consumer group. */
  GROUPS: list,
});

export type ConsoleConfig = z.output<typeof configSchema>;
