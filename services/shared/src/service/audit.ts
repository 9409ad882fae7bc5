import { z } from 'zod';
import { auditEntryOut, auditQuery } from '../contracts/audit.ts';
import { deleteOldChanges, readChanges } from '../database/audit.ts';
import type { Statements } from '../database/sql.ts';
import { nextLink, nextPage } from '../http/pagination.ts';
import { type AnyRoute, ok, route } from '../http/route.ts';
import { loop } from '../values/loop.ts';
import { hourMs } from '../values/time.ts';
import type { Job } from './service.ts';

/** Makes the route for operators that reads the audit trail of a database (contract 4.16). */
export const auditRoute = (database: Statements): AnyRoute =>
  route({
    method: 'get',
    path: '/internal/audit',
    identity: 'operator',
    query: auditQuery,
    responses: {
      200: {
        description: 'The latest first.',
        body: z.array(auditEntryOut),
        headers: nextPage,
      },
    },
    async handler({ query, url }) {
      const { json, next } = await readChanges(database, query);
      return ok({ json }, nextLink(url, next));
    },
  });

/** Makes the job that deletes old entries. */
export const auditCleanUp = (database: Statements): Job =>
  loop({ name: 'old audit entries', everyMs: hourMs }, () => deleteOldChanges(database));
