import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { describeContract } from '../../../tests/kit/openapi/contract.ts';
import { unreachableDatabaseUrl } from '../../../tests/kit/postgres/database.ts';
import { createAccountClient } from '../src/account-client.ts';
import { authRoutes } from '../src/routes.ts';
import { ada, useAuth } from './_app.ts';
import { cookieWith, customersOf, identityOf } from './_customers.ts';
import { inDays } from './_keys.ts';

const credentials = {
  INTERNAL_CREDENTIAL: newCredential(),
  INTERNAL_CREDENTIALS: newCredential(),
  OPERATOR_CREDENTIALS: newCredential(),
  MAILER_CREDENTIALS: newCredential(),
};
const { database, query, start, open } = useAuth();
const [auth, restricted] = [open(), open(credentials)];
const accounts = createAccountClient({ baseUrl: 'http://127.0.0.1:1' });
const unavailable = database.open(() => start({ databaseUrl: unreachableDatabaseUrl, accounts }));
const { register, loggedIn } = customersOf(auth);

const accountId = crypto.randomUUID();
const newAccount = async () => ({ body: await register() });

/** A call by a logged-in customer. */
async function own(path: string, body?: object) {
  const { headers, ...customer } = await loggedIn();
  return { path: path.replace('{id}', customer.id), headers, body: body ?? customer };
}
/** The same call, after it was refused ten times. */
async function tooOften(
  method: 'post' | 'put',
  call: { path: string; headers?: Record<string, string>; body: object },
  status = 403,
) {
  const { path, headers = {}, body } = call;
  for (let n = 0; n < 10; n += 1) await request(auth.app)[method](path).set(headers).send(body).expect(status);
  return call;
}

const wrongPassword = { email: ada.email, password: 'wrong password' };
const checkOwn = '/internal/own-password-checks';
const passwordPath = '/accounts/{id}/password';
const passwordChange = { currentPassword: ada.password, newPassword: 'battery staple' };
/** Counts as one guess instead of two, since both passwords are equal. */
const sameChange = { currentPassword: 'wrong horse', newPassword: 'wrong horse' };
const wrongChange = { ...passwordChange, currentPassword: 'wrong horse' };
const sessions = () => own('/accounts/{id}/sessions');
const byCustomer = () => own('/accounts/{id}/roles', { roles: ['operator'] });

async function grant() {
  const { path, body } = await byCustomer();
  return { path: `/internal${path}`, body };
}
async function byOperator() {
  const call = await byCustomer();
  await request(auth.app).put(`/internal${call.path}`).send(call.body).expect(200);
  return call;
}

const internal = (path: string) => async () => ({ path: `/internal/accounts/${(await loggedIn()).id}${path}` });
async function lockedAccount() {
  const { id, ...body } = await register();
  await request(auth.app).put(`/internal/accounts/${id}/lock`).expect(204);
  return { body };
}

const newKey = () => own('/auth/keys', { name: 'Shipping', scopes: ['orders:read'], expiresAt: inDays(1) });
async function ownKey() {
  const { headers, body } = await newKey();
  const made = await request(auth.app).post('/auth/keys').set(headers).send(body);
  return { headers, path: `/internal/accounts/${headers['id-account']}/keys`, id: made.body.id };
}
async function hundredKeys() {
  const call = await newKey();
  await query(
    `insert into api_keys (id, account_id, name, scopes, token_digest, created_at, expires_at)
     select gen_random_uuid(), '${call.headers['id-account']}', 'x', '{}', '', now(), now() + interval '1 day'
     from generate_series(1, 100)`,
  );
  return call;
}

