import { nextLink, pageOf } from '@store/shared/http/pagination';
import { type AnyRoute, ok, route, unavailable } from '@store/shared/http/route';
import type { z } from 'zod';
import type { Page, PageQuery } from './read-page.ts';

interface List<Query extends PageQuery> {
  path: string;
  operationId: string;
  summary: string;
  query: z.ZodType<Query>;
  item: z.ZodType;
  /** Names the envelope in the document. */
  page: string;
  list(query: Query): Promise<Page>;
}

/** The route of a group's collection. On the service's own address only: the gateway does not route it (contract 4.10). */
export function listRoute<Query extends PageQuery>({
  path,
  operationId,
  summary,
  query,
  item,
  page,
  list,
}: List<Query>): AnyRoute {
  return route({
    method: 'get',
    path,
    operationId,
    summary,
    tag: path.slice(1),
    identity: 'caller',
    query,
    responses: {
      200: {
        description: 'A page.',
        body: pageOf(item).meta({ id: page }),
        headers: { Link: 'The next page, as rel="next", while there is more.' },
      },
      503: unavailable,
    },
    async handler({ query: asked, url }) {
      const { json, next } = await list(asked);
      return ok({ json }, nextLink(url, next));
    },
  });
}
