import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { ada, ended, lastRequest, lastToken, register as registerAt, testApp } from './_app.ts';

const account = useDatabase('account').open(testApp);

const register = (more = {}) => registerAt(account, more);
const askReset = (email: string) => request(account.app).post('/internal/password-resets').send({ email });
const reset = (token: string, password: string) =>
  request(account.app).post('/internal/password-resets/confirmation').send({ token, password });
const confirm = (token: string) => request(account.app).post('/internal/email-confirmations').send({ token });
const logIn = (email: string, password: string) =>
  request(account.app).post('/internal/password-checks').send({ email, password });
const mail = (id: string, body: object) => request(account.app).post(`/internal/accounts/${id}/mail`).send(body);
const patch = (id: string, body: object) =>
  request(account.app).patch(`/accounts/${id}`).set('id-account', id).send(body);
const setPassword = (id: string, password: string) =>
  request(account.app).put(`/internal/accounts/${id}/password`).send({ password });
async function changeEmail(id: string, email: string) {
  await patch(id, { email, currentPassword: ada.password }).expect(200);
  await confirm(await lastToken(account, id)).expect(204);
}
const isConfirmed = async (id: string) =>
  (await request(account.app).get(`/internal/accounts/${id}/confirmation`)).body.isConfirmed;
const remove = (id: string, password: string, callerId = id) =>
  request(account.app).delete(`/accounts/${id}`).set('id-account', callerId).send({ password });
/** Makes the mail requests of an account this many milliseconds old. */
const age = (accountId: string, ms: number) =>
  account.prisma.mailRequest.updateMany({ where: { accountId }, data: { createdAt: new Date(Date.now() - ms) } });
const eventsOf = async (id: string) =>
  (await account.prisma.outbox.findMany({ where: { key: id }, orderBy: { seq: 'asc' } })).map(({ kind }) => kind);
async function confirmed(more = {}) {
  const one = await register(more);
  await confirm(await lastToken(account, one.id)).expect(204);
  return one;
}
/** An account that has requested a password reset, and the token in the mail. */
async function forgetful() {
  const one = await register();
  await askReset(one.email.toUpperCase()).expect(202);
  return { ...one, token: await lastToken(account, one.id) };
}

