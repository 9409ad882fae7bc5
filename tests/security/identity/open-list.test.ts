import { COOKIE, expectNoForgery, type Fixture, http, startUnlimited, TOKEN, VICTIM } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { type Seen, startUpstream, type Upstream } from '../_upstream.ts';

// The open list (contract 2.2): each form of an entry opens what it says, and nothing else.

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const except = (method: string) => METHODS.filter((other) => other !== method);

let site: Upstream;
let fixture: Fixture;
const seenBySite: Seen[] = [];

beforeAll(async () => {
  site = await startUpstream('site', { seen: seenBySite });
  fixture = await startUnlimited({
    open: [
      'GET /products/featured',
      'ANY /accounts/terms',
      'GET /orders/public/**',
      'ANY /auth/docs/**',
      'GET /api/**',
      'GET /external/pages/**',
      'POST /external/contact',
    ],
    global: { routes: { '/orders/public/stats': 'status' } },
    external: { url: `http://127.0.0.1:${site.port}` },
  });
});
afterAll(async () => {
  await fixture?.stop();
  await site.down();
});
beforeEach(() => {
  fixture.clear();
  seenBySite.length = 0;
});

/** Without a token, but with a forged identity. */
const asStranger = (line: string, headers: string[] = [], on = fixture) =>
  on.send(http(line, [`id-account: ${VICTIM}`, ...headers]));

async function expectOpen(line: string, service: string, path = line.split(' ')[1]): Promise<void> {
  expect((await asStranger(line)).status).toBe(200);
  expect(fixture.reached()).toMatchObject([{ service, method: line.split(' ')[0], path }]);
  expect(fixture.checks()).toEqual([]);
  expectNoForgery(fixture);
}

