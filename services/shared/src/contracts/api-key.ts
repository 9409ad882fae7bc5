import { z } from 'zod';
import { scopeNames } from '../http/identity.ts';
import { timestamp, uuid } from '../values/fields.ts';

export const exampleKey = {
  id: '5c1d7e90-2f4b-4a8e-9b36-7d0e1f2a3b4c',
  name: 'Shipping software',
  scopes: ['orders:read' as const],
  createdAt: '2026-01-31T09:30:00.000Z',
  expiresAt: '2026-07-31T00:00:00.000Z',
  lastUsedAt: null,
};

/** contract 3.12 */
export const apiKeyOut = z
  .object({
    id: uuid,
    name: z.string(),
    scopes: z.array(z.string()),
    createdAt: timestamp,
    expiresAt: timestamp,
    lastUsedAt: timestamp.nullable().describe('The hour of the last request.'),
  })
  .meta({ id: 'ApiKeyOut', examples: [exampleKey] });

export const newApiKeyOut = apiKeyOut
  .extend({ key: z.string().describe('The key itself, a token. It cannot be shown again.') })
  .meta({ id: 'NewApiKeyOut', examples: [{ ...exampleKey, key: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl' }] });

/** Scopes of a key, or of the keys of a service account. */
export const keyScopes = z
  .array(z.enum(scopeNames))
  .min(1)
  .transform((given) => [...new Set(given)].sort());