describe('a forgotten password', () => {
  it('can be reset once with the token of the mail', async () => {
    const { id, email, token } = await forgetful();
    expect((await reset(token, 'battery staple').expect(200)).body).toMatchObject({ id, email, isUsed: false });
    await logIn(email, ada.password).expect(401);
    expect((await reset(token, 'another one').expect(200)).body).toMatchObject({ id, isUsed: true });
    await logIn(email, 'battery staple').expect(200);
    expect(await eventsOf(id)).toEqual(['AccountRegistered', 'PasswordResetRequested', 'PasswordChanged']);
  });

  it('is reset by only one of many concurrent uses of the token', async () => {
    const { token } = await forgetful();
    const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => reset(token, `password ${n}`)));
    const hasSet = ({ status, body }: (typeof answers)[0]) => status === 200 && !body.isUsed;
    expect(answers.filter(hasSet)).toHaveLength(1);
  });

  it('gets the same answer if no account has the address, but no mail', async () => {
    const events = await account.prisma.outbox.count();
    const { email } = await register();
    const [known, unknown] = [await askReset(email), await askReset('nobody@example.com')];
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    expect(await account.prisma.outbox.count()).toBe(events + 2); // of the registration and of the reset for the known address
  });

  type Account = Awaited<ReturnType<typeof register>>;
  it.each<[string, (account: Account) => unknown]>([
    ['the mail is sent a second time', ({ id }) => lastToken(account, id)],
    ['the password is changed', ({ id }) => setPassword(id, 'new one').expect(204)],
    ['half an hour is over', ({ id }) => age(id, 31 * 60_000)],
    ['the e-mail address is changed', ({ id }) => changeEmail(id, `new-${id}@example.com`)],
    ['the account is deleted', ({ id }) => remove(id, ada.password).expect(204)],
  ])('cannot be reset with a link once %s', async (_, what) => {
    const one = await forgetful();
    await what(one);
    await reset(one.token, 'battery staple').expect(403);
    await logIn(one.email, 'battery staple').expect(401);
  });

  it('cannot be reset with a link that confirms an address, and a reset link confirms no address', async () => {
    const { id, email } = await register();
    await reset(await lastToken(account, id), 'battery staple').expect(403);
    await askReset(email);
    await confirm(await lastToken(account, id)).expect(403);
    expect(await isConfirmed(id)).toBe(false);
  });

  it('is reset only for the account that requested the link', async () => {
    const [one, other] = [await forgetful(), await forgetful()];
    await reset(one.token, 'battery staple').expect(200);
    await logIn(other.email, 'battery staple').expect(401);
    await logIn(other.email, ada.password).expect(200);
    await reset(other.token, 'staple battery').expect(200);
    await logIn(one.email, 'battery staple').expect(200);
  });

  it('causes at most five mails at once, without a different answer afterwards', async () => {
    const { id, email } = await register();
    for (let n = 0; n < 7; n += 1) await askReset(email).expect(202);
    expect((await eventsOf(id)).filter((kind) => kind === 'PasswordResetRequested')).toHaveLength(5);
  });

  it('leaves no token in events, requests and logs, and no address in events and logs', async () => {
    const { id, email, token } = await forgetful();
    const events = (await account.prisma.outbox.findMany({ where: { key: id } })).map(({ payload }) => payload);
    const requests = await account.prisma.mailRequest.findMany({ where: { accountId: id } });
    expect(JSON.stringify(events)).not.toContain(email);
    expect(JSON.stringify([events, requests])).not.toContain(token);
    expect(account.logged.join()).not.toMatch(new RegExp(`${token}|${email}`));
  });
});

describe('an e-mail address', () => {
  it('is confirmed by the token of the first mail, which may be used repeatedly', async () => {
    const { id } = await register();
    expect(await isConfirmed(id)).toBe(false);
    const token = await lastToken(account, id);
    await confirm(token).expect(204);
    await confirm(token).expect(204);
    expect(await isConfirmed(id)).toBe(true);
    expect(await eventsOf(id)).toEqual(['AccountRegistered']);
  });

  it('can get another mail to confirm it until it is confirmed', async () => {
    const { id, email } = await register();
    const first = await lastToken(account, id);
    await patch(id, { email, currentPassword: ada.password }).expect(200);
    await confirm(first).expect(403);
    await confirm(await lastToken(account, id)).expect(204);
    expect(await isConfirmed(id)).toBe(true);
    await patch(id, { email, currentPassword: ada.password }).expect(200);
    expect(await eventsOf(id)).toEqual(['AccountRegistered', 'EmailChangeRequested']);
  });

  it('is changed by the token of the mail to the new address, and the old address is notified', async () => {
    const { id, email } = await confirmed();
    const next = `b${id}@example.com`;
    expect((await patch(id, { email: next, currentPassword: ada.password }).expect(200)).body.email).toBe(email);
    const requestId = await lastRequest(account, id);
    expect((await mail(id, { requestId })).body).toEqual({ locale: 'en', email: next, token: expect.any(String) });
    await mail(id, { requestId, isFormer: true }).expect(404);
    await confirm(await lastToken(account, id)).expect(204);
    await logIn(next, ada.password).expect(200);
    await logIn(email, ada.password).expect(401);
    expect(await eventsOf(id)).toEqual([
      'AccountRegistered',
      'EmailChangePending',
      'EmailChangeRequested',
      'EmailChanged',
    ]);
    expect((await mail(id, { requestId, isFormer: true })).body).toEqual({ locale: 'en', email });
  });

  it('cannot be changed without the password or too often', async () => {
    const { id } = await register();
    const email = `b${id}@example.com`;
    await patch(id, { email }).expect(400);
    await patch(id, { email, currentPassword: 'wrong' }).expect(403);
    for (let n = 0; n < 4; n += 1) await patch(id, { email, currentPassword: ada.password }).expect(200);
    await patch(id, { email, currentPassword: ada.password }).expect(429);
  });

  it('can be requested even if another account has it, without a different answer', async () => {
    const [one, other] = [await register(), await register()];
    const asked = async (email: string) => {
      const { status, body } = await patch(one.id, { email, currentPassword: ada.password });
      return { status, body };
    };
    expect(await asked(other.email)).toEqual(await asked(`free-${other.email}`));
  });

  it('does not change if another account has taken the new address', async () => {
    const { id, email } = await register();
    await patch(id, { email: `taken${id}@example.com`, currentPassword: ada.password }).expect(200);
    const token = await lastToken(account, id);
    await register({ email: `Taken${id}@example.com` });
    await confirm(token).expect(409);
    await logIn(email, ada.password).expect(200);
  });
});

