import { ACCOUNT, TOKEN, useGateway } from '../_fixture.ts';
import { reply, type Seen } from '../_upstream.ts';

// Roles and scopes come only from auth's answer (contract 3.9, 3.12).

const gateway = useGateway();
const granted = ({ lines }: Seen) => lines.filter((line) => /^[^:]*account[^a-z:]?(roles|scopes)/i.test(line));

it.each([
  ['plain', ['account-roles: operator']],
  ['in another case', ['Account-Roles: operator']],
  ['repeated', ['account-roles: operator', 'account-roles: catalogue']],
  ['named in Connection', ['account-roles: operator', 'Connection: account-roles']],
  ['in a cookie', ['Cookie: account-roles=operator; roles=operator']],
  ['scopes', ['account-scopes: orders:read', 'Account-Scopes: orders:write']],
])('roles sent by a client are removed: %s', async (_, lines) => {
  const firstLines = [
    'POST /auth/login',
    'GET /accounts',
    `PUT /accounts/${ACCOUNT}/roles`,
    `POST /orders/${ACCOUNT}/shipments`,
    'GET /store/orders',
  ];
  for (const line of firstLines) expect((await gateway.askAsCustomer(line, lines)).status).toBe(200);
  expect(gateway.reached()).toHaveLength(firstLines.length);
  expect(gateway.reached().flatMap(granted)).toEqual([]);
});

const identity = [`id-account: ${ACCOUNT}`, `authorization: Bearer ${TOKEN}`];
const granting = ['account-roles: catalogue', 'account-scopes: orders:read'];

it.each([
  ['replace those sent by a client', ['account-roles: operator', 'account-scopes: orders:write']],
  // Without them an API key would pass as a session.
  ['arrive even if a client names them in Connection', ['Connection: close, account-roles, account-scopes']],
])('roles and scopes of auth %s', async (_, lines) => {
  gateway.auth.answer(reply(200, [...identity, ...granting]));
  await gateway.askAsCustomer('GET /accounts', lines);
  expect(gateway.reached().flatMap(granted)).toEqual(granting);
});

it("a client's Authorization is removed even if auth returns none", async () => {
  gateway.auth.answer(reply(200, [`id-account: ${ACCOUNT}`]));
  await gateway.askAsCustomer('GET /accounts', ['Authorization: Bearer forged']);
  expect(gateway.reached()).toHaveLength(1);
  expect(gateway.reached()[0]?.headers).not.toHaveProperty('authorization');
});

it.each([
  [`PUT /accounts/${ACCOUNT}/roles`, ['auth']],
  [`PUT /accounts/${ACCOUNT}/roles/x`, ['auth']],
  [`PUT /accounts/${ACCOUNT}/rolesx`, ['account']],
  [`PUT /accounts/${ACCOUNT}`, ['account']],
  ['PUT /accounts/roles', ['account']],
  ['PUT /accounts/a%2Fb/roles', []],
  [`POST /orders/${ACCOUNT}/shipments`, ['order']],
  ['GET /store/orders', ['order']],
  ['GET /storefront', []],
])('%s reaches %j', async (firstLine, services) => {
  await gateway.askAsCustomer(firstLine);
  expect(gateway.reached().map(({ service }) => service)).toEqual(services);
});
