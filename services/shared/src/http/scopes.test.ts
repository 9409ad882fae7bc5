import request from 'supertest';
import { createLog } from '../observability/log.ts';
import { createHttpApp } from './app.ts';
import type { AnyScope } from './identity.ts';
import { openApiDocument } from './openapi.ts';
import { type IdentityRule, noContent, route } from './route.ts';

// A caller with scopes is an API key (contract 3.12): scopes come from `account-scopes`, or from its token (bearer.test.ts).

const done = { responses: { 204: { description: 'Done.' } }, handler: () => noContent() };
const read = (identity: IdentityRule, more: { scope?: AnyScope; role?: 'operator' } = {}) => {
  const operationId = [identity, ...Object.keys(more), ...(Array.isArray(more.scope) ? ['any'] : [])].join('-');
  const document = { operationId, summary: '', tag: 'test' };
  return route({ method: 'get', path: `/${operationId}`, identity, ...more, ...document, ...done });
};
const scope = 'orders:read';
const routes = [
  ...[read('none'), read('account'), read('account', { scope }), read('account', { scope, role: 'operator' })],
  ...[read('accountOrCaller'), read('accountOrCaller', { scope })],
  read('account', { scope: ['orders:read', 'orders:ship'] }),
];
const log = createLog('test', 'silent');
const config = { APP_PROFILE: 'dev' } as const;
const app = createHttpApp({ title: 'Test', routes, log, config });
const checked = (scopes?: string[]) =>
  createHttpApp({ title: 'Test', routes, log, config, bearer: () => ({ roles: [], scopes }) });
const ask = (path: string, headers: Record<string, string> = {}, to = app) =>
  request(to)
    .get(path)
    .set({ 'id-account': crypto.randomUUID(), ...headers });

const none = 'No API key may do this, regardless of its scopes. Log in instead.';
const lacking = 'The API key lacks the scope orders:read.';

it.each<[string, string, string | undefined]>([
  ['/account', 'orders:read,orders:write', none],
  ['/account', '', none],
  ['/accountOrCaller', 'orders:read', none],
  ['/accountOrCaller-scope', 'orders:write', lacking],
  ['/accountOrCaller-scope', 'orders:read', undefined],
  ['/account-scope', 'orders:read', undefined],
  ['/account-scope', 'orders:write,orders:read', undefined],
  ['/account-scope', 'orders:write', lacking],
  ['/account-scope', 'orders:write, orders:read', lacking],
  ['/account-scope', 'orders:read:all', lacking],
  ['/account-scope', 'ORDERS:READ', lacking],
  ['/account-scope', '', lacking],
  ['/none', '', undefined],
])('%s with the scopes "%s" is refused: %s', async (path, scopes, detail) => {
  const { status, body, headers } = await ask(path, { 'account-scopes': scopes });
  expect([status, body.detail]).toEqual([detail === undefined ? 204 : 403, detail]);
  const challenge = 'Bearer realm="store", error="insufficient_scope", scope="orders:read"';
  expect(headers['www-authenticate']).toBe(detail === lacking ? challenge : undefined);
});

it('a route with several scopes is served to a key with any of them, and names all to others', async () => {
  const path = '/account-scope-any';
  for (const scopes of ['orders:read', 'orders:ship', 'orders:write,orders:ship'])
    expect((await ask(path, { 'account-scopes': scopes })).status).toBe(204);
  for (const scopes of ['', 'orders:write', 'orders:read orders:ship', 'orders:read or orders:ship']) {
    const { status, body, headers } = await ask(path, { 'account-scopes': scopes });
    expect([status, body.detail]).toEqual([403, 'The API key lacks the scope orders:read or orders:ship.']);
    expect(headers['www-authenticate']).toContain('scope="orders:read orders:ship"');
  }
});

it.each(routes.map(({ path }) => [path]))('a session needs no scope for %s', async (path) => {
  expect((await ask(path, { 'account-roles': 'operator' })).status).toBe(204);
});

it('a scope does not replace a role', async () => {
  const headers = { 'account-scopes': 'orders:read' };
  expect((await ask('/account-scope-role', headers)).body.detail).toMatch(/needs the role operator/);
  expect((await ask('/account-scope-role', { ...headers, 'account-roles': 'operator' })).status).toBe(204);
});

it('a header neither adds nor removes a scope if the service checks tokens itself', async () => {
  const claimed = { 'account-scopes': 'orders:read' };
  expect((await ask('/account-scope', claimed, checked(['orders:write']))).body.detail).toBe(lacking);
  expect((await ask('/account-scope', { 'account-scopes': '' }, checked())).status).toBe(204);
});

it('the document names the scope', () => {
  const { paths } = openApiDocument('Test', routes);
  expect(paths['/account-scope']?.get).toMatchObject({
    security: [{ 'id-account': [] }, { 'id-account': [], bearer: ['orders:read'] }],
    responses: { 403: { description: lacking } },
  });
  expect(paths['/account']?.get).toMatchObject({ responses: { 403: { description: 'The caller is an API key.' } } });
  expect(paths['/none']?.get).not.toHaveProperty('responses.403');
});
