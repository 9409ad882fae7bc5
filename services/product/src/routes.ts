import { productOut } from '@store/shared/contracts/product';
import { nextLink } from '@store/shared/http/pagination';
import { etagDescription, ifMatchHeader, staleVersion } from '@store/shared/http/precondition';
import { type AnyRoute, created, noContent, ok, problem, route } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { CatalogueCache } from './catalogue-cache.ts';
import type { Products } from './products.ts';
import { productChange, productIn, productQuery } from './schemas.ts';

const open = { tag: 'products', identity: 'none' } as const;
const byWriter = { tag: 'products', identity: 'account', scope: 'products:write' } as const;
const params = z.object({ id: uuid });
const notWriter = problem('The account may not change products.');
const stale = problem(staleVersion);
const replacement = { params, headers: ifMatchHeader, body: productChange, bodyKib: 64, decimals: true } as const;
const replaced = { description: 'The product as it is now.', body: productOut };

export function productRoutes(products: Products, cache: CatalogueCache): AnyRoute[] {
  return [
    route({
      ...open,
      method: 'get',
      path: '/products',
      operationId: 'listProducts',
      summary: 'List products',
      query: productQuery,
      responses: {
        200: {
          description: 'One page of the list.',
          body: z.array(productOut),
          headers: { ETag: etagDescription, Link: 'The next page, as rel="next", while there is more.' },
        },
      },
      async handler({ query, url }) {
        const { json, headers } = await cache.reply(url, async () => {
          const { next, ...read } = await products.list(query);
          return { ...read, headers: nextLink(url, next) };
        });
        return ok({ json }, headers);
      },
    }),
    // Before /products/{id}, which has the same form.
    route({
      ...open,
      method: 'get',
      path: '/products/categories',
      operationId: 'listCategories',
      summary: 'List the categories of products',
      responses: {
        200: {
          description: 'At most 1000, in their order.',
          body: z.array(z.string()),
          headers: { ETag: etagDescription },
        },
      },
      async handler({ url }) {
        const { json, headers } = await cache.reply(url, async () => ({
          ...(await products.categories()),
          headers: {},
        }));
        return ok({ json }, headers);
      },
    }),
    route({
      ...open,
      method: 'get',
      path: '/products/{id}',
      operationId: 'getProduct',
      summary: 'Fetch a product',
      params,
      responses: {
        200: { description: 'The product.', body: productOut, headers: { ETag: etagDescription } },
      },
      async handler({ params: { id }, url }) {
        const { json, headers } = await cache.reply(url, async () => ({ ...(await products.get(id)), headers: {} }));
        return ok({ json }, headers);
      },
    }),
    route({
      ...byWriter,
      method: 'post',
      path: '/products',
      operationId: 'createProduct',
      summary: 'Create a product',
      body: productIn,
      bodyKib: 64,
      decimals: true,
      responses: {
        201: { description: 'Created.', body: productOut, headers: { Location: 'Path of the new product.' } },
        403: notWriter,
      },
      async handler({ accountId, roles, body }) {
        const product = await products.create({ accountId, roles }, body);
        return created(`/products/${product.id}`, product);
      },
    }),
    route({
      ...byWriter,
      method: 'put',
      path: '/products/{id}',
      operationId: 'replaceProduct',
      summary: 'Replace a product',
      ...replacement,
      responses: { 200: replaced, 403: notWriter, 409: stale },
      handler: async ({ accountId, roles, params: { id }, headers, body }) =>
        ok(await products.replace({ accountId, roles }, id, body, headers['if-match'])),
    }),
    // Internal, for operators: the gateway does not route it.
    route({
      method: 'put',
      path: '/internal/products/{id}',
      operationId: 'setProduct',
      summary: 'Replace a product as an operator',
      tag: 'products',
      identity: 'caller',
      internal: true,
      ...replacement,
      responses: { 200: replaced, 409: stale },
      handler: async ({ params: { id }, headers, body }) => ok(await products.set(id, body, headers['if-match'])),
    }),
    route({
      ...byWriter,
      method: 'delete',
      path: '/products/{id}',
      operationId: 'deleteProduct',
      summary: 'Delete a product',
      params,
      headers: ifMatchHeader,
      responses: { 204: { description: 'Deleted.' }, 403: notWriter },
      async handler({ accountId, roles, params: { id }, headers }) {
        await products.remove({ accountId, roles }, id, headers['if-match']);
        return noContent();
      },
    }),
  ];
}
