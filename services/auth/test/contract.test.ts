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
  const credentials = {
    INTERNAL_CREDENTIAL: newCredential(),
    INTERNAL_CREDENTIALS: newCredential(),
    OPERATOR_CREDENTIALS: newCredential(),
  };
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

const resetOften = async () => ({ body: { email: 'often@example.com' } });

async function withOwnPassword() {
  const { body } = await newAccount();
  const { headers, body: account } = await request(auth.app).post('/auth/login').send(body).expect(200);
  const token = /=([^;]+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1];
  return { headers: { 'id-account': account.id, authorization: `Bearer ${token}` }, body };
}
const wrongly = <Call extends { body: object }>(call: Call) => ({ ...call, body: { ...call.body, password: 'wrong' } });

async function byCustomer() {
  const { body } = await request(auth.app)
    .post('/auth/register')
    .send({ ...ada, email: `${crypto.randomUUID()}@example.com` });
  const headers = { 'id-account': body.id, authorization: `Bearer ${await auth.issue(body.id)}` };
  return { path: `/accounts/${body.id}/roles`, headers, body: { roles: ['operator'] } };
}

async function grant() {
  const { path, body } = await byCustomer();
  return { path: `/internal${path}`, body };
}

async function byOperator() {
  const { path, headers, body } = await byCustomer();
  await request(auth.app).put(`/internal${path}`).send(body).expect(200);
  return { path, headers, body };
}

async function withSession() {
  const { body } = await newAccount();
  const { headers, body: account } = await request(auth.app).post('/auth/login').send(body).expect(200);
  const token = /=([^;]+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1];
  return {
    path: `/accounts/${account.id}/sessions`,
    headers: { 'id-account': account.id, authorization: `Bearer ${token}` },
  };
}

async function withPassword() {
  const { path, headers } = await withSession();
  const body = { currentPassword: ada.password, newPassword: 'battery staple' };
  return { path: path.replace('sessions', 'password'), headers, body };
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
    'post /auth/password-resets': { 202: { body: { email: ada.email } }, 400: { body: {} }, 429: resetOften },
    'post /auth/password-resets/confirmation': {
      204: async () => ({ body: { token: (await newAccount()).body.email, password: 'battery staple' } }),
      400: { body: {} },
      403: { body: { token: 'unknown', password: 'battery staple' } },
    },
    'post /auth/email-confirmations': {
      204: async () => ({ body: { token: (await newAccount()).body.email } }),
      400: { body: {} },
      403: { body: { token: 'unknown' } },
      409: { body: { token: 'taken' } },
    },
    'post /internal/own-password-checks': {
      204: withOwnPassword,
      400: async () => ({ ...(await withOwnPassword()), body: {} }),
      403: async () => wrongly(await withOwnPassword()),
      429: async () => {
        const call = wrongly(await withOwnPassword());
        const path = '/internal/own-password-checks';
        for (let n = 0; n < 10; n += 1)
          await request(auth.app).post(path).set(call.headers).send(call.body).expect(403);
        return call;
      },
    },
    'delete /internal/own-sessions': { 204: withToken },
    'get /internal/accounts/{id}/confirmation': {
      200: { path: `/internal/accounts/${accountId}/confirmation` },
      400: { path: '/internal/accounts/%ff/confirmation' },
    },
    'get /.well-known/jwks.json': { 200: {} },
    'get /auth/logout': { 200: withCookie },
    'post /internal/session-checks': {
      200: { body: { sessions: [{ id: accountId, accountId, authenticatedAt: 1.5 }] } },
      400: { body: { sessions: [{ id: 'x' }] } },
    },
    'delete /auth/sessions': { 204: withToken },
    'put /accounts/{id}/password': {
      204: withPassword,
      400: async () => ({ ...(await withPassword()), body: {} }),
      403: async () => ({
        ...(await withPassword()),
        body: { currentPassword: 'wrong horse', newPassword: 'battery staple' },
      }),
      429: async () => {
        const call = await withPassword();
        const body = { currentPassword: 'wrong horse', newPassword: 'battery staple' };
        for (let n = 0; n < 10; n += 1) await request(auth.app).put(call.path).set(call.headers).send(body).expect(403);
        return call;
      },
    },
    'get /accounts/{id}/sessions': { 200: withSession, 400: { path: '/accounts/%ff/sessions' } },
    'delete /accounts/{id}/sessions/{sessionId}': {
      204: async () => {
        const { path, headers } = await withSession();
        const { body } = await request(auth.app).get(path).set(headers);
        return { path: `${path}/${body[0].id}`, headers };
      },
      400: { path: '/accounts/%ff/sessions/%ff' },
    },
    'put /accounts/{id}/roles': {
      200: byOperator,
      400: async () => ({ ...(await byOperator()), body: { roles: 7 } }),
      403: byCustomer,
    },
    'put /internal/accounts/{id}/roles': { 200: grant, 400: async () => ({ ...(await grant()), body: {} }) },
    'post /auth/solve': {
      200: async () => ({ body: { token: await auth.issue(crypto.randomUUID()) } }),
      400: { body: { token: 7 } },
      401: { body: { token: 'a.b.c' } },
    },
  },
});
