import { auditEntryOut } from '@store/shared/contracts/audit';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { givenTime, text, uuid, uuidPrefix } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';
import { readAudit } from './audit.ts';

const changeOut = auditEntryOut.omit({ before: true, after: true }).extend({
  accountId: uuid.nullable().describe('Account of the actor; null if the actor is not an account.'),
  name: z.string().nullable().describe('Name of the account if it is an operator.'),
  fields: z.array(z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
});
const cursor = z
  .string()
  .max(500)
  .regex(/^[a-z-]+:\d{1,18}(,[a-z-]+:\d{1,18})*$/, 'must be a cursor from an earlier page');

export const auditPageRoutes = (services: Services, audited: string[]): AnyRoute[] => [
  route({
    ...byOperator,
    tag: 'audit',
    method: 'get',
    path: '/api/audit',
    operationId: 'showChanges',
    summary: 'List who changed what in all services',
    query: z.object({
      after: cursor.optional(),
      subject: uuidPrefix.optional(),
      person: text(1, 254).optional(),
      from: givenTime.optional(),
      to: givenTime.optional(),
    }),
    responses: {
      200: {
        description: 'The next 50 changes, latest first.',
        body: z.object({ changes: z.array(changeOut), next: z.string().nullable(), problems: z.array(z.string()) }),
      },
    },
    handler: async ({ query, headers: { 'console-operator': operator } }) =>
      ok(await readAudit(services, audited, operator, query)),
  }),
];
