import { randomUUID } from 'node:crypto';
import { newCustomer } from '../../tests/kit/customer.ts';
import { createSend } from '../../tests/kit/http.ts';
import { queryOnce } from '../../tests/kit/postgres/database.ts';
import type { Request } from './requests.ts';

export const loginCookie = async (authUrl: string): Promise<string> => (await newCustomer(createSend(authUrl))).cookie;

/** Inserts 1,000 products, which are also ordered. */
export async function fillCatalogue(databaseUrl: string): Promise<void> {
  await queryOnce(
    databaseUrl,
    `insert into products (id, name, price, unit)
     select gen_random_uuid(), 'Product number ' || n, n * 1.25, 'piece' from generate_series(1, 1000) as n`,
  );
  await queryOnce(databaseUrl, 'analyze products');
}

export async function productIds(productUrl: string): Promise<string[]> {
  const { body } = await createSend(productUrl)('GET', '/products?size=100');
  return body.map(({ id }: { id: string }) => id);
}

/**
 * Returns a request that places an order of three products.
 * @param headers identify the customer: a cookie at the gateway, id-account at the service
 */
export const placeOrder = (url: string, products: string[], headers: Record<string, string>) =>
  ({
    url: `${url}/orders`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    unique() {
      const first = Math.floor(Math.random() * (products.length - 2));
      const items = products.slice(first, first + 3).map((productId) => ({ productId, quantity: 1 }));
      return { headers: { 'idempotency-key': randomUUID() }, body: JSON.stringify({ items }) };
    },
  }) satisfies Request;
