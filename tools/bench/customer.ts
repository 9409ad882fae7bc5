import { randomUUID } from 'node:crypto';
import { newCustomer } from '../../tests/kit/customer.ts';
import { createSend, sendExpecting } from '../../tests/kit/http.ts';
import { queryOnce } from '../../tests/kit/postgres/database.ts';

export const loginCookie = async (authUrl: string): Promise<string> => (await newCustomer(createSend(authUrl))).cookie;

/** Inserts 1,000 products, from which orders are made too. */
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

export interface Placed {
  id: string;
  /** In ms since the epoch. */
  sentAt: number;
}

/** Date.now() with fractions of a millisecond, to compare with timestamps of other processes. */
export const nowMs = () => performance.timeOrigin + performance.now();

/**
 * Returns a function that places an order of three products.
 * @param headers identify the customer: a cookie at the gateway, id-account at the service
 */
export function orderPlacer(url: string, products: string[], headers: Record<string, string>) {
  const send = createSend(url);
  return async (): Promise<Placed> => {
    const first = Math.floor(Math.random() * (products.length - 2));
    const items = products.slice(first, first + 3).map((productId) => ({ productId, quantity: 1 }));
    const sentAt = nowMs();
    const unique = { 'idempotency-key': randomUUID(), ...headers };
    const { body } = await sendExpecting(201, send, 'POST', '/orders', { items }, unique);
    return { id: body.id, sentAt };
  };
}
