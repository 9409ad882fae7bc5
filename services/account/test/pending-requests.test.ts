import { randomUUID } from 'node:crypto';
import { unavailable } from '@store/shared/values/errors';
import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import type { AuthClient } from '../src/auth-client.ts';
import { ada, fakeAuth, lastRequest, lastToken, register as registerAt, testApp } from './_app.ts';

const database = useDatabase('account');
const account = database.open((url) => testApp(url));

type App = Pick<typeof account, 'app'>;
const register = (more = {}) => registerAt(account, more);
const patch = (id: string, body: object, { app }: App = account) =>
  request(app).patch(`/accounts/${id}`).set('id-account', id).send(body);
const askReset = (email: string, client = '192.0.2.1') =>
  request(account.app).post('/internal/password-resets').set('x-envoy-external-address', client).send({ email });
const reset = (token: string, password = 'battery staple') =>
  request(account.app).post('/internal/password-resets/confirmation').send({ token, password });
const confirm = (token: string) => request(account.app).post('/internal/email-confirmations').send({ token });
const logIn = (email: string, password: string = ada.password) =>
  request(account.app).post('/internal/password-checks').send({ email, password });
const setPassword = (id: string, password: string) =>
  request(account.app).put(`/internal/accounts/${id}/password`).send({ password });
/** Does what auth does when a customer logs out everywhere. */
const endRequests = (id: string) => request(account.app).delete(`/internal/accounts/${id}/mail-requests`);
const remove = (id: string, { app }: App = account) =>
  request(app).delete(`/accounts/${id}`).set('id-account', id).send({ password: ada.password });
const mail = (id: string, body: object) => request(account.app).post(`/internal/accounts/${id}/mail`).send(body);
const eventsOf = async (id: string) =>
  (await account.prisma.outbox.findMany({ where: { key: id }, orderBy: { seq: 'asc' } })).map(({ kind }) => kind);
const countEvents = async (id: string, kind: string) => (await eventsOf(id)).filter((one) => one === kind).length;
/** Starts another replica with its own fake of auth. */
const withAuth = async (auth: Partial<AuthClient>) =>
  database.closeLater(await testApp(database.url, { auth: { ...fakeAuth, ...auth } }));

/** An account whose password an attacker knows and has used to request a change to their own address; `token` is of their link. */
async function attacked() {
  const one = await register();
  await confirm(await lastToken(account, one.id)).expect(204);
  const theirs = `attacker-${one.email}`;
  await patch(one.id, { email: theirs, currentPassword: ada.password }).expect(200);
  return { ...one, theirs, token: await lastToken(account, one.id) };
}
type Attacked = Awaited<ReturnType<typeof attacked>>;
async function resetOf({ id, email }: Pick<Attacked, 'id' | 'email'>, client?: string) {
  await askReset(email, client).expect(202);
  return lastToken(account, id);
}

/** Expects this many successes, or fewer where requests are 503, which waited 2 s for their turn on a busy machine. Others are 429. */
function expectMost(count: number, success: number, answers: { status: number }[]): void {
  const statuses = answers.map(({ status }) => status);
  const [succeeded, waited] = [success, 503].map((status) => statuses.filter((one) => one === status).length);
  expect(succeeded).toBeLessThanOrEqual(count);
  expect(Number(succeeded) + Number(waited)).toBeGreaterThanOrEqual(count);
  for (const status of statuses) expect([success, 429, 503]).toContain(status);
}