const machine = { name: 'Warehouse', scopes: ['orders:read'], roles: ['operator'] };
/** A call by an operator, with a service account of their own. */
async function byOperatorOf(below = '', body: object = {}) {
  const { headers } = await byOperator();
  const { id } = (await request(auth.app).post('/auth/service-accounts').set(headers).send(machine)).body;
  return { headers, path: `/auth/service-accounts/${id}${below}`, body };
}
async function machineKey(keys = 1) {
  const call = await byOperatorOf('/keys', { name: 'March' });
  let id = '';
  for (let n = 0; n < keys; n += 1)
    id = (await request(auth.app).post(call.path).set(call.headers).send(call.body).expect(201)).body.id;
  return { ...call, id };
}
/** The same on the service's own address. */
const onOwnAddress = ({ path, body }: { path: string; body: object }) => ({
  path: path.replace('/auth/', '/internal/'),
  body,
});
/** Runs a call while there are a hundred service accounts. */
async function amongHundred(call: { headers?: Record<string, string>; body: object }) {
  await query(
    `insert into service_accounts (id, name, scopes, created_by)
     select gen_random_uuid(), 'x', '{}', 'operator' from generate_series(1, 100)`,
  );
  return call;
}
afterEach(async () => {
  await query(`update service_accounts set deleted_at = now() where name = 'x'`);
});

const withToken = async () => ({ headers: { authorization: `Bearer ${await auth.issue(accountId)}` } });

