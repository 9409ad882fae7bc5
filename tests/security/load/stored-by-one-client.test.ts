import { ACCOUNT, expectProblem, TOKEN, useGateway, VICTIM } from '../_fixture.ts';
import type { Answer } from '../_raw.ts';
import { reply } from '../_upstream.ts';

const attempts = 8;

/** Expects two 200 answers, and 429 with these fields for the others. */
function expectTwo(answers: Answer[], client: string, policy: string, fields: object, secondsUpTo: number) {
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(attempts - 2);
  for (const answer of refused) {
    expectProblem(answer, 429, { title: 'Too Many Requests', ...fields });
    const seconds = Number(answer.headers['retry-after']);
    expect(seconds).toBeGreaterThan(secondsUpTo / 2);
    expect(seconds).toBeLessThanOrEqual(secondsUpTo);
    expect(answer.headers.ratelimit).toBe(`"${client}";r=0;t=${seconds}`);
    expect(answer.headers['ratelimit-policy']).toContain(policy);
  }
}

describe('the data that one client can make the store keep is limited:', () => {
  const limits = { orders: { perMinute: 2 }, registrations: { perHour: 2 } };
  const gateway = useGateway({ trustedHops: 1, limits });
  const ask = (line: string, from: string, ...lines: string[]) =>
    gateway.ask(line, [`X-Forwarded-For: ${from}`, ...lines]);
  const times = (send: (n: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: attempts }, (_, n) => send(n)));

  it('orders per account and minute, from any address, but no other requests of the account', async () => {
    // The token is the id of the account.
    gateway.auth.answer(({ headers }) => {
      const account = headers.cookie?.split('=')[1];
      return reply(200, [`id-account: ${account}`, `authorization: Bearer ${TOKEN}`]);
    });
    const askAs = (account: string, line: string, from = '198.51.100.1') =>
      ask(line, from, `Cookie: __store_jwt_token=${account}`);

    const answers = await times((n) => askAs(ACCOUNT, `POST /orders?n=${n}`, `198.51.100.${n}`));
    const detail = 'This account places too many orders. Wait as long as Retry-After says.';
    expectTwo(answers, 'account', '"orders";q=2;w=60', { instance: '/orders', detail }, 30);
    expect(gateway.reached()).toHaveLength(2);

    const others = ['GET /orders', 'POST /orders/1/cancellation', 'PATCH /orders/1', 'POST /products'];
    for (const line of others) expect((await askAs(ACCOUNT, line)).status).toBe(200);
    expect((await askAs(VICTIM, 'POST /orders')).status).toBe(200);
    expect((await askAs(ACCOUNT, 'POST //./orders')).status).toBe(429);
  });

  it('registrations per address and hour, but not logins', async () => {
    const answers = await times((n) => ask(`POST /auth/register?n=${n}`, `2001:db8::${n}`));
    expectTwo(answers, 'address', '"registrations";q=2;w=3600', {}, 1800);
    expect((await ask('POST /auth/login', '2001:db8::1')).status).toBe(200);
    expect((await ask('POST /auth/register', '2001:db8:0:1::1')).status).toBe(200);
  });
});

describe('by default', () => {
  const gateway = useGateway();

  it.each(['POST /auth/register', 'POST /orders'])('one client may %s as often as it likes', async (line) => {
    for (let n = 0; n < 20; n += 1) expect((await gateway.askAsCustomer(line)).status).toBe(200);
  });
});