describe('a pending change of the e-mail address', () => {
  it.each<[string, (one: Attacked) => Promise<unknown>]>([
    ['a change of the password', async ({ id }) => setPassword(id, 'battery staple').expect(204)],
    ['a reset', async (one) => reset(await resetOf(one)).expect(200)],
    ['a logout everywhere', async ({ id }) => endRequests(id).expect(204)],
    [
      'its cancellation link',
      async ({ id }) => confirm(await lastToken(account, id, 'EmailChangePending')).expect(204),
    ],
  ])('ends with %s', async (_, what) => {
    const one = await attacked();
    await what(one);
    await confirm(one.token).expect(403);
    await logIn(one.theirs).expect(401);
    const stored = await account.prisma.account.findUniqueOrThrow({ where: { id: one.id } });
    expect(stored.email).toBe(one.email);
  });

  it('is announced to the current address at once, with a reusable link that cancels all pending changes', async () => {
    const { id, email, token } = await attacked();
    expect(await eventsOf(id)).toEqual(['AccountRegistered', 'EmailChangePending', 'EmailChangeRequested']);
    const notice = await lastRequest(account, id, 'EmailChangePending');
    expect((await mail(id, { requestId: notice })).body).toMatchObject({ email, token: expect.any(String) });
    const cancelling = await lastToken(account, id, 'EmailChangePending');
    await patch(id, { email: `second-${email}`, currentPassword: ada.password }).expect(200);
    const second = await lastToken(account, id);
    for (let times = 0; times < 2; times += 1) await confirm(cancelling).expect(204);
    for (const one of [token, second]) await confirm(one).expect(403);
    await reset(cancelling).expect(403);
    expect((await logIn(email).expect(200)).body.email).toBe(email);
  });

  it('cannot be cancelled by a link to the former address once an earlier change is confirmed', async () => {
    const { id, theirs, token } = await attacked();
    const cancelling = await lastToken(account, id, 'EmailChangePending');
    await confirm(token).expect(204);
    await patch(id, { email: `third-${theirs}`, currentPassword: ada.password }).expect(200);
    const next = await lastToken(account, id);
    await confirm(cancelling).expect(403);
    await confirm(next).expect(204);
  });

  it('does not begin if the password changes after it was checked', async () => {
    const { id, email } = await register();
    const slow = await withAuth({ checkPassword: async () => void (await setPassword(id, 'new one').expect(204)) });
    const { body } = await patch(id, { email: `b-${email}`, currentPassword: ada.password }, slow).expect(403);
    expect(body.type).toBe('urn:problem:store:wrong-password');
    expect(await countEvents(id, 'EmailChangeRequested')).toBe(0);
  });

  it('can be requested five times an hour, even with concurrent requests', async () => {
    const { id, email } = await register();
    // The request of the registration counts too, so it is moved out of the hour.
    await account.prisma.mailRequest.updateMany({ where: { accountId: id }, data: { createdAt: new Date(0) } });
    const change = (n: number) => patch(id, { email: `${n}-${email}`, currentPassword: ada.password });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => change(n)));
    expectMost(5, 200, answers);
    expect(await countEvents(id, 'EmailChangeRequested')).toBe(5);
  });
});