async function expectSecured(line: string, on = fixture): Promise<void> {
  const answer = await asStranger(line, [], on);
  expect([400, 401]).toContain(answer.status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect([...on.reached(), ...seenBySite]).toEqual([]);
}

async function withOpenList(open: string[], test: (other: Fixture) => Promise<void>): Promise<void> {
  const other = await startUnlimited({ open });
  await test(other).finally(other.stop);
}

describe('a method and a path, GET /products/featured', () => {
  it.each([
    ['/products/featured', undefined],
    ['/products/featured?x=/**', undefined],
    ['//products//featured', '/products/featured'],
    ['/products/x/../featured', '/products/featured'],
    ['/products/%66eatured', '/products/featured'],
  ])('opens %s', (path, arrives) => expectOpen(`GET ${path}`, 'product', arrives));

  it.each(except('GET'))('does not open it for %s', (method) => expectSecured(`${method} /products/featured`));

  it.each([
    '/products',
    '/products/featuredx',
    '/products/featured/',
    '/products/featured/x',
    '/products/featured/**',
    '/products/featured;x',
    '/products/Featured',
    '/products/featured%20',
    '/products/featured%3fx',
    '/products/featured%2f',
    '/products/featured%2f..%2f1',
    '/products/featured/..',
    '/products/featured/../1',
    '/products/featured/%2e%2e/1',
    '/products/featured\\..\\1',
    '/x/products/featured',
  ])('does not open %s', (path) => expectSecured(`GET ${path}`));

  it('is the same over HTTP/2', async () => {
    const open = await sendHttp2(fixture.port, { ':path': '/products/featured', 'id-account': VICTIM });
    expect(open.status).toBe(200);
    expectNoForgery(fixture);
    for (const path of ['/products/featured/', '/products/featuredx', '/products/featured/../1']) {
      expect((await sendHttp2(fixture.port, { ':path': path })).status).toBe(401);
    }
    expect((await sendHttp2(fixture.port, { ':method': 'HEAD', ':path': '/products/featured' })).status).toBe(401);
    expect(fixture.reached()).toHaveLength(1);
  });
});

describe('any method and a path, ANY /accounts/terms', () => {
  it.each(METHODS)('opens it for %s', (method) => expectOpen(`${method} /accounts/terms`, 'account'));

  it.each(['/accounts', '/accounts/terms/', '/accounts/terms/x', '/accounts/termsx', '/accounts/terms%2f'])(
    'does not open %s',
    async (path) => {
      for (const method of ['GET', 'POST']) await expectSecured(`${method} ${path}`);
    },
  );
});

describe('a method and a prefix, GET /orders/public/**', () => {
  it.each([
    '/orders/public',
    '/orders/public/',
    '/orders/public?x=1',
    '/orders/public/a',
    '/orders/public/a/b?x=1',
    '/orders/public/statsx',
  ])('opens %s', (path) => expectOpen(`GET ${path}`, 'order'));

  it.each(['/orders/public/stats', '/orders/public/stats/1'])('opens %s, which another route serves', (path) =>
    expectOpen(`GET ${path}`, 'status'),
  );

  it.each(except('GET'))('does not open it for %s', async (method) => {
    for (const path of ['/orders/public', '/orders/public/a', '/orders/public/stats']) {
      await expectSecured(`${method} ${path}`);
    }
  });

  it.each([
    '/orders',
    '/orders/',
    '/orders/publicx',
    '/orders/public;x',
    '/orders/Public/a',
    '/orders/public/..',
    '/orders/public/../1',
    '/orders/public/%2e%2e/1',
    '/orders/public/%2E%2E/%2e%2e/accounts',
    '/orders/public/a\\..\\..\\1',
    '/orders/public%2fa',
    '/orders/public/..%2f1',
    '/orders/public/%00',
  ])('does not open %s', (path) => expectSecured(`GET ${path}`));
});

describe('any method and a prefix, ANY /auth/docs/**', () => {
  it.each(METHODS)('opens it for %s', async (method) => {
    await expectOpen(`${method} /auth/docs`, 'auth');
    fixture.clear();
    await expectOpen(`${method} /auth/docs/a/b`, 'auth');
  });

  it.each(['/auth', '/auth/', '/auth/docsx', '/authx', '/auth/solve', '/auth/docs/../solve', '/auth/docs/../../check'])(
    'does not open %s',
    async (path) => {
      for (const method of ['GET', 'POST']) await expectSecured(`${method} ${path}`);
    },
  );
});

describe('a prefix above the routes, GET /api/**', () => {
  it('opens the routes below it', () => expectOpen('GET /api/v1/status/?limit=1', 'status'));

  it.each(['/api', '/api/v2'])('opens %s, where nothing is found', async (path) => {
    expect((await asStranger(`GET ${path}`)).status).toBe(404);
    expect([...fixture.reached(), ...fixture.checks()]).toEqual([]);
  });

  it.each(['GET /apix', 'POST /api/v1/status', 'POST /api/v2'])('does not open %s', (line) => expectSecured(line));
});

it('GET /** opens everything for GET only', () =>
  withOpenList(['GET /**'], async (all) => {
    for (const path of ['/accounts', '/auth/solve', '/products/1', '/orders', '/api/v1/status/']) {
      expect((await asStranger(`GET ${path}`, [], all)).status).toBe(200);
    }
    expect(all.reached().map(({ service }) => service)).toEqual(['account', 'auth', 'product', 'order', 'status']);
    expectNoForgery(all);
    expect(await asStranger('GET /', [], all)).toMatchObject({ status: 200, body: 'Store API' });
    expect((await asStranger('GET /external/x', [], all)).status).toBe(503); // no site is there
    for (const path of ['/nothing', '/check', '/internal/accounts']) {
      expect((await asStranger(`GET ${path}`, [], all)).status).toBe(404);
    }
    expect(all.checks()).toEqual([]);
    all.clear();
    for (const method of except('GET')) await expectSecured(`${method} /accounts`, all);
  }));

it('ANY /** opens everything', () =>
  withOpenList(['ANY /**'], async (all) => {
    for (const method of METHODS) expect((await asStranger(`${method} /orders/1`, [], all)).status).toBe(200);
    expectNoForgery(all);
    expect((await asStranger('GET /orders%2f1', [], all)).status).toBe(400);
    expect((await asStranger('CONNECT order:8080', [], all)).status).toBe(401);
    expect(all.reached()).toHaveLength(METHODS.length);
    expect(all.checks()).toEqual([]);
  }));

it('an empty list opens nothing but / and /health-check', () =>
  withOpenList([], async (none) => {
    for (const line of ['POST /auth/login', 'POST /auth/register', 'GET /auth/logout', 'GET /accounts']) {
      await expectSecured(line, none);
    }
    for (const line of ['GET /', 'HEAD /', 'GET /health-check', 'HEAD /health-check']) {
      expect((await asStranger(line, [], none)).status).toBe(200);
    }
    for (const line of ['POST /', 'POST /health-check', 'GET /health-check/']) await expectSecured(line, none);
  }));

it('a list replaces the default', () => expectSecured('POST /auth/login'));

it('an open request is forwarded unchanged, but for the identity and x-envoy headers', async () => {
  const own = [`cookie: a=1; ${COOKIE}; ${COOKIE}`, 'authorization: Basic own', 'x-own: 1', 'content-length: 2'];
  const forged = [`id-account: ${VICTIM}`, 'x-envoy-retry-on: 5xx'];
  const { status } = await fixture.send(http('PUT /accounts/terms?a=%20b', [...own, ...forged], '{}'));
  expect(status).toBe(200);
  const [request] = fixture.reached();
  expect(request).toMatchObject({ path: '/accounts/terms?a=%20b', body: '{}', headers: { host: 'store.test' } });
  expect(request?.lines).toEqual(expect.arrayContaining(own));
  expect(request?.headers).not.toHaveProperty('id-account');
  expect(request?.headers).not.toHaveProperty('x-envoy-retry-on');
  expect(fixture.checks()).toEqual([]);
});

describe('an entry below /external', () => {
  it.each([
    ['GET /external/pages', '/pages'],
    ['GET /external/pages/1?a=b', '/pages/1?a=b'],
    ['POST /external/contact', '/contact'],
  ])('%s reaches the site without a token, and without what belongs to the store', async (line, path) => {
    const { status } = await asStranger(line, [`Cookie: a=1; ${COOKIE}`, `Authorization: Bearer ${TOKEN}`]);
    expect(status).toBe(200);
    expect(seenBySite).toMatchObject([{ path, headers: { cookie: 'a=1' } }]);
    expect(seenBySite[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(seenBySite)).not.toMatch(new RegExp(`${VICTIM}|${TOKEN}`));
    expect(fixture.checks()).toEqual([]);
  });

  it.each(['GET /external', 'POST /external/pages', 'GET /external/pagesx', 'GET /external/contact'])(
    '%s is secured',
    (line) => expectSecured(line),
  );
});
