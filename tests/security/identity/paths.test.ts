import { withShortTitles } from '../../kit/cases.ts';
import { expectNoForgery, expectProblem, useGateway, VICTIM } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';

const gateway = useGateway();
const forged = [`id-account: ${VICTIM}`];

/** The normalized path that a service receives; undefined if no service receives it. */
const normalized: [string, string | undefined][] = [
  ['/accounts', '/accounts'],
  ['/accounts/', '/accounts/'],
  ['/accounts?x=/auth/login', '/accounts?x=/auth/login'],
  ['//accounts', '/accounts'],
  ['/auth/login/', '/auth/login/'],
  ['/auth/login//', '/auth/login/'],
  ['/auth/login;x=y', '/auth/login;x=y'],
  ['/auth;x/login', undefined],
  ['/AUTH/login', undefined],
  ['/auth/Login', '/auth/Login'],
  ['/auth/login.', '/auth/login.'],
  ['/auth/login%20', '/auth/login%20'],
  ['/auth/login%3f', '/auth/login%3f'],
  ['/auth/login%23', '/auth/login%23'],
  ['/auth/login/../../accounts', '/accounts'],
  ['/auth/login/%2e%2e/%2E%2e/accounts', '/accounts'],
  ['/auth/login/..;/accounts', '/auth/accounts'],
  ['/auth/login\\..\\..\\accounts', '/accounts'],
  ['/./accounts/.', '/accounts/'],
  ['/accounts/../internal/accounts', undefined],
  ['/health-check/../accounts', '/accounts'],
  ['/health-check/', undefined],
  ['/check', undefined],
  ['/auth/../check', undefined],
  ['/internal/password-checks', undefined],
  ['/auth/logout/', '/auth/logout/'],
  ['/auth/logout/all', '/auth/logout/all'],
  ['/auth/logoutx', '/auth/logoutx'],
  ['/auth/logout;x', '/auth/logout;x'],
  ...[
    ...['/nothing', '/accountsx', '/authx', '/productsx', '/ordersx', '/api/v1/statusx', '/api/v1', '/externalx'],
    ...['/internal/accounts', '/health/ready', '/metrics', '/ready', '/solve', '/v3/api-docs', '/apidocs-ui.html'],
  ].map((path): [string, undefined] => [path, undefined]),
  ['/accounts/%61', '/accounts/a'],
  ['/%61ccounts', '/accounts'],
  ['/external%0d%0aid-account:x', undefined],
  ['http://other.test/accounts', '/accounts'],
  ['http://other.test/auth/login/../../accounts', '/accounts'],
  ['*', undefined],
];

it.each(normalized)('%s is secured, and forwarded as %s', async (path, forwarded) => {
  expectProblem(await gateway.ask(`GET ${path}`, forged), [400, 401]);
  expect(gateway.reached()).toEqual([]);
  const answer = await gateway.askAsCustomer(`GET ${path}`, forged);
  expect(gateway.reached().map((request) => request.path)).toEqual(forwarded === undefined ? [] : [forwarded]);
  if (forwarded === undefined) expectProblem(answer, [400, 404]);
  expectNoForgery(gateway);
});

const malformed = [
  '/accounts%2fx',
  '/auth%2Flogin',
  '/auth/login%2f..%2f..%2faccounts',
  '/auth/login%5c..%5caccounts',
  '/accounts/%00',
  '/accounts/\0',
  '/accounts#fragment',
  `/accounts/${'x'.repeat(16 * 1024)}`,
  `/accounts/${'x'.repeat(62 * 1024)}`,
];
it.each(withShortTitles(malformed))('%s is rejected as malformed', async (_, path) => {
  for (const method of ['GET', 'POST']) {
    expectProblem(await gateway.askAsCustomer(`${method} ${path}`, forged), [400, 431]);
  }
  expect(gateway.reached()).toEqual([]);
});

it.each([
  '//auth//login',
  '/auth/./login',
  '/auth/x/../login',
  '/auth/login?next=/accounts',
  '/accounts/../auth/login',
  '/auth/%6cogin',
])('%s is normalized to the open route', async (path) => {
  expect((await gateway.ask(`POST ${path}`, forged)).status).toBe(200);
  const login = expect.stringMatching(/^\/auth\/login(\?|$)/);
  expect(gateway.reached()).toMatchObject([{ service: 'auth', method: 'POST', path: login }]);
  expectNoForgery(gateway);
});

it.each(['//accounts', '/auth/login/../../accounts', '/AUTH/login', '/auth/login;x', '/auth/login/'])(
  '%s over HTTP/2 is secured',
  async (path) => {
    const { status } = await sendHttp2(gateway.port, { ':method': 'POST', ':path': path, 'id-account': VICTIM });
    expect(status).toBe(401);
    expect(gateway.reached()).toEqual([]);
  },
);

it.each([
  'GET /auth/login',
  'GET /auth/register',
  'HEAD /auth/logout',
  'POST /auth/logout',
  'POST /auth/solve',
  'post /auth/login',
  'OPTIONS /auth/login',
  'POST /',
  'DELETE /health-check',
  'TRACE /accounts',
  'CONNECT accounts:80',
])('%s is not in the open list', async (line) => {
  expect([400, 401]).toContain((await gateway.ask(line, forged)).status);
  expect(gateway.reached()).toEqual([]);
});

// A path prefix is one value (contract 2.1): the gateway routes it to its service and secures it.
describe('with other prefixes', () => {
  const own = { '/loyalty': 'product', '/products/reviews': 'order', '/api/v1/status': '', '/api/v2/status': 'status' };
  const other = useGateway({ global: { routes: own } });

  it.each([
    ['/loyalty', 'product'],
    ['/loyalty/', 'product'],
    ['/loyalty/points?a=b', 'product'],
    ['/products/reviews/1', 'order'],
    ['/products/reviewsx', 'product'],
    ['/products/1', 'product'],
    ['/api/v2/status/?limit=1', 'status'],
  ])('%s goes to %s only with a token, and the longest prefix decides', async (path, service) => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      expect((await other.ask(`${method} ${path}`, forged)).status).toBe(401);
    }
    expect(other.seen).toEqual([]);
    expect((await other.askAsCustomer(`PUT ${path}`, forged)).status).toBe(200);
    expect(other.reached()).toMatchObject([{ service, path }]);
    expectNoForgery(other);
  });

  it.each(['/loyaltyx', '/Loyalty', '/x/loyalty', '/api/v2', '/api/v1/status'])('%s is not routed', async (path) => {
    expectProblem(await other.askAsCustomer(`GET ${path}`), 404);
    expect(other.reached()).toEqual([]);
  });
});
