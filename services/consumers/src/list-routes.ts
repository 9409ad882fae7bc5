import type { CountedPage, PageQuery } from '@store/shared/database/read-page';
import type { Scope } from '@store/shared/http/identity';
import { nextLink, nextPage, pageInfo, pageOf } from '@store/shared/http/pagination';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import type { z } from 'zod';

type PagedQuery = PageQuery & { page: number };

interface List<Query extends PagedQuery> {
  path: string;
  operationId: string;
  summary: string;
  query: z.ZodType<Query>;
  item: z.ZodType;
  /** Name of the envelope in the OpenAPI document. */
  page: string;
  /** Default: `caller`. */
  identity?: 'caller' | 'accountOrCaller';
  scope?: Scope;
  /** @param accountId the calling customer; undefined for operators */
  list(query: Query, accountId: string | undefined): Promise<CountedPage<{ json: string }>>;
}

/** Makes the route of a group's collection (contract 4.10). */
export const listRoute = <Query extends PagedQuery>({ query, item, page, list, ...own }: List<Query>): AnyRoute =>
  route({
    method: 'get',
    tag: own.path.slice(1),
    identity: 'caller',
    ...own,
    query,
    responses: {
      200: {
        description: 'A page.',
        body: pageOf(item).meta({ id: page }),
        headers: nextPage,
      },
    },
    async handler({ query: asked, accountId, url }) {
      const { rows, total, next } = await list(asked, accountId);
      const content = rows.map(({ json }) => json).join(',');
      const info = JSON.stringify(pageInfo(asked, total));
      return ok({ json: `{"content":[${content}],"page":${info}}` }, nextLink(url, next));
    },
  });
