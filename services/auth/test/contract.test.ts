import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { describeContract } from '../../../tests/kit/openapi/contract.ts';
import { createTestDatabase, type TestDatabase, unreachableDatabaseUrl } from '../../../tests/kit/postgres/database.ts';
import { createAccountClient } from '../src/account-client.ts';
import { authRoutes } from '../src/routes.ts';
import { ada, newSecret, type TestApp, testApp } from './_app.ts';

const secret = newSecret();
const accountId = crypto.randomUUID();

let database: TestDatabase;
let auth: TestApp;
let unavailable: TestApp;
let restricted: TestApp;

beforeAll(async () => {
  database = await createTestDatabase('auth');
  const env = { JWT_SECRET_KEY: secret };
  const accounts = createAccountClient({ baseUrl: 'http://127.0.0.1:1' });
  auth = await testApp({ databaseUrl: database.url, env });
  const credentials = { INTERNAL_CREDENTIAL: newCredential(), INTERNAL_CREDENTIALS: newCredential() };
  restricted = await testApp({ databaseUrl: database.url, env: { ...env, ...credentials } });
  unavailable = await testApp({ databaseUrl: unreachableDatabaseUrl, accounts, env });
});

afterAll(async () => {
  for (const app of [auth, unavailable, restricted]) await app?.close();
  await database?.drop();
});

let registered = 0;
async function newAccount() {
  registered += 1;
  const body = { ...ada, email: `ada${registered}@example.com` };
  await request(auth.app).post('/auth/register').send(body).expect(201);
  return { body };
}

async function failedOften() {
  const body = { email: `${crypto.randomUUID()}@example.com`, password: 'wrong password' };
  for (let n = 0; n < 10; n += 1) await request(auth.app).post('/auth/login').send(body).expect(401);
  return { body };
}

const withToken = async () => ({ headers: { authorization: `Bearer ${await auth.issue(accountId)}` } });
const withCookie = async () => ({ headers: { cookie: `__store_jwt_token=${await auth.issue(accountId)}` } });

describeContract({
  accountId,
  // Only for the document; the requests go to the application.
  routes: authRoutes({} as never, {} as never, {} as never),
  app: () => auth.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  calls: {
    'post /auth/register': { 201: { body: ada }, 400: { body: { ...ada, name: ' ' } }, 409: newAccount },
    'post /auth/login': {
      200: newAccount,
      400: { body: { email: ada.email } },
      401: { body: { email: ada.email, password: 'wrong password' } },
      429: failedOften,
    },
    'get /.well-known/jwks.json': { 200: {} },
    'get /auth/logout': { 200: withCookie },
    'post /internal/session-checks': {
      200: { body: { sessions: [{ id: accountId, accountId, authenticatedAt: 1.5 }] } },
      400: { body: { sessions: [{ id: 'x' }] } },
    },
    'delete /auth/sessions': { 204: withToken },
    'post /auth/solve': {
      200: async () => ({ body: { token: await auth.issue(crypto.randomUUID()) } }),
      400: { body: { token: 7 } },
      401: { body: { token: 'a.b.c' } },
    },
  },
});
