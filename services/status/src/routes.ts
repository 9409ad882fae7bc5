import { nextLink, nextPage } from '@store/shared/http/pagination';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { z } from 'zod';
import { statusOut, statusQuery } from './schemas.ts';
import type { StatusRepository } from './status-repository.ts';

/** Headers for `skip`, which the cursor has replaced since the first release (RFC 9745, RFC 8594). */
const retiring = {
  Deprecation: `@${Date.UTC(2026, 10, 21) / 1000}`,
  Sunset: new Date(Date.UTC(2028, 0, 1)).toUTCString(),
};

export function statusRoutes(statuses: StatusRepository): AnyRoute[] {
  const documented = { operationId: 'listStatus', summary: 'List station status records, oldest first', tag: 'status' };
  return [{ path: '/api/v1/status/', ...documented }, { path: '/api/v1/status' }].map((own) =>
    route({
      ...own,
      method: 'get',
      identity: 'none',
      query: statusQuery,
      responses: {
        200: {
          description: 'One page of the list, ordered by time.',
          body: z.array(statusOut),
          headers: {
            ...nextPage,
            Deprecation: 'The date since which skip has been deprecated; only if it was used.',
            Sunset: 'The date on which skip stops working; only if it was used.',
          },
        },
      },
      async handler({ query, url, clientAddress }) {
        const { json, next } = await statuses.page(query, clientAddress);
        const link = nextLink(url, next, ['cursor', 'skip']);
        return ok({ json }, { ...link, ...(query.skip !== undefined && retiring) });
      },
    }),
  );
}
