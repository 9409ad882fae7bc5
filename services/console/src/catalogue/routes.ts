import { productImportOut } from '@store/shared/contracts/product-import';
import { stockOut } from '@store/shared/contracts/stock';
import { type AnyRoute, ndjson, noContent, noStore, ok, problem, route, tooMany } from '@store/shared/http/route';
import type { Logger } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import { text, uuid } from '@store/shared/values/fields';
import { Decimal } from '@store/shared/values/money';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';
import { anyProduct, fields, listedOut, productIn, shownOut, stockIn, version } from './schemas.ts';

const base = { tag: 'catalogue', ...byOperator } as const;
const path = '/api/products/{id}';
const params = z.object({ id: uuid });
const stale = problem('Someone else has changed the product since this version.');
const shown = '20';
/** As long as the product service receives a file. */
const receivingMs = 60_000;

/**
 * Makes the routes of products and their stock (contract 4.4 and 4.9). A change applies only to the version that the operator saw.
 * @param currency of all prices
 */
export function cataloguePageRoutes(services: Services, currency: string, log: Logger): AnyRoute[] {
  /** How many can still be ordered, by product id; the initial stock for products that inventory has not seen. */
  async function availabilityOf(ids: string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const query = ids.map((id) => `id=${id}`).join('&');
    const stocks = await services.get('inventory', `/products/availability?${query}`, z.array(stockOut));
    return new Map(stocks.map(({ productId, available }) => [productId, available]));
  }

  /** The current stock, and the precondition that it has not changed when it is set. */
  async function stockNow(id: string) {
    try {
      const { body, etag } = await services.call('GET', 'inventory', `/stock/${id}`, stockOut);
      return { available: body.available, demand: { ifMatch: etag } };
    } catch (error) {
      if (!(error instanceof DomainError && error.kind === 'notFound')) throw error;
      return { available: (await availabilityOf([id])).get(id), demand: { ifNoneMatch: '*' } };
    }
  }

  return [
    route({
      ...base,
      method: 'get',
      path: '/api/catalogue',
      operationId: 'showCatalogue',
      summary: 'Show what all products have in common',
      responses: {
        200: {
          description: 'The currency of all prices, and the categories in use.',
          body: z.object({ currency: z.string(), categories: z.array(z.string()) }),
        },
      },
      handler: async () =>
        ok({ currency, categories: await services.get('product', '/products/categories', z.array(z.string())) }),
    }),
    route({
      ...base,
      method: 'get',
      path: '/api/products',
      operationId: 'showProducts',
      summary: 'List products with their stock, 20 at a time',
      query: z.object({
        search: text(1, 200).optional(),
        category: text(1, 100).optional(),
        after: text(1, 2_000).optional().describe('Cursor of the page.'),
      }),
      responses: {
        200: {
          description: 'Products whose names contain the text, or the latest products.',
          body: z.object({ products: z.array(listedOut), next: z.string().nullable() }),
        },
      },
      async handler({ query: { search, category, after } }) {
        const query = new URLSearchParams({
          size: shown,
          ...(search === undefined ? { sort: 'createdAt,desc' } : { q: search }),
          ...(category !== undefined && { category }),
          ...(after !== undefined && { after }),
        });
        const list = await services.call('GET', 'product', `/products?${query}`, z.array(anyProduct));
        const available = await availabilityOf(list.body.map(({ id }) => id)).catch(() => new Map<string, number>());
        const products = list.body.map((product) => ({ ...product, available: available.get(product.id) ?? null }));
        return ok({ products, next: list.next ?? null });
      },
    }),
    route({
      ...base,
      method: 'get',
      path,
      operationId: 'showProduct',
      summary: 'Show a product as it is now',
      params,
      responses: { 200: { description: 'The product.', body: shownOut } },
      async handler({ params: { id } }) {
        const { body, etag = '' } = await services.call('GET', 'product', `/products/${id}`, anyProduct);
        const { name, price, unit, description = null, category = null, images = [] } = body;
        const { taxPermille = null, sku = null } = body;
        const shown = { id, name, price: price.toFixed(), unit, description, category, taxPermille, sku, images };
        return ok({ ...shown, version: etag });
      },
    }),
    route({
      ...base,
      method: 'put',
      path,
      operationId: 'changeProduct',
      summary: 'Change a product',
      params,
      body: productIn,
      responses: { 204: { description: 'Changed.' }, 409: stale },
      async handler({ params: { id }, headers: { 'console-operator': by }, body: { version, ...product } }) {
        // Keep fields of a later release.
        const before = await services.get('product', `/products/${id}`, anyProduct.loose());
        const { id: _, version: __, ...kept } = before;
        const body = { ...kept, ...product, price: new Decimal(product.price) };
        const sent = { body, ifMatch: version, operator: by };
        await services.call('PUT', 'product', `/internal/products/${id}`, anyProduct, sent);
        log.info({ by, productId: id, product }, 'A product was changed');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'post',
      path: '/api/products',
      operationId: 'createProduct',
      summary: 'Create a product',
      body: fields,
      responses: { 204: { description: 'Created.' }, 409: problem('Another product has this sku.') },
      async handler({ headers: { 'console-operator': by }, body: product }) {
        const sent = { body: { ...product, price: new Decimal(product.price) }, operator: by };
        const { body } = await services.call('POST', 'product', '/internal/products', anyProduct, sent);
        log.info({ by, productId: body.id, product }, 'A product was created');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'post',
      path: '/api/imports',
      operationId: 'importProducts',
      summary: 'Create or replace products by a file of lines',
      lines: z.looseObject({}),
      // As the product service admits, which has the last word.
      bodyKib: 65_536,
      responses: {
        200: { description: 'Received. The import begins.', body: productImportOut },
        429: tooMany('Another import has not ended.'),
      },
      async handler({ headers: { 'console-operator': by }, upload }) {
        const sent = { lines: upload(), operator: by, timeoutMs: receivingMs };
        const { body } = await services.call('POST', 'product', '/internal/products/imports', productImportOut, sent);
        log.info({ by, importId: body.id, lines: body.lines }, 'An import of products was begun');
        return ok(body);
      },
    }),
    route({
      ...base,
      method: 'get',
      path: '/api/imports/{id}',
      operationId: 'showImport',
      summary: 'Show how far an import is',
      params,
      responses: { 200: { description: 'The import.', body: productImportOut } },
      handler: async ({ params: { id } }) =>
        ok(await services.get('product', `/internal/products/imports/${id}`, productImportOut), noStore),
    }),
    route({
      ...base,
      method: 'get',
      path: '/api/export',
      operationId: 'exportProducts',
      summary: 'Export products as a file that can be imported',
      responses: { 200: { description: 'All products that have a `sku`, by `sku`.', lines: z.looseObject({}) } },
      async handler({ headers: { 'console-operator': operator } }) {
        const lines = await services.pieces('product', '/internal/products/export', { operator });
        return ok({ json: lines }, { ...ndjson, ...noStore });
      },
    }),
    route({
      ...base,
      method: 'delete',
      path,
      operationId: 'deleteProduct',
      summary: 'Delete a product',
      params,
      query: z.object({ version }),
      responses: { 204: { description: 'Deleted.' }, 409: stale },
      async handler({ params: { id }, query, headers: { 'console-operator': by } }) {
        const sent = { ifMatch: query.version, operator: by };
        await services.call('DELETE', 'product', `/internal/products/${id}`, z.undefined(), sent);
        log.info({ by, productId: id }, 'A product was deleted');
        return noContent();
      },
    }),
    route({
      ...base,
      method: 'put',
      path: '/api/stock/{productId}',
      operationId: 'changeStock',
      summary: 'Set how many pieces can still be reserved',
      params: z.object({ productId: uuid }),
      body: stockIn,
      responses: {
        200: { description: 'The stock.', body: stockOut },
        409: problem('The stock has changed since it was seen.'),
      },
      async handler({ params: { productId }, headers: { 'console-operator': by }, body: { available, seen } }) {
        const now = await stockNow(productId);
        if (now.available !== seen)
          throw new DomainError('conflict', `The stock is now ${now.available}, so it was not set.`);
        const sent = { body: { available }, ...now.demand, operator: by };
        const { body: stock } = await services.call('PUT', 'inventory', `/stock/${productId}`, stockOut, sent);
        log.info({ by, productId, available }, 'A stock was set');
        return ok(stock);
      },
    }),
  ];
}
