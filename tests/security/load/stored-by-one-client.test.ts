import { ACCOUNT, http, startFixture, TOKEN, VICTIM } from '../_fixture.ts';
import type { Answer } from '../_raw.ts';
import { reply } from '../_upstream.ts';

const attempts = 8;
const isRefused = ({ status }: Answer) => status === 429;
const times = (send: (n: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: attempts }, (_, n) => send(n)));

describe('what one client makes the store keep is limited:', () => {
  it('orders per account and minute, from whatever address; nothing else of the account', async () => {
    const fixture = await startFixture({ trustedHops: 1, limits: { orders: { perMinute: 2 } } });
    try {
      // Its token is the id of the account.
      fixture.auth.answer(({ headers }) => {
        const account = headers.cookie?.split('=')[1];
        return reply(200, [`id-account: ${account}`, `authorization: Bearer ${TOKEN}`]);
      });
      const ask = (firstLine: string, account: string, from = '198.51.100.1') =>
        fixture.send(http(firstLine, [`Cookie: __store_jwt_token=${account}`, `X-Forwarded-For: ${from}`]));

      const answers = await times((n) => ask(`POST /orders?n=${n}`, ACCOUNT, `198.51.100.${n}`));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
      expect(answers.filter(isRefused)).toHaveLength(attempts - 2);
      expect(fixture.reached()).toHaveLength(2);
      for (const { headers, body } of answers.filter(isRefused)) {
        expect(JSON.parse(body)).toMatchObject({
          status: 429,
          title: 'Too Many Requests',
          instance: '/orders',
          detail: 'This account places too many orders. Wait as long as Retry-After says.',
        });
        expect(Number(headers['retry-after'])).toBeGreaterThan(1);
        expect(Number(headers['retry-after'])).toBeLessThanOrEqual(30);
        expect(headers).toMatchObject({
          ratelimit: `"account";r=0;t=${headers['retry-after']}`,
          'ratelimit-policy': '"orders";q=2;w=60',
        });
      }

      const others = ['GET /orders', 'POST /orders/1/cancellation', 'PATCH /orders/1', 'POST /products'];
      for (const firstLine of others) expect((await ask(firstLine, ACCOUNT)).status).toBe(200);
      expect((await ask('POST /orders', VICTIM)).status).toBe(200);
      expect((await ask('POST //./orders', ACCOUNT)).status).toBe(429);
    } finally {
      await fixture.stop();
    }
  });

  it('registrations per address and hour; logins go on', async () => {
    const fixture = await startFixture({ trustedHops: 1, limits: { registrations: { perHour: 2 } } });
    try {
      const ask = (firstLine: string, from: string) => fixture.send(http(firstLine, [`X-Forwarded-For: ${from}`]));
      const answers = await times((n) => ask(`POST /auth/register?n=${n}`, `2001:db8::${n}`));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
      for (const { headers, body } of answers.filter(isRefused)) {
        expect(JSON.parse(body)).toMatchObject({ status: 429, title: 'Too Many Requests' });
        expect(Number(headers['retry-after'])).toBeGreaterThan(1000);
        expect(Number(headers['retry-after'])).toBeLessThanOrEqual(1800);
        expect(headers.ratelimit).toBe(`"address";r=0;t=${headers['retry-after']}`);
        expect(headers['ratelimit-policy']).toContain('"registrations";q=2;w=3600');
      }
      expect((await ask('POST /auth/login', '2001:db8::1')).status).toBe(200);
      expect((await ask('POST /auth/register', '2001:db8:0:1::1')).status).toBe(200);
    } finally {
      await fixture.stop();
    }
  });

  it('by default neither is', async () => {
    const fixture = await startFixture();
    try {
      const statuses = [];
      for (let n = 0; n < 20; n += 1) statuses.push((await fixture.send(http('POST /auth/register'))).status);
      const lines = [`Cookie: __store_jwt_token=${TOKEN}`];
      for (let n = 0; n < 20; n += 1) statuses.push((await fixture.send(http('POST /orders', lines))).status);
      expect(new Set(statuses)).toEqual(new Set([200]));
    } finally {
      await fixture.stop();
    }
  });
});
