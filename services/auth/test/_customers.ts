import request from 'supertest';
import { ada, type TestApp } from './_app.ts';

export type Customer = typeof ada & { id: string };
/** A customer with the identity headers that the gateway adds. */
export type LoggedIn = Customer & { token: string; headers: ReturnType<typeof identityOf> };

export const tokenIn = ({ headers }: { headers: Record<string, string> }) =>
  /__store_jwt_token=([^;]+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1] ?? '';

export const cookieWith = (token: string) => `__store_jwt_token=${token}`;

/** The identity headers that the gateway adds for a customer. */
export const identityOf = (id: string, token: string) => ({ 'id-account': id, authorization: `Bearer ${token}` });

/** Headers that the gateway sends in a token check. */
export const asGateway = { 'gateway-passes-on': 'account-scopes' };

/** Functions with which tests call the service as customers. */
export function customersOf(auth: Pick<TestApp, 'app'>) {
  const tryLogin = ({ email }: { email: string }, password: string) =>
    request(auth.app).post('/auth/login').send({ email, password });
  /** @returns the token */
  const logIn = async (customer: { email: string; password: string }) =>
    tokenIn(await tryLogin(customer, customer.password).expect(200));
  async function register(): Promise<Customer> {
    const body = { ...ada, email: `${crypto.randomUUID()}@example.com` };
    const { body: account } = await request(auth.app).post('/auth/register').send(body).expect(201);
    return { ...body, id: account.id };
  }
  return {
    register,
    tryLogin,
    logIn,
    async loggedIn(): Promise<LoggedIn> {
      const customer = await register();
      const token = await logIn(customer);
      return { ...customer, token, headers: identityOf(customer.id, token) };
    },
    logout: (token: string) => request(auth.app).get('/auth/logout').set('Cookie', cookieWith(token)),
    endSessions: (id: string, token: string) => request(auth.app).delete('/auth/sessions').set(identityOf(id, token)),
    solve: (token: string) => request(auth.app).post('/auth/solve').send({ token }),
    /** @returns the status of a token check */
    check: async (token: string) =>
      (await request(auth.app).get('/check').set(asGateway).set('Cookie', cookieWith(token))).status,
  };
}
