import { ACCOUNT, TOKEN, useGateway } from '../_fixture.ts';
import { reply, type Seen } from '../_upstream.ts';

// Roles come from auth's answer alone (contract 3.9).

const gateway = useGateway();
const roles = ({ lines }: Seen) => lines.filter((line) => /^[^:]*account[^a-z:]?roles/i.test(line));

it.each([
  ['plain', ['account-roles: operator']],
  ['in other letters', ['Account-Roles: operator']],
  ['repeated', ['account-roles: operator', 'account-roles: catalogue']],
  ['named in Connection', ['account-roles: operator', 'Connection: account-roles']],
])('roles that a client sends are removed: %s', async (_, lines) => {
  const firstLines = ['POST /auth/login', 'GET /accounts', `PUT /accounts/${ACCOUNT}/roles`];
  for (const line of firstLines) expect((await gateway.askAsCustomer(line, lines)).status).toBe(200);
  expect(gateway.reached()).toHaveLength(firstLines.length);
  expect(gateway.reached().flatMap(roles)).toEqual([]);
});

it('roles of auth replace those that a client sends', async () => {
  const identity = [`id-account: ${ACCOUNT}`, `authorization: Bearer ${TOKEN}`];
  gateway.auth.answer(reply(200, [...identity, 'account-roles: catalogue']));
  await gateway.askAsCustomer('GET /accounts', ['account-roles: operator']);
  expect(gateway.reached().flatMap(roles)).toEqual(['account-roles: catalogue']);
});

it('Authorization that a client sends is removed even when auth returns none', async () => {
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
])('%s reaches %j', async (firstLine, services) => {
  await gateway.askAsCustomer(firstLine);
  expect(gateway.reached().map(({ service }) => service)).toEqual(services);
});
