import { rolesOut } from '@store/shared/contracts/account';
import { timestamp, uuid } from '@store/shared/values/fields';
import { z } from 'zod';

export const keyOut = z.object({
  id: uuid,
  name: z.string(),
  scopes: z.array(z.string()),
  createdAt: timestamp,
  expiresAt: timestamp,
  lastUsedAt: timestamp.nullable(),
});

export const shownAccountOut = rolesOut.extend({
  id: uuid,
  name: z.string().nullable().describe('Null if it was sought by its id.'),
  email: z.string().nullable(),
  keys: z.array(keyOut),
});
