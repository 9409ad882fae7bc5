import { randomUUID } from 'node:crypto';
import { nowMs } from './load.ts';

const json = { 'content-type': 'application/json' };

/** Registers and logs in a new customer. @returns the cookie */
export async function login(authUrl: string): Promise<string> {
  const post = (path: string, body: object) =>
    fetch(authUrl + path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  const credentials = { email: `bench-${randomUUID()}@example.com`, password: 'a password of the bench' };
  await post('/auth/register', { name: 'Bench', ...credentials });
  const response = await post('/auth/login', credentials);
  const [cookie] = (response.headers.get('set-cookie') ?? '').split(';');
  if (!response.ok || cookie === undefined) throw new Error(`POST /auth/login returned ${response.status}.`);
  return cookie;
}

/** Returns the ids of the first hundred products. */
export async function productIds(productUrl: string): Promise<string[]> {
  const products = (await (await fetch(`${productUrl}/products?size=100`)).json()) as { id: string }[];
  return products.map(({ id }) => id);
}

export interface Placed {
  id: string;
  /** In ms since the epoch. */
  sentAt: number;
}

/**
 * Returns a function that places an order of three products.
 * @param headers identify the customer: a cookie at the gateway, id-account at the service
 */
export function orderPlacer(url: string, products: string[], headers: Record<string, string>) {
  return async (): Promise<Placed> => {
    const first = Math.floor(Math.random() * (products.length - 2));
    const items = products.slice(first, first + 3).map((productId) => ({ productId, quantity: 1 }));
    const sentAt = nowMs();
    const response = await fetch(`${url}/orders`, {
      method: 'POST',
      headers: { ...json, 'idempotency-key': randomUUID(), ...headers },
      body: JSON.stringify({ items }),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST /orders returned ${response.status} instead of 201: ${text}`);
    return { id: JSON.parse(text).id, sentAt };
  };
}
