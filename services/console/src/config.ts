import { callerConfig } from '@store/shared/auth/config';
import { configOf } from '@store/shared/service/config';
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

export const configSchema = configOf({
  ...callerConfig,
  CONSOLE_TOKEN: z
    .string()
    .regex(/^[\w+/=-]{32,256}$/, 'must be 32 to 256 letters, digits or +/=_-. Make one with: openssl rand -hex 32')
    .describe('Token of those who may log in; 32 to 256 letters, digits or +/=_-'),
  SERVICES: addresses.describe('Addresses of the services: name=http://host:port, comma-separated'),
  METRICS: addresses.describe('Addresses of their metrics; a name with several has as many replicas'),
  GROUPS: list.describe('Services that have a consumer group, comma-separated'),
  AUDITED: list.describe('Services that tell the audit trail of their database, comma-separated'),
});

export type ConsoleConfig = z.output<typeof configSchema>;
