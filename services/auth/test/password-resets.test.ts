import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { ada, fakeAccounts, type TestApp, testApp } from './_app.ts';

const database = useDatabase('auth');
const accounts = fakeAccounts();
let auth: TestApp;

beforeAll(async () => {
  auth = await testApp({ databaseUrl: database.url, accounts });
});
afterAll(() => auth.close());

let registered = 0;
async function customer() {
  registered += 1;
  const body = { ...ada, email: `ada${registered}@example.com` };
  const { body: account } = await request(auth.app).post('/auth/register').send(body).expect(201);
  return { ...body, id: account.id as string };
}
async function logIn({ email, password }: { email: string; password: string }, status = 200) {
  const { headers } = await request(auth.app).post('/auth/login').send({ email, password }).expect(status);
  return /=([^;]+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1] ?? '';
}
const check = (token: string) => request(auth.app).get('/check').set('cookie', `__store_jwt_token=${token}`);
const reset = (token: string, password: string) =>
  request(auth.app).post('/auth/password-resets/confirmation').send({ token, password });
const wrong = { ...ada, password: 'wrong horse' };

it('a password that is set anew ends all sessions, and delays of failed logins', async () => {
  const one = await customer();
  const token = await logIn(one);
  for (let n = 0; n < 10; n += 1) await logIn({ ...wrong, email: one.email }, 401);
  await logIn(one, 429);
  await check(token).expect(200);
  await reset(one.email, 'battery staple').expect(204);
  await check(token).expect(401);
  await check(await logIn({ ...one, password: 'battery staple' })).expect(200);
});

it('a token that is not valid ends no session', async () => {
  const token = await logIn(await customer());
  const { body } = await reset('unknown', 'battery staple').expect(403);
  expect(body.type).toBe('urn:problem:store:invalid-token');
  await check(token).expect(200);
});

it('a mail is asked for in the same time and with the same answer for everybody', async () => {
  const one = await customer();
  const timed = async (email: string) => {
    const began = performance.now();
    const { status, text } = await request(auth.app).post('/auth/password-resets').send({ email });
    return { status, text, ms: performance.now() - began };
  };
  for (const email of [one.email, 'nobody@example.com', 'no address at all']) {
    const { ms, ...answer } = await timed(email);
    expect(answer).toEqual({ status: 202, text: '' });
    expect(ms).toBeGreaterThan(390);
  }
});

describe('the own password, which the account service has checked', () => {
  const checkOwn = (token: string, id: string, email: string, password: string) =>
    request(auth.app)
      .post('/internal/own-password-checks')
      .set({ 'id-account': id, authorization: `Bearer ${token}` })
      .send({ email, password });

  it('counts where it is wrong, as that of a login does', async () => {
    const one = await customer();
    const token = await logIn(one);
    for (let n = 0; n < 10; n += 1) await checkOwn(token, one.id, one.email, 'wrong').expect(403);
    await checkOwn(token, one.id, one.email, one.password).expect(429);
    await logIn(one, 429);
  });

  it("is not another customer's", async () => {
    const [one, other] = [await customer(), await customer()];
    const token = await logIn(one);
    await checkOwn(token, one.id, other.email, other.password).expect(403);
    await checkOwn(token, other.id, other.email, other.password).expect(401);
  });
});

it('sessions of an account that is deleted end, and are forgotten', async () => {
  const one = await customer();
  const token = await logIn(one);
  const identity = { 'id-account': one.id, authorization: `Bearer ${token}` };
  await request(auth.app).delete('/internal/own-sessions').set(identity).expect(204);
  await check(token).expect(401);
  const again = await logIn(one);
  const listed = await request(auth.app)
    .get(`/accounts/${one.id}/sessions`)
    .set({ ...identity, authorization: `Bearer ${again}` });
  expect(listed.body).toHaveLength(1);
});
