import { entityTag, mustMatch } from '@store/shared/http/precondition';
import { stringifyJson } from '@store/shared/values/json';
import { type Answer, Reply } from './_console.ts';

export const productId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** Fields that the console does not show, and a change keeps. */
export const details = { description: 'First harvest.', images: [], category: 'Drinks' };

/**
 * One product and its stock, kept as product and inventory keep them (contract 4.4 and 4.9).
 * @param price as it is written
 * @param own further fields of the product
 */
export function catalogueOf(price: string, own: object = details): Answer {
  let state = JSON.stringify({ id: productId, name: 'Tea', unit: 'kg', version: 1, ...own }).replace(
    '"unit"',
    `"price":${price},"unit"`,
  );
  let available = 5;
  let isThere = true;
  return (method, path, body, headers) => {
    if (path.startsWith('/products?')) return new Reply(200, isThere ? `[${state}]` : '[]');
    if (path === '/internal/products') {
      isThere = true;
      state = stringifyJson({ id: productId, version: 1, ...(body as object), ...own });
      return new Reply(201, state);
    }
    if (!isThere && path.includes('/products/')) return undefined;
    if (path === `/products/${productId}`) return new Reply(200, state, { ETag: entityTag(state) });
    if (path === `/stock/${productId}`) {
      if (method === 'PUT') ({ available } = body as { available: number });
      return { productId, available };
    }
    if (path !== `/internal/products/${productId}`) return undefined;
    try {
      mustMatch(headers['if-match'], entityTag(state));
    } catch (error) {
      return new Reply(412, { detail: (error as Error).message });
    }
    if (method === 'DELETE') {
      isThere = false;
      return new Reply(204, '');
    }
    const fields = body as { name: string };
    if (fields.name === 'refused') return new Reply(400, { detail: 'body.name: must be another' });
    state = stringifyJson({ id: productId, ...fields, version: 1 });
    return new Reply(200, state);
  };
}
