import request from 'supertest';
import type { TestApp } from './_app.ts';
import { asGateway, cookieWith, type LoggedIn } from './_customers.ts';

export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** Functions with which tests make, list, end and check API keys. */
export function keysOf(auth: Pick<TestApp, 'app'>) {
  return {
    make: ({ headers }: LoggedIn, body: object = {}) =>
      request(auth.app)
        .post('/auth/keys')
        .set(headers)
        .send({ name: 'Shipping', scopes: ['orders:read'], expiresAt: inDays(90), ...body }),
    list: async ({ headers }: LoggedIn) => (await request(auth.app).get('/auth/keys').set(headers).expect(200)).body,
    end: ({ headers }: LoggedIn, id: string) => request(auth.app).delete(`/auth/keys/${id}`).set(headers),
    /** @returns what the gateway passes on from a token check */
    async identify(token: string) {
      const { status, headers } = await request(auth.app).get('/check').set(asGateway).set('Cookie', cookieWith(token));
      const { 'id-account': id, 'account-roles': roles, 'account-scopes': scopes, authorization = '' } = headers;
      return { status, id, roles, scopes, bearer: authorization.slice('Bearer '.length) };
    },
  };
}
