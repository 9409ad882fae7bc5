import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { describeContract } from '../../../tests/kit/openapi/contract.ts';
import { createTestDatabase, type TestDatabase, unreachableDatabaseUrl } from '../../../tests/kit/postgres/database.ts';
import { accountRoutes } from '../src/routes.ts';
import { ada, lastToken, testApp } from './_app.ts';

let database: TestDatabase;
let account: Awaited<ReturnType<typeof testApp>>;
let unavailable: Awaited<ReturnType<typeof testApp>>;
let restricted: Awaited<ReturnType<typeof testApp>>;
const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';

beforeAll(async () => {
  database = await createTestDatabase('account');
  account = await testApp(database.url);
  unavailable = await testApp(unreachableDatabaseUrl);
  const env = {
    INTERNAL_CREDENTIALS: newCredential(),
    OPERATOR_CREDENTIALS: newCredential(),
    MAILER_CREDENTIALS: newCredential(),
  };
  restricted = await testApp(database.url, {}, env);
});

afterAll(async () => {
  await Promise.all([account.close(), unavailable.close(), restricted.close()]);
  await database.drop();
});

let registered = 0;
async function newAccount() {
  registered += 1;
  const body = { ...ada, email: `ada${registered}@example.com` };
  const { body: created } = await request(account.app).post('/internal/accounts').send(body);
  return { ...body, id: created.id };
}

async function newEmail(email: string): Promise<string> {
  const { path, headers } = await own();
  await request(account.app).patch(path).set(headers).send({ email, currentPassword: ada.password }).expect(200);
  return lastToken(account, headers['id-account']);
}

async function own() {
  const { id } = await newAccount();
  return { path: `/accounts/${id}`, headers: { 'id-account': id }, body: { name: 'Countess' } };
}

describeContract({
  // Only for the document; the requests go to the application.
  routes: accountRoutes({} as never, { minLength: 1, isCommon: () => false }),
  app: () => account.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  accountId,
  calls: {
    'get /accounts': { 200: async () => ({ headers: { 'id-account': (await newAccount()).id } }) },
    'get /accounts/{id}': {
      200: async () => {
        const { id } = await newAccount();
        return { path: `/accounts/${id}`, headers: { 'id-account': id } };
      },
      400: { path: '/accounts/%ff' },
      404: async () => ({ path: `/accounts/${(await newAccount()).id}` }),
      503: { path: `/accounts/${accountId}`, app: () => unavailable.app },
    },
    'patch /accounts/{id}': {
      200: own,
      400: async () => ({ ...(await own()), body: {} }),
      404: async () => ({ ...(await own()), path: `/accounts/${accountId}` }),
      403: async () => ({ ...(await own()), body: { email: 'b@example.com', currentPassword: 'wrong' } }),
      429: async () => ({ ...(await own()), body: { email: 'b@example.com', currentPassword: 'too often' } }),
      412: async () => {
        const { headers, ...call } = await own();
        return { ...call, headers: { ...headers, 'if-match': '"another"' } };
      },
      503: async () => ({ path: `/accounts/${accountId}`, body: { name: 'Ada' }, app: () => unavailable.app }),
    },
    'delete /accounts/{id}': {
      204: async () => ({ ...(await own()), body: { password: ada.password } }),
      400: async () => ({ ...(await own()), body: {} }),
      403: async () => ({ ...(await own()), body: { password: 'wrong' } }),
      404: async () => ({ ...(await own()), path: `/accounts/${accountId}`, body: { password: ada.password } }),
      429: async () => ({ ...(await own()), body: { password: 'too often' } }),
      503: { path: `/accounts/${accountId}`, body: { password: ada.password }, app: () => unavailable.app },
    },
    'post /internal/password-resets': {
      202: { body: { email: 'nobody@example.com' } },
      400: { body: {} },
      429: async () => {
        const call = { headers: { 'x-envoy-external-address': '192.0.2.1' }, body: { email: 'nobody@example.com' } };
        for (let n = 0; n < 20; n += 1) {
          await request(account.app).post('/internal/password-resets').set(call.headers).send(call.body).expect(202);
        }
        return call;
      },
      503: { body: { email: 'nobody@example.com' }, app: () => unavailable.app },
    },
    'post /internal/password-resets/confirmation': {
      200: async () => {
        const { id, email } = await newAccount();
        await request(account.app).post('/internal/password-resets').send({ email }).expect(202);
        return { body: { token: await lastToken(account, id), password: 'battery staple' } };
      },
      400: { body: {} },
      403: { body: { token: 'unknown', password: 'battery staple' } },
      503: { body: { token: 'unknown', password: 'battery staple' }, app: () => unavailable.app },
    },
    'post /internal/email-confirmations': {
      204: async () => ({ body: { token: await newEmail(`${crypto.randomUUID()}@example.com`) } }),
      400: { body: {} },
      403: { body: { token: 'unknown' } },
      409: async () => {
        const email = `${crypto.randomUUID()}@example.com`;
        const token = await newEmail(email);
        await request(account.app)
          .post('/internal/accounts')
          .send({ ...ada, email })
          .expect(201);
        return { body: { token } };
      },
      503: { body: { token: 'unknown' }, app: () => unavailable.app },
    },
    'get /internal/accounts/{id}/confirmation': {
      200: async () => ({ path: `/internal/accounts/${(await newAccount()).id}/confirmation` }),
      400: { path: '/internal/accounts/%ff/confirmation' },
      503: { path: `/internal/accounts/${accountId}/confirmation`, app: () => unavailable.app },
    },
    'post /internal/accounts/{id}/mail': {
      200: async () => ({ path: `/internal/accounts/${(await newAccount()).id}/mail`, body: {} }),
      400: { path: `/internal/accounts/${accountId}/mail`, body: { requestId: 'x' } },
      503: { path: `/internal/accounts/${accountId}/mail`, body: {}, app: () => unavailable.app },
    },
    'get /internal/accounts': {
      200: async () => ({ path: `/internal/accounts?email=${(await newAccount()).email}` }),
      400: {},
    },
    'put /internal/accounts/{id}/password': {
      204: async () => ({
        path: `/internal/accounts/${(await newAccount()).id}/password`,
        body: { password: 'battery staple' },
      }),
      400: { path: `/internal/accounts/${accountId}/password`, body: { password: '' } },
      503: { path: `/internal/accounts/${accountId}/password`, body: { password: 'a b' }, app: () => unavailable.app },
    },
    'get /internal/accounts/{id}': {
      200: async () => ({ path: `/internal/accounts/${(await newAccount()).id}` }),
      400: { path: '/internal/accounts/%ff' },
      503: { path: `/internal/accounts/${accountId}`, app: () => unavailable.app },
    },
    'post /internal/accounts': {
      201: { body: ada },
      400: { body: { ...ada, email: 'nobody' } },
      409: async () => ({ body: await newAccount() }),
    },
    'post /internal/password-checks': {
      200: async () => ({ body: await newAccount() }),
      400: { body: { email: ada.email } },
      401: { body: { email: 'nobody@example.com', password: ada.password } },
    },
  },
});
