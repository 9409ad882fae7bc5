import { nextLink } from '@store/shared/http/pagination';
import { type AnyRoute, away, ok, route } from '@store/shared/http/route';
import type { z } from 'zod';
import type { Page, PageQuery, Pages } from './pages.ts';
import {
  figuresPage,
  figuresQuery,
  invoicePage,
  invoiceQuery,
  notificationPage,
  notificationQuery,
} from './schemas.ts';

interface List {
  path: string;
  summary: string;
  query: z.ZodType<PageQuery>;
  body: z.ZodType;
  read(query: PageQuery): Promise<Page>;
}

/** Asked on the service's own address only: the gateway does not route here. */
function listRoute({ path, summary, query, body, read }: List): AnyRoute {
  return route({
    method: 'get',
    path,
    summary,
    tag: path.slice(1),
    identity: 'none',
    query,
    responses: {
      200: { description: 'A page.', body, headers: { Link: 'The next page, as rel="next", while there is more.' } },
      503: away,
    },
    async handler({ query: asked, url }) {
      const { json, next } = await read(asked);
      return ok({ json }, next && nextLink(url, next));
    },
  });
}

export const notificationRoute = ({ notifications }: Pages) =>
  listRoute({
    path: '/notifications',
    summary: 'List messages to customers',
    query: notificationQuery,
    body: notificationPage,
    read: notifications,
  });

export const figureRoute = ({ figures }: Pages) =>
  listRoute({
    path: '/figures',
    summary: 'List the figures of each day',
    query: figuresQuery,
    body: figuresPage,
    read: figures,
  });

export const invoiceRoute = ({ invoices }: Pages) =>
  listRoute({
    path: '/invoices',
    summary: 'List invoices',
    query: invoiceQuery,
    body: invoicePage,
    read: invoices,
  });
