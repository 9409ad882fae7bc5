import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { describeContract } from '../../../tests/kit/openapi/contract.ts';
import { createTestDatabase, type TestDatabase, unreachableDatabaseUrl } from '../../../tests/kit/postgres/database.ts';
import { accountRoutes } from '../src/routes.ts';
import { ada, testApp } from './_app.ts';

let database: TestDatabase;
let account: Awaited<ReturnType<typeof testApp>>;
let unavailable: Awaited<ReturnType<typeof testApp>>;
let restricted: Awaited<ReturnType<typeof testApp>>;
const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';

beforeAll(async () => {
  database = await createTestDatabase('account');
  account = await testApp(database.url);
  unavailable = await testApp(unreachableDatabaseUrl);
  const env = { INTERNAL_CREDENTIALS: newCredential(), OPERATOR_CREDENTIALS: newCredential() };
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
      412: async () => {
        const { headers, ...call } = await own();
        return { ...call, headers: { ...headers, 'if-match': '"another"' } };
      },
      503: async () => ({ path: `/accounts/${accountId}`, body: { name: 'Ada' }, app: () => unavailable.app }),
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
