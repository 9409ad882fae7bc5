import { randomUUID } from 'node:crypto';
import { type Send, sendExpecting, withCookie } from './http.ts';

export interface Credentials {
  email: string;
  password: string;
}

export interface Customer extends Credentials {
  accountId: string;
  /** The token cookie, as `name=value`. */
  cookie: string;
  /** Sends requests with the token cookie. */
  send: Send;
}

/** Registers an account and logs in. */
export async function newCustomer(send: Send): Promise<Customer> {
  const credentials = { email: `${randomUUID()}@example.com`, password: `pass-${randomUUID()}` };
  const { body } = await sendExpecting(201, send, 'POST', '/auth/register', { name: 'Ada', ...credentials });
  const cookie = await logIn(send, credentials);
  return { ...credentials, accountId: body.id, cookie, send: withCookie(send, cookie) };
}

/** Logs in and returns the token cookie. */
export async function logIn(send: Send, { email, password }: Credentials): Promise<string> {
  const { headers } = await sendExpecting(200, send, 'POST', '/auth/login', { email, password });
  return tokenCookie(headers);
}

export const tokenCookie = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? '';

/** Creates a product and returns its id. */
export async function newProduct(
  customer: Customer,
  product: { name?: string; price?: number; unit?: string } = {},
): Promise<string> {
  const complete = { name: 'Tea', price: 1.25, unit: 'kg', ...product };
  const { body } = await sendExpecting(201, customer.send, 'POST', '/products', complete);
  return body.id;
}

/** Creates products with the prices 1.25, 2.25 and so on, and returns their ids. */
export async function newProducts(customer: Customer, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n += 1) ids.push(await newProduct(customer, { name: `Tea ${n}`, price: n + 0.25 }));
  return ids;
}