describe('links to reset the password', () => {
  it('stay valid while others are requested, until one of them is used', async () => {
    const one = await register();
    const [own, ...others] = [await resetOf(one, '192.0.2.2'), await resetOf(one), await resetOf(one)];
    await reset(own ?? '').expect(200);
    for (const other of others) await reset(other, 'another one').expect(403);
    await logIn(one.email, 'battery staple').expect(200);
  });

  it('set only one password if several are requested and used at once', async () => {
    const one = await register();
    await Promise.all(Array.from({ length: 4 }, () => askReset(one.email).expect(202)));
    const events = await account.prisma.outbox.findMany({ where: { key: one.id, kind: 'PasswordResetRequested' } });
    const mails = await Promise.all(
      events.map(({ payload }) => mail(one.id, { requestId: JSON.parse(payload).requestId })),
    );
    const links = mails.map(({ body }) => body.token);
    const answers = await Promise.all(links.map((link, n) => reset(link, `password ${n}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
    expect(await countEvents(one.id, 'PasswordChanged')).toBe(1);
  });

  it('do not reveal, once used, whether a guess is the current password', async () => {
    const one = await register();
    const link = await resetOf(one);
    await reset(link).expect(200);
    const [right, wrong] = [await reset(link), await reset(link, 'a wrong guess')];
    expect([right.status, right.body]).toEqual([wrong.status, wrong.body]);
  });

  it('can be requested twenty times an hour from a client address, even with concurrent requests', async () => {
    const client = '192.0.2.20';
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => askReset(`nobody-${n}@example.com`, client)),
    );
    expectMost(20, 202, answers);
  });

  it('are sent at once to another client address, even after many requests from a stranger', async () => {
    const one = await register();
    for (let n = 0; n < 15; n += 1) await askReset(one.email, '192.0.2.66').expect(202);
    const before = await countEvents(one.id, 'PasswordResetRequested');
    expect(before).toBe(5);
    await reset(await resetOf(one, '192.0.2.67')).expect(200);
    expect(await countEvents(one.id, 'PasswordResetRequested')).toBe(before + 1);
  });

  it('are delayed after many requests, and one mail answers all requests made in the meantime', async () => {
    const one = await register();
    await Promise.all(Array.from({ length: 15 }, () => askReset(one.email, '192.0.2.68').expect(202)));
    const sent = () => countEvents(one.id, 'PasswordResetRequested');
    expect(await sent()).toBe(5);
    await account.announceDue();
    expect(await sent()).toBe(5);
    await account.prisma.mailRequest.updateMany({
      where: { accountId: one.id, dueAt: { not: null } },
      data: { dueAt: new Date(), createdAt: new Date(Date.now() - 40 * 60_000) },
    });
    await until('it is due', async () => {
      await account.announceDue();
      return (await sent()) === 6;
    });
    // The lifetime of the link begins when the mail is sent.
    await reset(await lastToken(account, one.id)).expect(200);
    await account.announceDue();
    expect(await sent()).toBe(6);
  });

  it('are also delayed after many requests from many client addresses', async () => {
    const one = await register();
    for (let n = 0; n < 25; n += 1) await askReset(one.email, `198.51.100.${n}`).expect(202);
    expect(await countEvents(one.id, 'PasswordResetRequested')).toBe(20);
    expect(await account.prisma.mailRequest.count({ where: { accountId: one.id, dueAt: { not: null } } })).toBe(1);
  });

  it('that are delayed are not sent once the password is changed', async () => {
    const one = await register();
    for (let n = 0; n < 6; n += 1) await askReset(one.email, '192.0.2.69').expect(202);
    await setPassword(one.id, 'battery staple').expect(204);
    await account.prisma.mailRequest.updateMany({ where: { accountId: one.id }, data: { dueAt: new Date(0) } });
    await account.announceDue();
    expect(await countEvents(one.id, 'PasswordResetRequested')).toBe(5);
  });
});

describe('a new API key', () => {
  it('is announced to its account once, even if auth repeats the call', async () => {
    const { id } = await register();
    const keyId = randomUUID();
    const announce = () => request(account.app).put(`/internal/accounts/${id}/new-keys/${keyId}`);
    const answers = await Promise.all([announce(), announce(), announce()]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await countEvents(id, 'ApiKeyMade')).toBe(1);
    const gone = `/internal/accounts/${randomUUID()}/new-keys/${keyId}`;
    await request(account.app).put(gone).expect(404);
  });
});

describe('an account that is being deleted', () => {
  it('begins no session, since the session would outlive it', async () => {
    const { id, email } = await register();
    const meanwhile: number[] = [];
    const slow = await withAuth({
      async endSessions() {
        meanwhile.push((await logIn(email)).status, (await logIn(email, 'wrong')).status);
        meanwhile.push((await request(account.app).get(`/internal/accounts/${id}`)).status);
      },
    });
    await remove(id, slow).expect(204);
    expect(meanwhile).toEqual([503, 401, 404]);
    await logIn(email).expect(401);
  });

  it('is available again half a minute after a deletion that failed', async () => {
    const { id, email } = await register();
    const broken = await withAuth({ endSessions: () => Promise.reject(unavailable('The auth service')) });
    await remove(id, broken).expect(503);
    const { headers } = await logIn(email).expect(503);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await account.prisma.account.update({ where: { id }, data: { closingAt: new Date(Date.now() - 31_000) } });
    await logIn(email).expect(200);
    await remove(id).expect(204);
  });

  it('is not deleted if its sessions ended too long ago', async () => {
    const { id, email } = await register();
    const late = await withAuth({
      endSessions: async () =>
        void (await account.prisma.account.update({
          where: { id },
          data: { closingAt: new Date(Date.now() - 16_000) },
        })),
    });
    await remove(id, late).expect(503);
    expect((await eventsOf(id)).includes('AccountDeleted')).toBe(false);
    expect((await account.prisma.account.findUniqueOrThrow({ where: { id } })).email).toBe(email);
  });
});
