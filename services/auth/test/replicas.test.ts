import { register as metrics } from 'prom-client';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../tests/kit/until.ts';
import { useAuth } from './_app.ts';
import { customersOf } from './_customers.ts';

const { database, query, start } = useAuth();
/** Between the second replica and the database. */
let proxy: Awaited<ReturnType<typeof createTcpProxy>>;

async function open(databaseUrl: string, waits = true) {
  const replica = await start({ databaseUrl, waits });
  return { ...replica, ...customersOf(replica) };
}
type Replica = Awaited<ReturnType<typeof open>>;

const first = database.open((url) => open(url));
const second = database.open(async (url) => {
  proxy = await createTcpProxy(url);
  const replica = await open(proxy.url);
  return { ...replica, close: () => replica.close().then(proxy.close) };
});

/** Stale checks of all replicas; only the second one is ever cut off. */
const staleChecks = async () =>
  (await metrics.getSingleMetric('auth_stale_checks_total')?.get())?.values[0]?.value ?? Number.NaN;

/** The promise of contract 3.2. */
const refusesWithinOneSecond = (replica: Replica, token: string) =>
  until('the token is refused', async () => (await replica.check(token)) === 401, { timeoutMs: 1_000 });

describe('replicas', () => {
  it('refuse a token within a second after it was logged out at another replica, and after a restart', async () => {
    const ada = await first.register();
    const [token, other] = [await first.logIn(ada), await first.logIn(ada)];
    for (const replica of [first, second]) expect(await replica.check(token)).toBe(200);
    await first.logout(token).expect(200);
    expect(await first.check(token)).toBe(401);
    await refusesWithinOneSecond(second, token);
    await second.solve(token).expect(401);

    const restarted = await open(database.url);
    expect(await restarted.check(token)).toBe(401);
    for (const replica of [first, second, restarted]) expect(await replica.check(other)).toBe(200);
    await restarted.close();
  });

  it("end all of a caller's sessions at every replica, but not a login right afterwards", async () => {
    const ada = await first.register();
    const tokens = [await first.logIn(ada), await second.logIn(ada)];
    const { headers } = await second.endSessions(ada.id, tokens[0] ?? '').expect(204);
    expect(headers['cache-control']).toBe('no-store');
    const next = await first.logIn(ada);
    for (const token of tokens) {
      expect(await second.check(token)).toBe(401);
      await refusesWithinOneSecond(first, token);
    }
    const restarted = await open(database.url);
    for (const token of tokens) expect(await restarted.check(token)).toBe(401);
    for (const replica of [first, second, restarted]) expect(await replica.check(next)).toBe(200);
    await restarted.close();
  });

  it('check tokens and count stale checks without the database, answer logouts with 503, and catch up afterwards', async () => {
    const ada = await first.register();
    const [token, other] = [await first.logIn(ada), await second.logIn(ada)];
    for (const one of [token, other]) expect(await second.check(one)).toBe(200);
    expect(await staleChecks()).toBe(0);
    await proxy.close();
    try {
      await until('stale checks are counted', async () => {
        expect(await second.check(token)).toBe(200);
        return (await staleChecks()) > 0;
      });
      for (const { status, headers } of [await second.logout(other), await second.endSessions(ada.id, other)])
        expect([status, headers['retry-after'], headers['set-cookie']]).toEqual([503, '1', undefined]);
      await second.logout('a.b.c').expect(200);
      await second.tryLogin(ada, ada.password).expect(503);
      expect(await second.check(other)).toBe(200);
      expect(second.isReady()).toBe(true);
      await first.logout(token).expect(200);
    } finally {
      await proxy.set('pass');
    }
    await until('the missed logout is known', async () => (await second.check(token)) === 401);
    await until('the logout succeeds', async () => (await second.logout(other)).status === 200);
    const next = await second.logIn(ada);
    // Try more than once: on a busy machine the replica may briefly lose the database.
    await until('checks are no longer stale', async () => {
      const counted = await staleChecks();
      expect(await second.check(next)).toBe(200);
      return (await staleChecks()) === counted;
    });
  });

  it('catch up within a second when the database ends their connections', async () => {
    const ada = await first.register();
    for (let times = 0; times < 5; times += 1) {
      const token = await first.logIn(ada);
      expect(await second.check(token)).toBe(200);
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'follower'`,
      );
      await first.logout(token).expect(200);
      await refusesWithinOneSecond(second, token);
    }
  });

  it('are not ready and answer checks with 503 until they know which sessions have ended', async () => {
    const token = await first.logIn(await first.register());
    await first.logout(token).expect(200);
    const ownProxy = await createTcpProxy(database.url);
    await ownProxy.close();
    const replica = await open(ownProxy.url, false);
    expect(replica.isReady()).toBe(false);
    expect(await replica.check(token)).toBe(503);
    await replica.solve(token).expect(503);
    await ownProxy.set('pass');
    await until('it is ready', replica.isReady);
    expect(await replica.check(token)).toBe(401);
    await replica.close();
    await ownProxy.close();
  });
});
