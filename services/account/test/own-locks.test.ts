import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { whileHolding } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { ada, lastToken, register as registerAt, testApp } from './_app.ts';

const database = useDatabase('account');
const account = database.open((url) => testApp(url));

type Registered = Awaited<ReturnType<typeof registerAt>> & { resetToken: string; emailToken: string };
type Answer = PromiseLike<{ status: number }>;

const client = '192.0.2.1';
const register = (email: string) =>
  request(account.app)
    .post('/internal/accounts')
    .set('x-envoy-external-address', client)
    .send({ ...ada, email });
const askReset = (email: string, from: string) =>
  request(account.app).post('/internal/password-resets').set('x-envoy-external-address', from).send({ email });
const calls: Record<string, (one: Registered, from: string) => Answer> = {
  'a change of the account': ({ id }) =>
    request(account.app).patch(`/accounts/${id}`).set('id-account', id).send({ name: 'A' }),
  'a new password': ({ id }) =>
    request(account.app).put(`/internal/accounts/${id}/password`).send({ password: 'new one' }),
  'a mail about a new key': ({ id }) => request(account.app).put(`/internal/accounts/${id}/new-keys/${randomUUID()}`),
  'a request for a reset link': ({ email }, from) => askReset(email, from),
  'a password set with a reset link': ({ resetToken: token }) =>
    request(account.app).post('/internal/password-resets/confirmation').send({ token, password: 'new one' }),
  'the confirmation of the address': ({ emailToken: token }) =>
    request(account.app).post('/internal/email-confirmations').send({ token }),
  'the end of all links': ({ id }) => request(account.app).delete(`/internal/accounts/${id}/mail-requests`),
  'the deletion of the account': ({ id }) =>
    request(account.app).delete(`/accounts/${id}`).set('id-account', id).send({ password: ada.password }),
};

async function registered(): Promise<Registered> {
  const one = await registerAt(account);
  const emailToken = await lastToken(account, one.id);
  await askReset(one.email, '192.0.2.9').expect(202);
  return { ...one, emailToken, resetToken: await lastToken(account, one.id, 'PasswordResetRequested') };
}

/** Counts the statements that wait for a lock. */
async function blocked(): Promise<number> {
  const sql = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';
  return (await queryOnce(database.url, sql)).length;
}

/** Sends a request 20 times in one tick while its lock is held, then requests of others. @returns statuses of the 20 requests */
async function sendMany(lock: string, of: unknown, call: () => Answer, others: () => Promise<void>): Promise<number[]> {
  const { answers } = await whileHolding(database.url, lock, [of], async () => {
    const answers = Promise.all(Array.from({ length: 20 }, async () => (await call()).status));
    await until('four wait', async () => (await blocked()) >= 4);
    await others();
    expect(await blocked()).toBeLessThanOrEqual(4);
    return { answers };
  });
  return answers;
}

describe('requests of one account that wait for its own row hold at most four connections', () => {
  it.each(Object.entries(calls))('%s', async (_, call) => {
    const [one, other] = [await registered(), await registered()];
    const own = () => call(one, client);
    const statuses = await sendMany('select from accounts where id = $1 for update', one.id, own, async () => {
      expect((await call(other, '192.0.2.2')).status).toBeLessThan(300);
    });
    // Requests that waited too long answer 503.
    for (const status of statuses) expect([200, 202, 204, 403, 404, 503]).toContain(status);
  });

  it('a registration that waits for another one with the same address', async () => {
    const email = `${randomUUID()}@example.com`;
    const same = `insert into accounts (id, name, email, password_hash) values (gen_random_uuid(), 'Ada', $1, '')`;
    const statuses = await sendMany(
      same,
      email,
      () => register(email),
      async () => {
        await registerAt(account);
      },
    );
    for (const status of statuses) expect([201, 409, 503]).toContain(status);
  });
});
