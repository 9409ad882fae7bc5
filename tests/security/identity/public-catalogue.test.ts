import {
  ACCOUNT,
  COOKIE,
  expectNoForgery,
  type Fixture,
  http,
  startFixture,
  startUnlimited,
  VICTIM,
} from '../_fixture.ts';

// gateway.publicCatalogue (contract 2.2)

const many = { perSecond: 10_000, burst: 10_000 };
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited({ publicCatalogue: true });
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

it.each(['GET /products', 'GET /products?q=tea', 'HEAD /products', `GET /products/${ACCOUNT}`])(
  '%s needs no token, and passes no identity on',
  async (firstLine) => {
    for (const headers of [[], [`Cookie: ${COOKIE}`]]) {
      fixture.clear();
      const answer = await fixture.send(
        http(firstLine, [`id-account: ${VICTIM}`, 'account-roles: operator', ...headers]),
      );
      expect(answer.status).toBe(200);
      expect(fixture.reached()).toMatchObject([{ service: 'product' }]);
      expect(fixture.reached()[0]?.headers).not.toHaveProperty('account-roles');
      expect(fixture.checks()).toEqual([]);
      expectNoForgery(fixture);
    }
  },
);

it.each(['POST /products', `PUT /products/${VICTIM}`, `DELETE /products/${VICTIM}`, 'GET /productsx', 'GET /orders'])(
  '%s still needs one',
  async (firstLine) => {
    expect((await fixture.send(http(firstLine))).status).toBe(401);
    expect(fixture.reached()).toEqual([]);
  },
);

it('has a limit of its own, which leaves other requests alone', async () => {
  const limits = { requests: many, credentials: many, catalogue: { perSecond: 1, burst: 3 } };
  const limited = await startFixture({ publicCatalogue: true, limits });
  try {
    const started = Date.now();
    const lines = ['GET /products', 'GET /products?page=1', `GET /products/${VICTIM}`, 'HEAD /products'];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => limited.send(http(lines[n % lines.length] ?? '', [`Cookie: ${COOKIE}`]))),
    );
    const refilled = Math.ceil((Date.now() - started) / 1000);
    const passed = answers.filter(({ status }) => status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(3);
    expect(passed).toBeLessThanOrEqual(3 + refilled);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers['ratelimit-policy']).toContain('"catalogue";q=1;w=1');
    expect((await limited.send(http('GET /accounts', [`Cookie: ${COOKIE}`]))).status).toBe(200);
  } finally {
    await limited.stop();
  }
});

it('is off by default', async () => {
  const secured = await startUnlimited();
  try {
    expect((await secured.send(http('GET /products'))).status).toBe(401);
  } finally {
    await secured.stop();
  }
});
