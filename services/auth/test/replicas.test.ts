import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { logIn } from '../../../tests/kit/customer.ts';
import { createSend } from '../../../tests/kit/http.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { startService } from '../../../tests/kit/service-process.ts';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../tests/kit/until.ts';
import { newSecret } from './_app.ts';

type Replica = Awaited<ReturnType<typeof startReplica>>;

const ada = { email: 'ada@example.com', password: 'correct horse' };
const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const secret = newSecret();

const database = useDatabase('auth');
let accounts: Server;
/** Between the second replica and the database. */
let proxy: Awaited<ReturnType<typeof createTcpProxy>>;
let first: Replica;
let second: Replica;

async function startReplica(databaseUrl: string) {
  const service = await startService('services/auth/src/main.ts', {
    DATABASE_URL: databaseUrl,
    JWT_SECRET_KEY: secret,
    ACCOUNT_URL: `http://127.0.0.1:${(accounts.address() as AddressInfo).port}`,
  });
  const send = createSend(service.url);
  return {
    ...service,
    send,
    check: async (cookie: string) => (await send('GET', '/check', undefined, { cookie })).status,
    logout: (cookie: string) => send('GET', '/auth/logout', undefined, { cookie }),
    endSessions: (cookie: string) =>
      send('DELETE', '/auth/sessions', undefined, {
        'id-account': accountId,
        authorization: `Bearer ${cookie.split('=')[1]}`,
      }),
    isReady: async () => (await send('GET', '/health/ready')).status === 200,
  };
}

async function startReady(databaseUrl: string) {
  const replica = await startReplica(databaseUrl);
  await replica.ready();
  return replica;
}

const staleChecks = async ({ metrics }: Replica) =>
  Number(/^auth_stale_checks_total (\d+)$/m.exec(await metrics())?.[1]);

/** The promise of contract 3.2. */
const refusesWithinOneSecond = (replica: Replica, cookie: string) =>
  until('the token is refused', async () => (await replica.check(cookie)) === 401, { timeoutMs: 1_000 });

beforeAll(async () => {
  proxy = await createTcpProxy(database.url);
  const account = { id: accountId, name: 'Ada', email: ada.email, createdAt: new Date().toISOString() };
  accounts = createServer((_, res) => res.end(JSON.stringify(account)));
  await once(accounts.listen(0, '127.0.0.1'), 'listening');
  [first, second] = await Promise.all([startReady(database.url), startReady(proxy.url)]);
});

afterAll(async () => {
  for (const replica of [first, second]) await replica?.end('SIGKILL');
  await proxy?.close();
  accounts?.close();
});

describe('replicas', () => {
  it('refuse a token that was logged out at another within a second, and after a restart', async () => {
    const [cookie, other] = [await logIn(first.send, ada), await logIn(first.send, ada)];
    for (const replica of [first, second]) expect(await replica.check(cookie)).toBe(200);
    expect((await first.logout(cookie)).status).toBe(200);
    expect(await first.check(cookie)).toBe(401);
    await refusesWithinOneSecond(second, cookie);
    const solved = await second.send('POST', '/auth/solve', { token: cookie.split('=')[1] });
    expect(solved.status).toBe(401);

    const restarted = await startReady(database.url);
    expect(await restarted.check(cookie)).toBe(401);
    for (const replica of [first, second, restarted]) expect(await replica.check(other)).toBe(200);
    await restarted.end('SIGKILL');
  });

  it("end all of a caller's sessions everywhere, and not the login right after it", async () => {
    const cookies = [await logIn(first.send, ada), await logIn(second.send, ada)];
    const ended = await second.endSessions(cookies[0] ?? '');
    expect(ended.status).toBe(204);
    const next = await logIn(first.send, ada);
    for (const cookie of cookies) {
      expect(await second.check(cookie)).toBe(401);
      await refusesWithinOneSecond(first, cookie);
    }
    for (const replica of [first, second]) expect(await replica.check(next)).toBe(200);
  });

  it('check and count without the database, are 503 to a logout, and learn afterwards what they missed', async () => {
    const [cookie, other] = [await logIn(first.send, ada), await logIn(second.send, ada)];
    for (const token of [cookie, other]) expect(await second.check(token)).toBe(200);
    expect(await staleChecks(second)).toBe(0);
    await proxy.close();
    try {
      await until('stale checks are counted', async () => {
        expect(await second.check(cookie)).toBe(200);
        return (await staleChecks(second)) > 0;
      });
      for (const refused of [await second.logout(other), await second.endSessions(other)]) {
        expect(refused.status).toBe(503);
        expect(refused.headers.get('retry-after')).toBe('1');
        expect(refused.headers.get('set-cookie')).toBeNull();
      }
      expect((await second.logout('__store_jwt_token=a.b.c')).status).toBe(200);
      expect((await second.send('POST', '/auth/login', ada)).status).toBe(503);
      expect(await second.check(other)).toBe(200);
      expect(await second.isReady()).toBe(true);
      expect((await first.logout(cookie)).status).toBe(200);
    } finally {
      await proxy.set('pass');
    }
    await until('the missed logout is known', async () => (await second.check(cookie)) === 401);
    await until('the logout succeeds', async () => (await second.logout(other)).status === 200);
    const next = await logIn(second.send, ada);
    // Not the first one: a busy machine may keep the replica from hearing of the database for a moment.
    await until('checks are no longer stale', async () => {
      const counted = await staleChecks(second);
      expect(await second.check(next)).toBe(200);
      return (await staleChecks(second)) === counted;
    });
  });

  it('learn what they missed within a second, when the database ends their connections', async () => {
    for (let times = 0; times < 5; times += 1) {
      const cookie = await logIn(first.send, ada);
      expect(await second.check(cookie)).toBe(200);
      await queryOnce(
        database.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'follower'`,
      );
      expect((await first.logout(cookie)).status).toBe(200);
      await refusesWithinOneSecond(second, cookie);
    }
  });

  it('are not ready and check nothing until they know which sessions have ended', async () => {
    const cookie = await logIn(first.send, ada);
    await first.logout(cookie);
    const ownProxy = await createTcpProxy(database.url);
    await ownProxy.close();
    const replica = await startReplica(ownProxy.url);
    try {
      await replica.logs('Waiting for the database');
      expect(await replica.isReady()).toBe(false);
      expect(await replica.check(cookie)).toBe(503);
      expect((await replica.send('POST', '/auth/solve', { token: cookie.split('=')[1] })).status).toBe(503);
      await ownProxy.set('pass');
      await replica.ready();
      expect(await replica.check(cookie)).toBe(401);
    } finally {
      await replica.end('SIGKILL');
      await ownProxy.close();
    }
  });
});
