import { foundAccountOut, rolesOut, shownSessionsOut } from '@store/shared/contracts/account';
import { apiKeyOut } from '@store/shared/contracts/api-key';
import { timestamp, uuid } from '@store/shared/values/fields';
import { z } from 'zod';

const { id, name, email, createdAt, confirmedAt } = foundAccountOut.shape;

export const listedAccountOut = z.object({ id, name, email, createdAt });

/** A part is null if its service does not answer; `problems` names the service. */
export const shownAccountOut = z.object({
  id: uuid,
  account: z.object({ name, email, createdAt, confirmedAt }).nullable(),
  roles: rolesOut.shape.roles.nullable(),
  lockedAt: timestamp.nullable().describe('Null if it is not locked, or auth does not answer.'),
  sessions: shownSessionsOut.nullable(),
  keys: z.array(apiKeyOut).nullable(),
  problems: z.array(z.string()),
});
