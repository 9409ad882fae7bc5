import { parse } from 'yaml';
import { read } from '../../kit/read.ts';
import { ACCOUNT, COOKIE, expectNoForgery, TOKEN, useGateway, VICTIM } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { startUpstream } from '../_upstream.ts';

// The open list (contract 2.2): each form of an entry opens exactly what it says.

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const except = (method: string) => METHODS.filter((other) => other !== method);
const lines = (methods: string[], ...paths: string[]) =>
  paths.flatMap((path) => methods.map((method) => `${method} ${path}`));

const site = await startUpstream('site');
afterAll(() => site.down());
const gateway = useGateway({
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
beforeEach(() => site.seen.splice(0));

/** Sends a request without a token, but with a forged identity. */
const asStranger = (line: string, headers: string[] = [], on = gateway) =>
  on.ask(line, [`id-account: ${VICTIM}`, 'account-roles: operator', 'account-scopes: orders:write', ...headers]);

async function expectOpen(line: string, service: string, path = line.split(' ')[1], on = gateway): Promise<void> {
  expect((await asStranger(line, [], on)).status).toBe(200);
  expect(on.seen).toMatchObject([{ service, method: line.split(' ')[0], path }]);
  for (const name of ['account-roles', 'account-scopes']) expect(on.seen[0]?.headers).not.toHaveProperty(name);
  expectNoForgery(on);
}

async function expectSecured(line: string, on = gateway): Promise<void> {
  const { status, headers } = await asStranger(line, [], on);
  expect([400, 401]).toContain(status);
  expect(headers['content-type']).toBe('application/problem+json');
  expect([...on.seen, ...site.seen]).toEqual([]);
}

it.each([
  ['GET /products/featured', 'product'],
  ['GET /products/featured?x=/**', 'product'],
  ['GET //products//featured', 'product', '/products/featured'],
  ['GET /products/x/../featured', 'product', '/products/featured'],
  ['GET /products/%66eatured', 'product', '/products/featured'],
  ...lines(METHODS, '/accounts/terms').map((line) => [line, 'account']),
  ['GET /orders/public', 'order'],
  ['GET /orders/public/', 'order'],
  ['GET /orders/public?x=1', 'order'],
  ['GET /orders/public/a', 'order'],
  ['GET /orders/public/a/b?x=1', 'order'],
  ['GET /orders/public/statsx', 'order'],
  ['GET /orders/public/stats', 'status'],
  ['GET /orders/public/stats/1', 'status'],
  ...lines(METHODS, '/auth/docs', '/auth/docs/a/b').map((line) => [line, 'auth']),
  ['GET /api/v1/status/?limit=1', 'status'],
])('an entry opens %s, of %s', (line = '', service = '', path?: string) => expectOpen(line, service, path));

it.each(['/api', '/api/v2'])('a prefix above the routes opens %s, which is 404', async (path) => {
  expect((await asStranger(`GET ${path}`)).status).toBe(404);
  expect(gateway.seen).toEqual([]);
});

it.each([
  ...lines(except('GET'), '/products/featured'),
  ...lines(
    ['GET'],
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
  ),
  ...lines(['GET', 'POST'], '/accounts', '/accounts/terms/', '/accounts/terms/x', '/accounts/termsx'),
  ...lines(['GET', 'POST'], '/accounts/terms%2f'),
  ...lines(except('GET'), '/orders/public', '/orders/public/a', '/orders/public/stats'),
  ...lines(
    ['GET'],
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
  ),
  ...lines(['GET', 'POST'], '/auth', '/auth/', '/auth/docsx', '/authx', '/auth/solve', '/auth/docs/../solve'),
  ...lines(['GET', 'POST'], '/auth/docs/../../check'),
  ...['GET /apix', 'POST /api/v1/status', 'POST /api/v2'],
  ...['GET /external', 'POST /external/pages', 'GET /external/pagesx', 'GET /external/contact'],
  'POST /auth/login', // in the default list, which this list replaces
])('no entry opens %s', (line) => expectSecured(line));

it('an entry has the same effect over HTTP/2', async () => {
  const status = async (path: string, method = 'GET') =>
    (await sendHttp2(gateway.port, { ':method': method, ':path': path, 'id-account': VICTIM })).status;
  expect(await status('/products/featured')).toBe(200);
  expectNoForgery(gateway);
  const others = ['/products/featured/', '/products/featuredx', '/products/featured/../1'];
  for (const path of others) expect(await status(path)).toBe(401);
  expect(await status('/products/featured', 'HEAD')).toBe(401);
  expect(gateway.reached()).toHaveLength(1);
});

describe('GET /**', () => {
  const all = useGateway({ open: ['GET /**'] });

  it('opens everything for GET only', async () => {
    for (const path of ['/accounts', '/auth/solve', '/products/1', '/orders', '/api/v1/status/']) {
      expect((await asStranger(`GET ${path}`, [], all)).status).toBe(200);
    }
    expect(all.seen.map(({ service }) => service)).toEqual(['account', 'auth', 'product', 'order', 'status']);
    expectNoForgery(all);
    expect(await asStranger('GET /', [], all)).toMatchObject({ status: 200, body: 'Store API' });
    expect((await asStranger('GET /external/x', [], all)).status).toBe(503); // no site listens
    for (const path of ['/nothing', '/check', '/internal/accounts']) {
      expect((await asStranger(`GET ${path}`, [], all)).status).toBe(404);
    }
    all.clear();
    for (const line of lines(except('GET'), '/accounts')) await expectSecured(line, all);
  });
});

describe('ANY /**', () => {
  const all = useGateway({ open: ['ANY /**'] });

  it('opens everything', async () => {
    for (const line of lines(METHODS, '/orders/1')) expect((await asStranger(line, [], all)).status).toBe(200);
    expectNoForgery(all);
    expect((await asStranger('GET /orders%2f1', [], all)).status).toBe(400);
    expect((await asStranger('CONNECT order:8080', [], all)).status).toBe(401);
    expect(all.reached()).toHaveLength(METHODS.length);
    expect(all.checks()).toEqual([]);
  });
});

describe('an empty list', () => {
  const none = useGateway({ open: [] });

  it('opens only / and /health-check', async () => {
    const secured = ['POST /auth/login', 'POST /auth/register', 'GET /auth/logout', 'GET /accounts'];
    const own = ['POST /', 'POST /health-check', 'GET /health-check/'];
    for (const line of [...secured, ...own]) await expectSecured(line, none);
    for (const line of lines(['GET', 'HEAD'], '/', '/health-check')) {
      expect((await asStranger(line, [], none)).status).toBe(200);
    }
  });
});

describe('gateway.publicCatalogue', () => {
  const shop = useGateway({ publicCatalogue: true });

  it.each(['GET /products', 'GET /products?q=tea', 'HEAD /products', `GET /products/${ACCOUNT}`])(
    'opens %s, and forwards no identity, even with a token',
    async (line) => {
      await expectOpen(line, 'product', undefined, shop);
      shop.clear();
      expect((await asStranger(line, [`Cookie: ${COOKIE}`], shop)).status).toBe(200);
      expect(shop.checks()).toEqual([]);
      expectNoForgery(shop);
    },
  );

  it.each([...lines(['POST', 'PUT', 'DELETE'], '/products/1'), 'GET /productsx', 'GET /orders'])(
    'does not open %s',
    (line) => expectSecured(line, shop),
  );

  it('is off by default', () => expectSecured('GET /products'));
});

describe('the list of the store', () => {
  const store = useGateway();
  const opened = [
    'POST /auth/register',
    'GET /auth/logout',
    'POST /auth/login',
    // Customers who reset their password or follow a link in a mail have no token.
    'POST /auth/password-resets',
    'POST /auth/password-resets/confirmation',
    'POST /auth/email-confirmations',
  ];

  it('opens what is specified, and the links in mails', async () => {
    for (const line of opened) {
      store.clear();
      await expectOpen(line, 'auth', undefined, store);
    }
    expect(store.checks()).toEqual([]);
  });

  it('opens no other documented operation, and none of these with another method', async () => {
    const { paths }: { paths: Record<string, object> } = parse(read('docs/openapi.yaml'));
    const own = ['GET /', 'HEAD /', 'GET /health-check', 'HEAD /health-check'];
    const all = lines(METHODS, ...Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, ACCOUNT)));
    const others = all.filter((line) => ![...opened, ...own].includes(line));
    expect(others.length).toBe(all.length - opened.length - own.length);
    for (const line of others) await expectSecured(line, store);
  });
});