describeContract({
  accountId,
  // Used only for the document; requests go to the application.
  routes: authRoutes({} as never),
  app: () => auth.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  async byKey({ headers = {}, ...call }) {
    const id = headers['id-account'] ?? accountId;
    return { ...call, headers: identityOf(id, await auth.issueKey(id, [])) };
  },
  calls: {
    'post /auth/register': { 201: { body: ada }, 409: newAccount },
    'post /auth/login': {
      200: newAccount,
      401: { body: wrongPassword },
      403: lockedAccount,
      429: () => tooOften('post', { path: '/auth/login', body: { ...wrongPassword, email: 'often@example.com' } }, 401),
    },
    'post /auth/password-resets': {
      202: { body: { email: ada.email } },
      429: { body: { email: 'often@example.com' } },
    },
    'post /auth/password-resets/confirmation': {
      204: async () => ({ body: { token: (await newAccount()).body.email, password: 'battery staple' } }),
      403: { body: { token: 'unknown', password: 'battery staple' } },
    },
    'post /auth/email-confirmations': {
      204: async () => ({ body: { token: (await newAccount()).body.email } }),
      403: { body: { token: 'unknown' } },
      409: { body: { token: 'taken' } },
    },
    'post /internal/own-password-checks': {
      204: () => own(checkOwn),
      403: () => own(checkOwn, wrongPassword),
      429: async () => {
        const { body, ...call } = await own(checkOwn);
        return tooOften('post', { ...call, body: { ...body, password: 'wrong password' } });
      },
    },
    'delete /internal/own-sessions': { 204: withToken },
    'get /internal/accounts/{id}/confirmation': {
      200: { path: `/internal/accounts/${accountId}/confirmation` },
    },
    'get /internal/accounts/{id}/answerable-operator': {
      200: { path: `/internal/accounts/${accountId}/answerable-operator` },
    },
    'get /.well-known/jwks.json': { 200: {} },
    'get /auth/logout': {
      200: async () => ({ headers: { cookie: cookieWith(await auth.issue(accountId)) } }),
    },
    'post /internal/session-checks': {
      200: { body: { sessions: [{ id: accountId, accountId, authenticatedAt: 1.5 }] } },
    },
    'delete /auth/sessions': { 204: withToken },
    'post /auth/keys': {
      201: newKey,
      409: hundredKeys,
      429: async () => {
        const { body, ...call } = await newKey();
        return tooOften('post', { ...call, body: { ...body, currentPassword: 'wrong horse' } });
      },
    },
    'get /auth/keys': { 200: withToken },
    'delete /auth/keys/{id}': {
      204: async () => {
        const { headers, id } = await ownKey();
        return { path: `/auth/keys/${id}`, headers };
      },
    },
    'get /internal/accounts/{id}/keys': {
      200: async () => ({ path: (await ownKey()).path }),
    },
    'delete /internal/accounts/{id}/keys/{keyId}': {
      204: async () => {
        const { path, id } = await ownKey();
        return { path: `${path}/${id}` };
      },
    },
    'post /auth/service-accounts': {
      201: async () => ({ headers: (await byOperator()).headers, body: machine }),
      403: async () => ({ headers: (await loggedIn()).headers, body: machine }),
      409: async () => amongHundred({ headers: (await byOperator()).headers, body: machine }),
    },
    'get /auth/service-accounts': {
      200: async () => ({ headers: (await byOperator()).headers }),
      403: async () => ({ headers: (await loggedIn()).headers }),
    },
    'get /auth/service-accounts/{id}': { 200: () => byOperatorOf() },
    'patch /auth/service-accounts/{id}': { 200: () => byOperatorOf('', { paused: true }) },
    'delete /auth/service-accounts/{id}': { 204: () => byOperatorOf() },
    'post /auth/service-accounts/{id}/keys': {
      201: () => machineKey(0),
      409: () => machineKey(2),
      429: async () =>
        tooOften('post', { ...(await machineKey(0)), body: { name: 'x', currentPassword: 'wrong horse' } }),
    },
    'get /auth/service-accounts/{id}/keys': { 200: () => machineKey() },
    'delete /auth/service-accounts/{id}/keys/{keyId}': {
      204: async () => {
        const { path, id, ...call } = await machineKey();
        return { ...call, path: `${path}/${id}` };
      },
    },
    'get /internal/service-accounts': { 200: {} },
    'post /internal/service-accounts': {
      201: { body: machine },
      403: async () => ({ headers: { 'operator-name': (await loggedIn()).id }, body: machine }),
      409: () => amongHundred({ body: machine }),
    },
    'patch /internal/service-accounts/{id}': {
      200: async () => onOwnAddress(await byOperatorOf('', { paused: true })),
    },
    'delete /internal/service-accounts/{id}': { 204: async () => onOwnAddress(await byOperatorOf()) },
    'post /internal/service-accounts/{id}/keys': {
      201: async () => onOwnAddress(await machineKey(0)),
      409: async () => onOwnAddress(await machineKey(2)),
    },
    'delete /internal/service-accounts/{id}/keys/{keyId}': {
      204: async () => {
        const { path, id, ...call } = await machineKey();
        return onOwnAddress({ ...call, path: `${path}/${id}` });
      },
    },
    'get /internal/accounts/{id}/roles': {
      200: async () => ({ path: (await grant()).path }),
    },
    'put /accounts/{id}/password': {
      204: () => own(passwordPath, passwordChange),
      403: () => own(passwordPath, wrongChange),
      429: async () => tooOften('put', await own(passwordPath, sameChange)),
    },
    'get /internal/account-data': {
      200: async () => ({ headers: (await sessions()).headers }),
      400: async () => ({ headers: (await sessions()).headers, path: '/internal/account-data?after=' }),
    },
    'get /accounts/{id}/sessions': { 200: sessions },
    'delete /accounts/{id}/sessions/{sessionId}': {
      204: async () => {
        const { path, headers } = await sessions();
        const { body } = await request(auth.app).get(path).set(headers);
        return { path: `${path}/${body[0].id}`, headers };
      },
    },
    'put /accounts/{id}/roles': {
      200: byOperator,
      403: byCustomer,
    },
    'put /internal/accounts/{id}/roles': { 200: grant },
    'put /internal/accounts/{id}/roles/{role}': { 200: internal('/roles/catalogue') },
    'delete /internal/accounts/{id}/roles/{role}': { 200: internal('/roles/catalogue') },
    'get /internal/accounts/{id}/lock': { 200: internal('/lock') },
    'put /internal/accounts/{id}/lock': { 204: internal('/lock') },
    'delete /internal/accounts/{id}/lock': { 204: internal('/lock') },
    'get /internal/accounts/{id}/sessions': { 200: internal('/sessions') },
    'delete /internal/accounts/{id}/sessions': { 204: internal('/sessions') },
    'delete /internal/accounts/{id}/sessions/{sessionId}': {
      204: async () => {
        const { path, headers } = await sessions();
        const { body } = await request(auth.app).get(path).set(headers);
        return { path: `/internal${path}/${body[0].id}` };
      },
    },
    'post /auth/solve': {
      200: async () => ({ body: { token: await auth.issue(crypto.randomUUID()) } }),
      401: { body: { token: 'a.b.c' } },
    },
  },
});
