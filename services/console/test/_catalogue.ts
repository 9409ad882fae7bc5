import { entityTag, mustMatch, mustNotMatch } from '@store/shared/http/precondition';
import { stringifyJson } from '@store/shared/values/json';
import { type Answer, Reply } from './_console.ts';

export const productId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** Fields of a product besides name, price and unit. */
export const details = {
  description: 'First harvest.',
  images: [],
  category: 'Drinks',
  taxPermille: 230,
  sku: 'TEA-1',
};

interface CatalogueOptions {
  /** Further fields of the product. */
  own?: object;
  /** If undefined, the product was never ordered and has its initial stock. */
  stock?: number;
}
export const initialStock = 1_000;

/**
 * A product and its stock, served as product and inventory do (contract 4.4 and 4.9).
 * @param price as written in JSON
 */
export function catalogueOf(price: string, { own = details, stock }: CatalogueOptions = {}): Answer {
  let state = JSON.stringify({ id: productId, name: 'Tea', unit: 'kg', version: 1, ...own }).replace(
    '"unit"',
    `"price":${price},"unit"`,
  );
  let available = stock;
  let isThere = true;
  const stockState = () => (available === undefined ? undefined : JSON.stringify({ productId, available }));
  const tagOf = (json: string | undefined) => (json === undefined ? undefined : entityTag(json));

  const answerOfStock: Answer = (method, _, body, headers) => {
    const now = stockState();
    if (method === 'PUT') {
      mustMatch(headers['if-match'], tagOf(now));
      mustNotMatch(headers['if-none-match'], tagOf(now));
      ({ available } = body as { available: number });
      return { productId, available };
    }
    return now && new Reply(200, now, { ETag: entityTag(now) });
  };
  const answer: Answer = (method, path, body, headers) => {
    if (path.startsWith('/products/availability?')) return [{ productId, available: available ?? initialStock }];
    if (path === '/products/categories') return ['Drinks', 'Food'];
    if (path.startsWith('/products?')) return new Reply(200, isThere ? `[${state}]` : '[]');
    if ((body as { sku?: string } | undefined)?.sku === 'TAKEN')
      return new Reply(409, { detail: 'Another product has this sku.' });
    if (path === '/internal/products') {
      isThere = true;
      state = stringifyJson({ id: productId, version: 1, ...(body as object) });
      return new Reply(201, state);
    }
    if (!isThere && path.includes('/products/')) return undefined;
    if (path === `/products/${productId}`) return new Reply(200, state, { ETag: entityTag(state) });
    if (path === `/stock/${productId}`) return answerOfStock(method, path, body, headers);
    if (path !== `/internal/products/${productId}`) return undefined;
    mustMatch(headers['if-match'], entityTag(state));
    if (method === 'DELETE') {
      isThere = false;
      return new Reply(204, '');
    }
    const fields = body as { name: string };
    if (fields.name === 'refused') return new Reply(400, { detail: 'body.name: must be another' });
    state = stringifyJson({ id: productId, ...fields, version: 1 });
    return new Reply(200, state);
  };
  return (...asked) => {
    try {
      return answer(...asked);
    } catch (error) {
      return new Reply(412, { detail: (error as Error).message });
    }
  };
}
