import { randomUUID } from 'node:crypto';
import { productOut } from '@store/shared/contracts/product';
import { mustBeWriter, type Writers } from '@store/shared/contracts/writers';
import { nextLink, nextPage } from '@store/shared/http/pagination';
import { etagDescription, ifMatchHeader, preconditionHeaders, staleVersion } from '@store/shared/http/precondition';
import { type AnyRoute, created, type Documentation, noContent, ok, problem, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { CatalogueCache } from './catalogue-cache.ts';
import type { ProductRepository } from './product-repository.ts';
import { productBySku, productChange, productIn, productQuery, skuQuery } from './schemas.ts';

const open = { tag: 'products', identity: 'none' } as const;
const params = z.object({ id: uuid });
/** The largest product has 125 KiB if each character is written as escapes of 12 bytes. */
const product = { body: productIn, bodyKib: 192, decimals: true } as const;
const staleOrTaken = problem(`${staleVersion} Or another product has the \`sku\`.`);

const createdOut = {
  description: 'Created.',
  body: productOut,
  headers: { Location: 'Path of the new product.' },
} as const;

const byAccount = {
  base: { identity: 'account', scope: 'products:write' },
  path: '/products',
  create: { tag: 'products', operationId: 'createProduct', summary: 'Create a product' },
  replace: { tag: 'products', operationId: 'replaceProduct', summary: 'Replace a product' },
  put: { tag: 'products', operationId: 'putProduct', summary: 'Create or replace the product with a sku' },
  remove: { tag: 'products', operationId: 'deleteProduct', summary: 'Delete a product' },
  refused: problem('The account may not change products.'),
} as const;
const undocumented: Documentation = {};
/** Only on the service's own address: the gateway does not route these. */
const byOperator = {
  base: { identity: 'caller' },
  path: '/internal/products',
  create: undocumented,
  replace: undocumented,
  put: undocumented,
  remove: undocumented,
  refused: problem('The credential of the caller is missing or wrong.'),
} as const;

interface Dependencies {
  repository: ProductRepository;
  cache: CatalogueCache;
  writers: Writers;
}

export const productRoutes = (dependencies: Dependencies): AnyRoute[] => [
  ...readingRoutes(dependencies),
  ...writingRoutes(dependencies, byAccount),
  ...writingRoutes(dependencies, byOperator),
];

function readingRoutes({ repository, cache }: Dependencies): AnyRoute[] {
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
          headers: { ETag: etagDescription, ...nextPage },
        },
      },
      async handler({ query, url, clientAddress }) {
        const read = async () => {
          const { next, ...page } = await repository.list(query, clientAddress);
          return { ...page, headers: nextLink(url, next) };
        };
        // Placing an order reads prices by id, so those must not be old.
        const { json, headers } = await cache.reply(url, read, query.id === undefined);
        return ok({ json }, headers);
      },
    }),
    // Before /products/{id}, which also matches this path.
    route({
      ...open,
      method: 'get',
      path: '/products/categories',
      operationId: 'listCategories',
      summary: 'List the categories of products',
      responses: {
        200: {
          description: 'At most 1000 categories, in order.',
          body: z.array(z.string()),
          headers: { ETag: etagDescription },
        },
      },
      async handler({ url, clientAddress }) {
        const { json, headers } = await cache.reply(url, () => repository.categories(clientAddress));
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
        const { json, headers } = await cache.reply(url, async () => found(await repository.find(id), `product ${id}`));
        return ok({ json }, headers);
      },
    }),
  ];
}

function writingRoutes(
  { repository, writers }: Dependencies,
  { base, path, create, replace, put, remove, refused }: typeof byAccount | typeof byOperator,
): AnyRoute[] {
  /** @throws DomainError forbidden for an account that may not write; operators always may */
  function mayWrite(accountId = '', roles: readonly string[] = []): void {
    if (base.identity === 'account') mustBeWriter(writers, accountId, roles);
  }
  return [
    route({
      ...base,
      ...create,
      method: 'post',
      path,
      ...product,
      responses: {
        201: createdOut,
        403: refused,
        409: problem('Another product has the `sku`.'),
      },
      async handler({ accountId, roles, actor, body }) {
        mayWrite(accountId, roles);
        const id = randomUUID();
        return created(`/products/${id}`, { json: await repository.insert(actor, id, body) });
      },
    }),
    route({
      ...base,
      ...replace,
      method: 'put',
      path: `${path}/{id}`,
      ...product,
      params,
      headers: ifMatchHeader,
      body: productChange,
      responses: {
        200: { description: 'The product as it is now.', body: productOut },
        403: refused,
        409: staleOrTaken,
      },
      async handler({ accountId, roles, actor, params: { id }, headers, body }) {
        mayWrite(accountId, roles);
        return ok({ json: await repository.update(actor, id, body, headers['if-match']) });
      },
    }),
    route({
      ...base,
      ...put,
      method: 'put',
      path,
      ...product,
      query: skuQuery,
      headers: preconditionHeaders,
      body: productBySku,
      responses: {
        200: { description: 'The product as it is now: it existed.', body: productOut },
        201: createdOut,
        403: refused,
        409: staleOrTaken,
        412: problem('The product is not in the state that If-Match or If-None-Match demands.'),
      },
      async handler({ accountId, roles, actor, query: { sku }, headers, body }) {
        mayWrite(accountId, roles);
        const seen = { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
        const { isNew, id, json } = await repository.put(actor, randomUUID(), { ...body, sku }, seen);
        return isNew ? created(`/products/${id}`, { json }) : ok({ json });
      },
    }),
    route({
      ...base,
      ...remove,
      method: 'delete',
      path: `${path}/{id}`,
      params,
      headers: ifMatchHeader,
      responses: { 204: { description: 'Deleted.' }, 403: refused },
      async handler({ accountId, roles, actor, params: { id }, headers }) {
        mayWrite(accountId, roles);
        await repository.remove(actor, id, headers['if-match']);
        return noContent();
      },
    }),
  ];
}
