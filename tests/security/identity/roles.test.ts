import { ACCOUNT, COOKIE, type Fixture, goodAuth, http, startUnlimited, TOKEN } from '../_fixture.ts';
import { reply, type Seen } from '../_upstream.ts';

// Roles come from auth's answer alone (contract 3.9).

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited();
});
afterAll(() => fixture?.stop());
beforeEach(() => {
  fixture.clear();
  fixture.auth.answer(goodAuth);
});

const roles = ({ lines }: Seen) => lines.filter((line) => /^[^:]*account[^a-z:]?roles/i.test(line));

it.each([
  ['plain', ['account-roles: operator']],
  ['in other letters', ['Account-Roles: operator']],
  ['repeated', ['account-roles: operator', 'account-roles: catalogue']],
  ['named in Connection', ['account-roles: operator', 'Connection: account-roles']],
])('roles that a client sends are removed: %s', async (_, lines) => {
  for (const firstLine of ['POST /auth/login', 'GET /accounts', `PUT /accounts/${ACCOUNT}/roles`]) {
    fixture.clear();
    expect((await fixture.send(http(firstLine, [...lines, `Cookie: ${COOKIE}`]))).status).toBe(200);
    expect(fixture.reached().flatMap(roles)).toEqual([]);
  }
});

it('roles of auth replace those that a client sends', async () => {
  fixture.auth.answer((seen) =>
    seen.path === '/check'
      ? reply(200, [`id-account: ${ACCOUNT}`, 'account-roles: catalogue', `authorization: Bearer ${TOKEN}`])
      : goodAuth(seen),
  );
  await fixture.send(http('GET /accounts', ['account-roles: operator', `Cookie: ${COOKIE}`]));
  expect(fixture.reached().flatMap(roles)).toEqual(['account-roles: catalogue']);
});

it.each([
  [`PUT /accounts/${ACCOUNT}/roles`, 'auth'],
  [`PUT /accounts/${ACCOUNT}/roles/x`, 'auth'],
  [`PUT /accounts/${ACCOUNT}/rolesx`, 'account'],
  [`PUT /accounts/${ACCOUNT}`, 'account'],
  ['PUT /accounts/roles', 'account'],
  [`PUT /accounts/a%2Fb/roles`, 'account'],
])('%s reaches %s', async (firstLine, service) => {
  const { status } = await fixture.send(http(firstLine, [`Cookie: ${COOKIE}`]));
  const reached = fixture.reached().map((seen) => seen.service);
  expect(status === 400 ? [] : [service]).toEqual(reached);
});
