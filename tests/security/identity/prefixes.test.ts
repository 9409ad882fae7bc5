import { expectNoForgery, expectProblem, useGateway, VICTIM } from '../_fixture.ts';

// A path prefix is one value (contract 2.1): routed to its service, and secured.

const own = { '/loyalty': 'product', '/products/reviews': 'order', '/api/v1/status': '', '/api/v2/status': 'status' };
const gateway = useGateway({ global: { routes: own } });

it.each([
  ['/loyalty', 'product'],
  ['/loyalty/', 'product'],
  ['/loyalty/points?a=b', 'product'],
  ['/products/reviews/1', 'order'],
  ['/products/reviewsx', 'product'],
  ['/products/1', 'product'],
  ['/api/v2/status/?limit=1', 'status'],
])('%s goes to %s with a token only, the longest prefix decides', async (path, service) => {
  const lines = [`id-account: ${VICTIM}`];
  for (const method of ['GET', 'HEAD', 'POST']) {
    expect((await gateway.ask(`${method} ${path}`, lines)).status).toBe(401);
  }
  expect(gateway.seen).toEqual([]);
  expect((await gateway.askAsCustomer(`PUT ${path}`, lines)).status).toBe(200);
  expect(gateway.reached()).toMatchObject([{ service, path }]);
  expect(gateway.checks()).toHaveLength(1);
  expectNoForgery(gateway);
});

it.each(['/loyaltyx', '/Loyalty', '/x/loyalty', '/api/v2', '/api/v1/status'])('%s goes nowhere', async (path) => {
  expectProblem(await gateway.askAsCustomer(`GET ${path}`), 404);
  expect(gateway.reached()).toEqual([]);
});
