import { COOKIE, expectNoForgery, type Fixture, http, startUnlimited, VICTIM } from '../_fixture.ts';

// A path prefix is one value (contract 2.1): routed to its service, and secured.

let fixture: Fixture;
beforeAll(async () => {
  const routes = {
    '/loyalty': 'product',
    '/products/reviews': 'order',
    '/api/v1/status': '',
    '/api/v2/status': 'status',
  };
  fixture = await startUnlimited({ global: { routes } });
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

const send = (line: string, ...headers: string[]) => fixture.send(http(line, [`id-account: ${VICTIM}`, ...headers]));
const asCustomer = (line: string) => send(line, `Cookie: ${COOKIE}`);

it.each([
  ['/loyalty', 'product'],
  ['/loyalty/', 'product'],
  ['/loyalty/points?a=b', 'product'],
  ['/products/reviews/1', 'order'],
  ['/products/reviewsx', 'product'],
  ['/products/1', 'product'],
  ['/api/v2/status/?limit=1', 'status'],
])('%s goes to %s, the longest prefix decides', async (path, service) => {
  expect((await asCustomer(`PUT ${path}`)).status).toBe(200);
  expect(fixture.reached()).toMatchObject([{ service, path }]);
  expect(fixture.checks()).toHaveLength(1);
  expectNoForgery(fixture);
});

it.each(['GET /loyalty', 'POST /loyalty/points', 'HEAD /products/reviews', 'GET /api/v2/status'])(
  '%s without a token: 401',
  async (line) => {
    expect((await send(line)).status).toBe(401);
    expect((await send(line, 'Cookie: __store_jwt_token=x')).status).toBe(401);
    expect(fixture.reached()).toEqual([]);
  },
);

it.each(['/loyaltyx', '/Loyalty', '/x/loyalty', '/api/v2', '/api/v1/status'])('%s goes nowhere', async (path) => {
  expect((await asCustomer(`GET ${path}`)).status).toBe(404);
  expect(fixture.reached()).toEqual([]);
});
