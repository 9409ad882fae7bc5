import { accountExportOut } from '@store/shared/contracts/account';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { describeContract } from '../../../tests/kit/openapi/contract.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { accountRoutes } from '../src/routes.ts';
import { ada, lastRequest, lastToken, register, testApp } from './_app.ts';

const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const credentials = {
  INTERNAL_CREDENTIALS: newCredential(),
  OPERATOR_CREDENTIALS: newCredential(),
  MAILER_CREDENTIALS: newCredential(),
};
const database = useDatabase('account');
async function* oneRecord() {
  yield JSON.stringify({ id: accountId });
}
const { account: _, ...parts } = accountExportOut.shape;
const sources = Object.fromEntries(Object.keys(parts).map((name) => [name, oneRecord]));
const account = database.open((url) => testApp(url, { sources }));
const restricted = database.open((url) => testApp(url, {}, credentials));
const unavailable = database.open(() => testApp(unreachableDatabaseUrl));

const newAccount = (more = {}) => register(account, more);
/** A call by a customer about their own account. */
async function own(body: object = { name: 'Countess' }) {
  const { id } = await newAccount();
  return { path: `/accounts/${id}`, headers: { 'id-account': id }, body };
}
async function newEmail(email: string): Promise<string> {
  const { path, headers, body } = await own({ email, currentPassword: ada.password });
  await request(account.app).patch(path).set(headers).send(body).expect(200);
  return lastToken(account, headers['id-account']);
}
const internal = async (end = '', body?: object) => ({
  path: `/internal/accounts/${(await newAccount()).id}${end}`,
  body,
});
const resetOf = { email: 'nobody@example.com' };

describeContract({
  // Used only for the document; requests go to the application.
  routes: accountRoutes({} as never, { minLength: 1, isCommon: () => false }),
  app: () => account.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  accountId,
  calls: {
    'get /accounts': { 200: async () => ({ headers: (await own()).headers }) },
    'get /accounts/{id}': {
      200: () => own(),
      404: async () => ({ path: `/accounts/${(await newAccount()).id}` }),
    },
    'get /accounts/{id}/export': {
      200: async () => {
        const { path, headers } = await own();
        return { path: `${path}/export`, headers };
      },
      404: async () => ({ path: `/accounts/${(await newAccount()).id}/export` }),
      429: async () => {
        const { path, headers } = await own();
        await account.prisma.accountExport.create({
          data: { accountId: headers['id-account'], beganAt: [], endsBy: new Date(Date.now() + 60_000) },
        });
        return { path: `${path}/export`, headers };
      },
    },
    'patch /accounts/{id}': {
      200: () => own(),
      404: async () => ({ ...(await own()), path: `/accounts/${accountId}` }),
      403: () => own({ email: 'b@example.com', currentPassword: 'wrong' }),
      429: () => own({ email: 'b@example.com', currentPassword: 'too often' }),
      412: async () => {
        const { headers, ...call } = await own();
        return { ...call, headers: { ...headers, 'if-match': '"another"' } };
      },
    },
    'delete /accounts/{id}': {
      204: () => own({ password: ada.password }),
      403: () => own({ password: 'wrong' }),
      404: async () => ({ ...(await own({ password: ada.password })), path: `/accounts/${accountId}` }),
      429: () => own({ password: 'too often' }),
    },
    'post /internal/password-resets': {
      202: { body: resetOf },
      429: async () => {
        const headers = { 'x-envoy-external-address': '192.0.2.1' };
        for (let n = 0; n < 20; n += 1)
          await request(account.app).post('/internal/password-resets').set(headers).send(resetOf).expect(202);
        return { headers, body: resetOf };
      },
    },
    'post /internal/password-resets/confirmation': {
      200: async () => {
        const { id, email } = await newAccount();
        await request(account.app).post('/internal/password-resets').send({ email }).expect(202);
        return { body: { token: await lastToken(account, id), password: 'battery staple' } };
      },
      403: { body: { token: 'unknown', password: 'battery staple' } },
    },
    'post /internal/email-confirmations': {
      204: async () => ({ body: { token: await newEmail(`${crypto.randomUUID()}@example.com`) } }),
      403: { body: { token: 'unknown' } },
      409: async () => {
        const email = `${crypto.randomUUID()}@example.com`;
        const token = await newEmail(email);
        await newAccount({ email });
        return { body: { token } };
      },
    },
    'delete /internal/accounts/{id}/mail-requests': {
      204: () => internal('/mail-requests'),
    },
    'put /internal/accounts/{id}/new-keys/{keyId}': {
      204: () => internal(`/new-keys/${crypto.randomUUID()}`),
      404: { path: `/internal/accounts/${accountId}/new-keys/${accountId}` },
    },
    'get /internal/accounts/{id}/confirmation': {
      200: () => internal('/confirmation'),
    },
    'post /internal/accounts/{id}/mail': {
      200: async () => {
        const { id } = await newAccount();
        return { path: `/internal/accounts/${id}/mail`, body: { requestId: await lastRequest(account, id) } };
      },
      400: { path: `/internal/accounts/${accountId}/mail`, body: { requestId: 'x' } },
    },
    'get /internal/accounts': {
      200: async () => ({ path: `/internal/accounts?email=${(await newAccount()).email}` }),
      400: {},
    },
    'get /internal/account-names': {
      200: async () => ({ path: `/internal/account-names?id=${(await newAccount()).id}` }),
      400: {},
    },
    'post /internal/accounts/{id}/confirmation': {
      202: () => internal('/confirmation'),
      409: async () => {
        const { id } = await newAccount();
        const body = { token: await lastToken(account, id) };
        await request(account.app).post('/internal/email-confirmations').send(body).expect(204);
        return { path: `/internal/accounts/${id}/confirmation` };
      },
      429: async () => {
        const { path } = await internal('/confirmation');
        for (let n = 0; n < 4; n += 1) await request(account.app).post(path).expect(202);
        return { path };
      },
    },
    'put /internal/accounts/{id}/password': {
      204: () => internal('/password', { password: 'battery staple' }),
    },
    'get /internal/accounts/{id}': {
      200: () => internal(),
    },
    'post /internal/accounts': {
      201: { body: ada },
      409: async () => ({ body: await newAccount() }),
    },
    'post /internal/password-checks': {
      200: async () => ({ body: await newAccount() }),
      401: { body: { email: 'nobody@example.com', password: ada.password } },
    },
  },
});
