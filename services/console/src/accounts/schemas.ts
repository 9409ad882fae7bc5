import { rolesOut } from '@store/shared/contracts/account';
import { apiKeyOut } from '@store/shared/contracts/api-key';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';

export const shownAccountOut = rolesOut.extend({
  id: uuid,
  name: z.string().nullable().describe('Null if it was sought by its id.'),
  email: z.string().nullable(),
  keys: z.array(apiKeyOut),
});
