import request from 'supertest';
import { describeContract } from '../../../tests/kit/openapi/contract.ts';
import { createAccountClient } from '../src/account-client.ts';
import { authRoutes } from '../src/routes.ts';
import { ada, testApp } from './_app.ts';

let auth: Awaited<ReturnType<typeof testApp>>;
let unavailable: Awaited<ReturnType<typeof testApp>>;

beforeAll(async () => {
  auth = await testApp();
  unavailable = await testApp({ accounts: createAccountClient({ baseUrl: 'http://127.0.0.1:1' }) });
});

let registered = 0;
async function newAccount() {
  registered += 1;
  const body = { ...ada, email: `ada${registered}@example.com` };
  await request(auth.app).post('/auth/register').send(body).expect(201);
  return { body };
}

describeContract({
  // Only for the document; the requests go to the application.
  routes: authRoutes({} as never, {} as never, {} as never),
  app: () => auth.app,
  unavailableApp: () => unavailable.app,
  calls: {
    'post /auth/register': { 201: { body: ada }, 400: { body: { ...ada, name: ' ' } }, 409: newAccount },
    'post /auth/login': {
      200: newAccount,
      400: { body: { email: ada.email } },
      401: { body: { email: ada.email, password: 'wrong password' } },
    },
    'get /auth/logout': { 200: {} },
    'get /.well-known/jwks.json': { 200: {} },
    'post /auth/solve': {
      200: async () => ({ body: { token: await auth.tokens.issue(crypto.randomUUID()) } }),
      400: { body: { token: 7 } },
      401: { body: { token: 'a.b.c' } },
    },
  },
});
