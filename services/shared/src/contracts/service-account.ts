import { z } from 'zod';
import { text, timestamp, uuid } from '../values/fields.ts';
import { rolesIn } from './account.ts';
import { apiKeyOut, keyScopes } from './api-key.ts';

/** contract 3.13 */
export const serviceAccountIn = z
  .object({
    name: text(1, 100),
    scopes: keyScopes.describe('Of each of its keys.'),
    roles: rolesIn.shape.roles.default([]).describe("Among the caller's own."),
  })
  .meta({ id: 'ServiceAccountIn', examples: [{ name: 'Warehouse', scopes: ['orders:read'], roles: [] }] });

export const serviceAccountOut = z
  .object({
    id: uuid,
    name: z.string(),
    scopes: z.array(z.string()),
    roles: z.array(z.string()),
    paused: z.boolean(),
    createdBy: z.string().describe('As in the audit trail.'),
    createdAt: timestamp,
  })
  .meta({
    id: 'ServiceAccountOut',
    examples: [
      {
        id: '9d3b5a40-6c1e-4f7b-8a25-3e9f0c7d1b62',
        name: 'Warehouse',
        scopes: ['orders:read'],
        roles: [],
        paused: false,
        createdBy: 'account 3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
        createdAt: '2026-01-31T09:30:00.000Z',
      },
    ],
  });

/** For operators, all of them. */
export const serviceAccountsWithKeys = z.array(serviceAccountOut.extend({ keys: z.array(apiKeyOut) }));
