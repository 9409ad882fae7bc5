import { randomUUID } from 'node:crypto';
import { bearerFrom } from '@store/shared/auth/bearer';
import { importTokenKey } from '@store/shared/auth/token-keys';
import { decodeJwt } from 'jose';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../tests/kit/until.ts';
import { createTokens } from '../src/tokens/tokens.ts';
import { newSecret, useAuth } from './_app.ts';
import { customersOf } from './_customers.ts';
import { keysOf } from './_keys.ts';

const { database, env, open, query, start } = useAuth({ JWT_TTL_SECONDS: '600' });
const [auth, rotated] = [open(), open({ JWT_SECRET_KEY: newSecret() })];
const { make, end, identify } = keysOf(auth);
const { loggedIn } = customersOf(auth);
const statusAt = (app: typeof auth, key: string) => customersOf(app).check(key);

describe('the token of an API key', () => {
  it('outlives JWT_TTL_SECONDS, but not its own expiry', async () => {
    const now = Date.now();
    let later = 0;
    const tokens = createTokens({
      key: await importTokenKey(env.JWT_SECRET_KEY),
      ttlSeconds: 600,
      hasEnded: () => false,
      clock: () => now + later * 1000,
    });
    const at = Math.floor(now / 1000);
    const [id, accountId] = [randomUUID(), randomUUID()];
    const key = await tokens.issueKey({ id, accountId, authenticatedAt: at, expiresAt: at + 5000, scopes: ['x'] });
    const { token } = await tokens.issue(accountId, at);
    const valid = async () => (await Promise.all([token, key].map(tokens.resolve))).map((one) => one !== undefined);
    const session = await tokens.resolve(key);
    const served: string[] = [];
    for (const [seconds, expected] of [
      [0, [true, true]],
      [700, [false, true]],
      [5020, [false, true]],
      [5040, [false, false]],
    ] as const) {
      later = seconds;
      expect(await valid()).toEqual(expected);
      if (session !== undefined) served.push(await tokens.forServices(session, []));
    }
    expect(served.map((one) => (decodeJwt(one).exp ?? 0) - at)).toEqual([600, 1300, 5000, 5000]);
    expect(tokens.hasLapsed({ authenticatedAt: at })).toBe(true);
    expect(tokens.hasLapsed({ authenticatedAt: at, isApiKey: true })).toBe(false);
  });

  it('is refused by services: they get a token that lives no longer than a session', async () => {
    const owner = await loggedIn();
    const { key } = (await make(owner)).body;
    const validate = bearerFrom({ BEARER_VALIDATION: 'on', JWT_SECRET_KEY: env.JWT_SECRET_KEY });
    await expect(validate(`Bearer ${key}`, owner.id)).rejects.toMatchObject({ kind: 'unauthenticated' });
    const { bearer } = await identify(key);
    expect(await validate(`Bearer ${bearer}`, owner.id)).toMatchObject({ scopes: ['orders:read'] });
    const { exp = 0, iat = 0, aud } = decodeJwt(bearer);
    // Services of the previous release would take it for a session, but they accept only the audience store-platform.
    expect([exp - iat, aud]).toEqual([600, 'store-platform-scoped']);
  });

  it('outlives the key that signed it, while forgeries of it are refused', async () => {
    const owner = await loggedIn();
    const { id, key } = (await make(owner)).body;
    await until('it is known', async () => (await statusAt(rotated, key)) === 200, { timeoutMs: 1_000 });
    expect(await keysOf(rotated).identify(key)).toMatchObject({ status: 200, scopes: 'orders:read' });
    const forge = createTokens({ key: await importTokenKey(newSecret()), ttlSeconds: 600, hasEnded: () => false });
    const { exp = 0, auth_time: authenticatedAt } = decodeJwt<{ auth_time: number }>(key);
    for (const scopes of [['orders:read'], ['orders:read', 'orders:write']]) {
      const forged = await forge.issueKey({ id, accountId: owner.id, authenticatedAt, expiresAt: exp, scopes });
      for (const app of [auth, rotated]) expect(await statusAt(app, forged)).toBe(401);
    }
    expect(await statusAt(rotated, owner.token)).toBe(401);
    await end(owner, id).expect(204);
    await until('it is refused', async () => (await statusAt(rotated, key)) === 401, { timeoutMs: 1_000 });
  });

  it('lasts 90 days unless its customer says otherwise', async () => {
    const { body } = await make(await loggedIn(), { expiresAt: undefined }).expect(201);
    const days = (Date.parse(body.expiresAt) - Date.parse(body.createdAt)) / 86_400_000;
    expect(Math.abs(days - 90)).toBeLessThan(0.01);
    expect((decodeJwt(body.key).exp ?? 0) * 1000).toBe(Date.parse(body.expiresAt));
  });

  it('is checked without the database, whether genuine or forged and whatever key signed it', async () => {
    const owner = await loggedIn();
    const { id, key } = (await make(owner)).body;
    const { id: oldId, key: old } = (await make(owner)).body;
    // The previous release stored no kid.
    await query(`update api_keys set kid = null where id = '${oldId}'`);
    const stranger = createTokens({ key: await importTokenKey(newSecret()), ttlSeconds: 600, hasEnded: () => false });
    const madeUp = { id, accountId: owner.id, authenticatedAt: Date.now() / 1000, expiresAt: Date.now() / 1000 + 600 };
    const proxy = await createTcpProxy(database.url);
    const restarted = await start({ databaseUrl: proxy.url, env: { JWT_SECRET_KEY: newSecret() } });
    try {
      await proxy.close();
      const forged = await stranger.issueKey({ ...madeUp, scopes: ['orders:read'] });
      const statuses = await Promise.all([forged, key, old].map((one) => statusAt(restarted, one)));
      expect(statuses).toEqual([401, 200, 200]);
    } finally {
      await restarted.close();
      await proxy.close();
    }
  });
});
