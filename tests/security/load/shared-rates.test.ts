import { ACCOUNT, COOKIE, expectProblem, type Gateway, startGateway } from '../_fixture.ts';
import { startRateService } from './_rate-service.ts';

// Rates that a service counts for all replicas of the gateway, and the limits that remain if it does not answer.

let service: Awaited<ReturnType<typeof startRateService>>;
let gateways: Gateway[];
const allowed = 3;

beforeAll(async () => {
  service = await startRateService(allowed);
  const limits = { orders: { perMinute: 100 }, credentials: { perSecond: 1, burst: 8 } };
  const values = { rateLimitService: service.address, trustedHops: 1, limits };
  gateways = await Promise.all([startGateway(values), startGateway(values)]);
});
afterAll(async () => {
  await Promise.all(gateways.map(({ stop }) => stop()));
  service.close();
});

/** Sends requests to the replicas in turn. */
async function ask(count: number, line: string, from: string, ...lines: string[]) {
  const answers = [];
  for (let n = 0; n < count; n += 1) {
    const gateway = gateways[n % gateways.length];
    if (gateway) answers.push(await gateway.ask(line, [`X-Forwarded-For: ${from}`, ...lines]));
  }
  return answers;
}
const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status);

it('hold for all replicas together: by address, and by account from any address', async () => {
  const byAddress = await ask(5, 'GET /', '198.51.100.1');
  expect(statusesOf(byAddress)).toEqual([200, 200, 200, 429, 429]);
  const [refused] = byAddress.slice(-1);
  if (refused === undefined) throw new Error('There is no answer.');
  expectProblem(refused, 429, { detail: expect.stringContaining('from this address') });
  expect(refused.headers).toMatchObject({ 'retry-after': '2', ratelimit: '"address";r=0;t=2' });
  expect(refused.headers).not.toHaveProperty('x-envoy-ratelimited');

  const orders = [];
  for (let n = 2; n < 7; n += 1) orders.push(...(await ask(1, 'POST /orders', `198.51.100.${n}`, `Cookie: ${COOKIE}`)));
  expect(statusesOf(orders)).toEqual([200, 200, 200, 429, 429]);
  const last = orders.at(-1);
  if (last) expectProblem(last, 429, { detail: expect.stringContaining('This account places too many orders') });
  expect(service.counts.get(`header_match=orders,account=${ACCOUNT}`)).toBe(5);
  expect(service.counts.get('masked_remote_address=198.51.100.1/32')).toBe(5);
});

it('hold for each replica while the service hangs or is down, and no request waits for it', async () => {
  for (const stop of [service.hang, service.close]) {
    stop();
    const from = `198.51.100.${stop === service.hang ? 20 : 21}`;
    const begun = performance.now();
    expect(statusesOf(await ask(10, 'GET /', from))).toEqual(Array(10).fill(200));
    expect(performance.now() - begun).toBeLessThan(5_000);
    // All at once, because an answer takes as long as the service's time-out, and one login per second is allowed again.
    const logins = await Promise.all(Array.from({ length: 20 }, () => ask(2, 'POST /auth/login', from)));
    expect(statusesOf(logins.flat()).filter((status) => status === 200).length).toBeGreaterThanOrEqual(2 * 8);
    expect(statusesOf(logins.flat())).toContain(429);
  }
});
