import { withShortTitles } from '../../kit/cases.ts';
import { COOKIE, expectNoForgery, type Fixture, http, startUnlimited, VICTIM } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

describe('path', () => {
  /** The path that a service receives once the gateway has normalized it; undefined: no service receives it. */
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
    ['/accountsfoo', undefined],
    ['/nothing', undefined],
    ['/accounts/%61', '/accounts/a'],
    ['/%61ccounts', '/accounts'],
    ['/external%0d%0aid-account:x', undefined],
    ['http://other.test/accounts', '/accounts'],
    ['http://other.test/auth/login/../../accounts', '/accounts'],
    ['*', undefined],
  ];

  it.each(normalized)('%s is secured', async (path) => {
    const response = await fixture.send(http(`GET ${path}`, [`id-account: ${VICTIM}`]));
    expect([400, 401]).toContain(response.status);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(fixture.reached()).toEqual([]);
  });

  it.each(normalized)('%s with a token is forwarded as normalized, or not at all', async (path, forwarded) => {
    const response = await fixture.send(http(`GET ${path}`, [`id-account: ${VICTIM}`, `Cookie: ${COOKIE}`]));
    expect(fixture.reached().map((request) => request.path)).toEqual(forwarded === undefined ? [] : [forwarded]);
    if (forwarded === undefined) expect([400, 404]).toContain(response.status);
    expectNoForgery(fixture);
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
      const response = await fixture.send(http(`${method} ${path}`, [`Cookie: ${COOKIE}`, `id-account: ${VICTIM}`]));
      expect([400, 431]).toContain(response.status);
      expect(response.headers['content-type']).toBe('application/problem+json');
    }
    expect(fixture.reached()).toEqual([]);
  });

  it.each([
    '//auth//login',
    '/auth/./login',
    '/auth/x/../login',
    '/auth/login?next=/accounts',
    '/accounts/../auth/login',
    '/auth/%6cogin',
  ])('%s is normalized to the open route', async (path) => {
    expect((await fixture.send(http(`POST ${path}`, [`id-account: ${VICTIM}`]))).status).toBe(200);
    expect(fixture.reached()).toMatchObject([{ service: 'auth', method: 'POST' }]);
    expect(fixture.reached()[0]?.path.split('?')[0]).toBe('/auth/login');
    expectNoForgery(fixture);
  });

  it.each(['//accounts', '/auth/login/../../accounts', '/AUTH/login', '/auth/login;x', '/auth/login/'])(
    '%s over HTTP/2 is secured',
    async (path) => {
      const response = await sendHttp2(fixture.port, { ':method': 'POST', ':path': path, 'id-account': VICTIM });
      expect(response.status).toBe(401);
      expect(fixture.reached()).toEqual([]);
    },
  );

  it.each([
    ['GET', '/auth/login'],
    ['GET', '/auth/register'],
    ['HEAD', '/auth/logout'],
    ['POST', '/auth/logout'],
    ['POST', '/auth/solve'],
    ['post', '/auth/login'],
    ['OPTIONS', '/auth/login'],
    ['POST', '/'],
    ['DELETE', '/health-check'],
    ['TRACE', '/accounts'],
    ['CONNECT', 'accounts:80'],
  ])('of %s %s is not in the open list', async (method, path) => {
    const { status } = await fixture.send(http(`${method} ${path}`, [`id-account: ${VICTIM}`]));
    expect([400, 401]).toContain(status);
    expect(fixture.reached()).toEqual([]);
  });
});
