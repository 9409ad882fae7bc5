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
/** On the service's own address: the gateway does not route these. */
const byOperator = { tag: 'products', identity: 'caller', internal: true } as const;
const params = z.object({ id: uuid });
const notWriter = problem('The account may not change products.');
const stale = problem(staleVersion);
const creation = { body: productIn, bodyKib: 64, decimals: true } as const;
const made = { description: 'Created.', body: productOut, headers: { Location: 'Path of the new product.' } };
const replacement = { ...creation, params, headers: ifMatchHeader, body: productChange } as const;
const replaced = { description: 'The product as it is now.', body: productOut };
const removed = { description: 'Deleted.' };

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
        const read = async () => {
          const { next, ...page } = await products.list(query);
          return { ...page, headers: nextLink(url, next) };
        };
        // Orders read their prices by id.
        const { json, headers } = await cache.reply(url, read, query.id === undefined);
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
      ...creation,
      responses: { 201: made, 403: notWriter },
      async handler({ body, ...caller }) {
        const { id, json } = await products.asWriter(caller).create(body);
        return created(`/products/${id}`, { json });
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
      handler: async ({ params: { id }, headers, body, ...caller }) =>
        ok({ json: await products.asWriter(caller).replace(id, body, headers['if-match']) }),
    }),
    route({
      ...byWriter,
      method: 'delete',
      path: '/products/{id}',
      operationId: 'deleteProduct',
      summary: 'Delete a product',
      params,
      headers: ifMatchHeader,
      responses: { 204: removed, 403: notWriter },
      async handler({ params: { id }, headers, ...caller }) {
        await products.asWriter(caller).remove(id, headers['if-match']);
        return noContent();
      },
    }),
    // For operators, whoever may write otherwise.
    route({
      ...byOperator,
      method: 'post',
      path: '/internal/products',
      operationId: 'addProduct',
      summary: 'Create a product as an operator',
      ...creation,
      responses: { 201: made },
      async handler({ body, actor }) {
        const { id, json } = await products.asOperator(actor).create(body);
        return created(`/products/${id}`, { json });
      },
    }),
    route({
      ...byOperator,
      method: 'put',
      path: '/internal/products/{id}',
      operationId: 'setProduct',
      summary: 'Replace a product as an operator',
      ...replacement,
      responses: { 200: replaced, 409: stale },
      handler: async ({ params: { id }, headers, body, actor }) =>
        ok({ json: await products.asOperator(actor).replace(id, body, headers['if-match']) }),
    }),
    route({
      ...byOperator,
      method: 'delete',
      path: '/internal/products/{id}',
      operationId: 'removeProduct',
      summary: 'Delete a product as an operator',
      params,
      headers: ifMatchHeader,
      responses: { 204: removed },
      async handler({ params: { id }, headers, actor }) {
        await products.asOperator(actor).remove(id, headers['if-match']);
        return noContent();
      },
    }),
  ];
}