it('an open request is forwarded unchanged except for the identity and x-envoy headers', async () => {
  const own = [`cookie: a=1; ${COOKIE}; ${COOKIE}`, 'authorization: Basic own', 'x-own: 1', 'content-length: 2'];
  const forged = [`id-account: ${VICTIM}`, 'x-envoy-retry-on: 5xx'];
  expect((await gateway.ask('PUT /accounts/terms?a=%20b', [...own, ...forged], '{}')).status).toBe(200);
  const received = { path: '/accounts/terms?a=%20b', body: '{}', headers: { host: 'store.test' } };
  expect(gateway.seen).toMatchObject([{ ...received, lines: expect.arrayContaining(own) }]);
  expect(JSON.stringify(gateway.seen)).not.toMatch(/id-account|retry-on/);
});

it.each([
  ['GET /external/pages', '/pages'],
  ['GET /external/pages/1?a=b', '/pages/1?a=b'],
  ['POST /external/contact', '/contact'],
])("%s reaches the site without a token, and without the store's own headers and cookies", async (line, path) => {
  const own = [`Cookie: a=1; ${COOKIE}`, `Authorization: Bearer ${TOKEN}`];
  expect((await asStranger(line, own)).status).toBe(200);
  expect(site.seen).toMatchObject([{ path, headers: { cookie: 'a=1' } }]);
  expect(JSON.stringify(site.seen)).not.toMatch(new RegExp(`${VICTIM}|${TOKEN}|authorization`));
  expect(gateway.seen).toEqual([]);
});
