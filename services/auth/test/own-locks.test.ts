import { createHash, randomUUID } from 'node:crypto';
import { whileHolding } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { useAuth } from './_app.ts';
import { customersOf, type LoggedIn } from './_customers.ts';
import { keysOf } from './_keys.ts';

const { query, open, database } = useAuth();
const auth = open();
const { make, end } = keysOf(auth);
const { loggedIn, logIn, tryLogin, endSessions } = customersOf(auth);

const ofAccount = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
const ofKey = 'select from api_keys where account_id = $1 for update';
const ofLogins = 'select from login_failures where email_digest = $1 for update';

/** Counts the statements that wait for a lock. */
const blocked = async () =>
  (await query('select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$'))
    .length;

const digestOf = (email: string) => createHash('sha256').update(email.toLowerCase()).digest();

let owner: LoggedIn;
let other: LoggedIn;
let keyId: string;
beforeEach(async () => {
  [owner, other] = [await loggedIn(), await loggedIn()];
  keyId = (await make(owner)).body.id;
  // The job that announces keys would also wait for the lock.
  await until(
    'the key is announced',
    async () => (await query('select from api_keys where announced_at is null')).length === 0,
  );
  await tryLogin(owner, 'wrong').expect(401);
});

it.each<[string, string, () => unknown, () => PromiseLike<{ status: number }>]>([
  ['to make an API key', ofAccount, () => owner.id, () => make(owner)],
  ['to end an API key', ofKey, () => owner.id, () => end(owner, keyId)],
  ['to end all sessions', ofAccount, () => owner.id, () => endSessions(owner.id, owner.token)],
  ['to log in with a wrong password', ofLogins, () => digestOf(owner.email), () => tryLogin(owner, 'wrong')],
])('many requests of one account %s do not block other accounts', async (_, lock, of, ask) => {
  const { answers } = await whileHolding(database.url, lock, [of()], async () => {
    // Sent in one tick, before the requests of the other account.
    const answers = Promise.all(Array.from({ length: 40 }, async () => (await ask()).status));
    await until('one waits', async () => (await blocked()) > 0);
    await logIn(other);
    expect((await make(other)).status).toBe(201);
    expect(await blocked()).toBe(1);
    return { answers };
  });
  // Requests that waited too long answer 503.
  for (const status of await answers) expect([201, 204, 401, 429, 503]).toContain(status);
});

it('a key beyond the hundredth is refused without waiting for the lock', async () => {
  await query(`insert into api_keys (id, account_id, name, scopes, token_digest, created_at, expires_at)
    select gen_random_uuid(), '${owner.id}', 'x', '{}', '', now(), now() + interval '1 day' from generate_series(1, 99)`);
  await whileHolding(database.url, ofAccount, [owner.id], async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => make(owner)));
    for (const { status, body } of answers)
      expect([status, body.type]).toEqual([409, 'urn:problem:store:too-many-keys']);
  });
});

it('a request waits 2 s for the lock of an account that is never released', async () => {
  const since = performance.now();
  await whileHolding(database.url, ofAccount, [owner.id], async () => {
    const { headers } = await make(owner).expect(503);
    expect(headers['retry-after']).toBe('1');
    await end(owner, randomUUID()).expect(404);
  });
  // Below the statement time-out of 10 s.
  expect(performance.now() - since).toBeLessThan(8_000);
});
