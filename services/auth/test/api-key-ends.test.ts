import request from 'supertest';
import { until } from '../../../tests/kit/until.ts';
import { createApiKeyUses } from '../src/keys/api-key-uses.ts';
import { ada, useAuth } from './_app.ts';
import { customersOf, type LoggedIn } from './_customers.ts';
import { keysOf } from './_keys.ts';

const { query, start, open } = useAuth({ JWT_TTL_SECONDS: '600' });
const [auth, replica] = [open(), open()];
const { make, list, end } = keysOf(auth);
const { loggedIn, check } = customersOf(auth);

describe('an API key ends', () => {
  const own = (method: 'delete' | 'put', path: string, body?: object) => (owner: LoggedIn) =>
    request(auth.app)[method](path.replace('{id}', owner.id)).set(owner.headers).send(body).expect(204);

  it.each<[string, (owner: LoggedIn, id: string) => PromiseLike<unknown>]>([
    ['when its owner ends it', (owner, id) => end(owner, id).expect(204)],
    ['with all sessions', own('delete', '/auth/sessions')],
    [
      'when the password changes',
      own('put', '/accounts/{id}/password', { currentPassword: ada.password, newPassword: 'battery staple' }),
    ],
    [
      'when the password is reset',
      ({ email: token }) =>
        request(auth.app)
          .post('/auth/password-resets/confirmation')
          .send({ token, password: 'x'.repeat(9) })
          .expect(204),
    ],
    ['with its account', own('delete', '/internal/own-sessions')],
  ])('%s: at once, within a second at another replica, and permanently, also after a restart', async (_, by) => {
    const owner = await loggedIn();
    const { id, key } = (await make(owner)).body;
    expect(await Promise.all([auth, replica].map((app) => customersOf(app).check(key)))).toEqual([200, 200]);
    await by(owner, id);
    expect(await check(key)).toBe(401);
    const { body: changes } = await request(auth.app).get(`/internal/audit?subject=${id}`).expect(200);
    const before = { accountId: owner.id, scopes: ['orders:read'] };
    expect(changes).toMatchObject([{ actor: `account ${owner.id}`, kind: 'key', before, after: null }, {}]);
    const isRefused = async () => (await customersOf(replica).check(key)) === 401;
    await until('the other replica refuses it', isRefused, { timeoutMs: 1_000 });
    const restarted = await start();
    expect(await customersOf(restarted).check(key).finally(restarted.close)).toBe(401);
    // The entry that ends it must last until its token expires, which is later than a session would.
    const lasts = await query(`select max(expires_at) > now() + interval '89 days' as lasts from (
      select expires_at from ended_sessions where id = '${id}'
      union all select expires_at from session_cutoffs where account_id = '${owner.id}') as entries`);
    expect(lasts).toEqual([{ lasts: true }]);
  });

  it('and is deleted with its account', async () => {
    const owner = await loggedIn();
    await make(owner).expect(201);
    await own('delete', '/internal/own-sessions')(owner);
    expect(await query(`select from api_keys where account_id = '${owner.id}'`)).toEqual([]);
  });
});

describe('the last use of an API key', () => {
  it('is listed as the start of its hour', async () => {
    const owner = await loggedIn();
    const { key } = (await make(owner)).body;
    const before = new Date();
    for (let n = 0; n < 3; n += 1) await check(key);
    await until('it is stored', async () => (await list(owner))[0].lastUsedAt !== null);
    const [{ lastUsedAt }] = await list(owner);
    expect(lastUsedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00.000Z$/);
    expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(before.setMinutes(0, 0, 0));
  });

  it('is written once an hour per key, and survives a failed write', async () => {
    let [now, isAway] = [0, false];
    const written: string[][] = [];
    const uses = createApiKeyUses(
      async (ids) => {
        if (isAway) throw new Error('away');
        written.push(ids);
      },
      () => now,
    );
    const use = async (...ids: string[]) => {
      for (const id of ids) uses.note(id);
      await uses.flush().catch(() => undefined);
    };
    await use('a', 'b', 'a');
    await use('a');
    isAway = true;
    await use('c');
    isAway = false;
    await use('a', 'c');
    now = 3_600_000;
    await use('a');
    expect(written).toEqual([['a', 'b'], ['c'], ['a']]);
  });
});
