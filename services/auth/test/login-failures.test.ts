import { unavailable } from '@store/shared/values/errors';
import request from 'supertest';
import { unreachableDatabaseUrl } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { ada, useAuth } from './_app.ts';

const { accounts, query, start, open } = useAuth();
const auth = open();
const { checkPassword } = accounts;

beforeAll(async () => {
  await request(auth.app).post('/auth/register').send(ada).expect(201);
});

beforeEach(async () => {
  accounts.calls.length = 0;
  accounts.checkPassword = checkPassword;
  await query('delete from login_failures');
});

const login = (password: string, email = ada.email) => request(auth.app).post('/auth/login').send({ email, password });
const fail = async (times: number, email = ada.email) => {
  for (let n = 0; n < times; n += 1) await login('wrong password', email).expect(401);
};
const rows = () =>
  query<{ failures: number; delay: number | null }>(
    'select failures, extract(epoch from blocked_until - last_at)::int as delay from login_failures',
  );
/** Moves the failures into the past. */
const pass = (interval: string) =>
  query(
    `update login_failures set blocked_until = blocked_until - interval '${interval}', last_at = last_at - interval '${interval}'`,
  );

describe('failed logins', () => {
  it.each([
    ['of an account', ada.email],
    ['that no account has', 'nobody@example.com'],
  ])('after 10 failures with an e-mail address %s, logins answer 429 with Retry-After', async (_, email) => {
    await fail(10, email);
    const { body, headers } = await login('wrong password', email).expect(429);
    expect(headers).toMatchObject({ 'retry-after': '1', ratelimit: '"too-many-failures";r=0;t=1' });
    expect(body).toMatchObject({
      type: 'urn:problem:store:too-many-failures',
      detail: 'Too many logins with this e-mail address have failed. Try again later.',
    });
    expect(accounts.calls).toHaveLength(10);
  });

  it('limit 50 parallel guesses to 10 checks', async () => {
    const begin = performance.now();
    const statuses = await Promise.all(Array.from({ length: 50 }, async (_, n) => (await login(`guess ${n}`)).status));
    // The first delay is one second, after which there is another check. On a busy machine it may be over.
    const delays = Math.floor((performance.now() - begin) / 1_000);
    const checks = statuses.filter((status) => status === 401).length;
    expect(checks).toBeGreaterThanOrEqual(10);
    expect(checks).toBeLessThanOrEqual(10 + delays);
    // On a busy machine, a login that has waited 2 s for its turn answers 503.
    for (const status of statuses) expect([401, 429, 503]).toContain(status);
    expect(accounts.calls).toHaveLength(checks);
  });

  it('do not include up to ten parallel logins with the right password', async () => {
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => login(ada.password)));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    }
  });

  it('delay even the correct password: 1 s, doubled by every failure, up to 15 minutes', async () => {
    await fail(10);
    const delays: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      delays.push((await rows())[0]?.delay ?? 0);
      await login(ada.password).expect(429);
      await pass(`${delays.at(-1)} seconds`);
      await fail(1);
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    await pass('900 seconds');
    await login(ada.password).expect(200);
  });

  it('are reset by a success', async () => {
    await fail(9);
    await login(ada.password).expect(200);
    expect(await rows()).toEqual([]);
    await fail(10);
  });

  it('are forgotten after an hour without a login, and then deleted', async () => {
    await fail(10);
    await pass('1 hour');
    await fail(10);
    await login('wrong password').expect(429);
    await pass('1 hour');
    await fail(1, 'nobody@example.com');
    const cleaning = await start();
    await until('the old failures are deleted', async () => (await rows()).length === 1).finally(cleaning.close);
    expect(await rows()).toMatchObject([{ failures: 1 }]);
  });

  it('count together for all spellings of an address, without storing it', async () => {
    await fail(5, 'ada@example.com');
    await fail(5, ' ADA@Example.COM ');
    await login(ada.password).expect(429);
    const stored = await query('select t::text from login_failures t');
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toMatch(/ada|example/i);
    await login(ada.password, 'bob@example.com').expect(401);
  });

  it('do not include logins that could not be checked, and those cause no delay', async () => {
    accounts.checkPassword = () => Promise.reject(new Error('Out of order'));
    for (let n = 0; n < 20; n += 1) await login(ada.password).expect(500);
    accounts.checkPassword = checkPassword;
    await fail(10);
    await pass('1 second');
    accounts.checkPassword = () => Promise.reject(unavailable('The account service'));
    await login(ada.password).expect(503);
    expect(await rows()).toEqual([{ failures: 10, delay: null }]);
    accounts.checkPassword = checkPassword;
    await login(ada.password).expect(200);
  });

  it('keep the delay of a later failure when an earlier login ends with 503', async () => {
    await fail(10);
    await pass('1 second');
    const [reached, timedOut] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    accounts.checkPassword = async () => {
      reached.resolve();
      await timedOut.promise;
      throw unavailable('The account service');
    };
    const slow = login(ada.password).then(({ status }) => status);
    await reached.promise;
    accounts.checkPassword = checkPassword;
    await pass('2 seconds');
    await fail(1);
    timedOut.resolve();
    expect(await slow).toBe(503);
    expect(await rows()).toEqual([{ failures: 11, delay: 4 }]);
    await login(ada.password).expect(429);
  });

  it('cannot be counted without the database: a login answers 503 and no password is checked', async () => {
    const away = await start({ databaseUrl: unreachableDatabaseUrl });
    const { headers } = await request(away.app).post('/auth/login').send(ada).expect(503);
    expect(headers['retry-after']).toBe('1');
    expect(accounts.calls).toEqual([]);
    await away.close();
  });
});