describe('a deleted account', () => {
  it('is deleted with its mail requests and sessions, and its address can be registered again', async () => {
    const { id, email } = await register();
    await askReset(email);
    const requestId = await lastRequest(account, id);
    await remove(id, 'wrong').expect(403);
    await remove(id, ada.password).expect(204);
    expect(ended).toContain(id);
    await remove(id, ada.password).expect(404);
    await logIn(email, ada.password).expect(401);
    await mail(id, {}).expect(404);
    await mail(id, { requestId }).expect(404);
    expect(await account.prisma.mailRequest.count({ where: { accountId: id } })).toBe(0);
    expect((await eventsOf(id)).at(-1)).toBe('AccountDeleted');
    await register({ email });
  });

  it('can be deleted only by its owner', async () => {
    const [one, other] = [await register(), await register()];
    await remove(one.id, ada.password, other.id).expect(404);
    await logIn(one.email, ada.password).expect(200);
  });
});

describe('mails', () => {
  it('go only to a confirmed address, except for links that confirm it, and those omit the name', async () => {
    const { id, email } = await register({ name: 'Your account is locked' });
    const link = { locale: 'en', email, token: expect.any(String) };
    await mail(id, {}).expect(404);
    expect((await mail(id, { requestId: await lastRequest(account, id) })).body).toEqual(link);
    await askReset(email).expect(202);
    expect((await mail(id, { requestId: await lastRequest(account, id) })).body).toEqual(link);
    await mail(id, {}).expect(404);
    await reset(await lastToken(account, id), 'battery staple').expect(200);
    expect((await mail(id, {})).body).toEqual({ name: 'Your account is locked', locale: 'en', email });
  });

  it('do not go to a former address that was never confirmed', async () => {
    const { id } = await register();
    await changeEmail(id, `b${id}@example.com`);
    await mail(id, { requestId: await lastRequest(account, id), isFormer: true }).expect(404);
  });

  it('still go to accounts of release 0.1, which were never asked to confirm, without the name', async () => {
    const { id, email } = await register();
    await account.prisma.account.update({ where: { id }, data: { askedToConfirm: false } });
    expect((await mail(id, {})).body).toEqual({ locale: 'en', email });
    await changeEmail(id, `b${id}@example.com`);
    const requestId = await lastRequest(account, id);
    expect((await mail(id, { requestId, isFormer: true })).body).toEqual({ locale: 'en', email });
  });

  it('use the language of the registration until it is changed', async () => {
    const { id } = await confirmed({ locale: 'pt' });
    expect((await mail(id, {})).body).toMatchObject({ locale: 'pt' });
    expect((await patch(id, { locale: 'en' }).expect(200)).body).toMatchObject({ locale: 'en' });
    expect((await mail(id, {})).body).toMatchObject({ locale: 'en' });
    await patch(id, { locale: 'xx' }).expect(400);
  });

  it('have requests that are deleted after a day', async () => {
    const { id } = await register();
    await age(id, 90_000_000);
    await account.forget();
    expect(await account.prisma.mailRequest.count({ where: { accountId: id } })).toBe(0);
  });
});
