import request from 'supertest';
import { ada, useAuth } from './_app.ts';
import { type Customer, customersOf, identityOf, type LoggedIn, tokenIn } from './_customers.ts';

const { accounts, query, start, open } = useAuth();
const auth = open();
const { register, loggedIn, tryLogin, logIn, check } = customersOf(auth);

const replacement = 'battery staple';
const statusOfLogin = async (customer: Customer, password: string) => (await tryLogin(customer, password)).status;

const change = ({ id, headers }: LoggedIn, currentPassword: string, newPassword = replacement, path = id) =>
  request(auth.app).put(`/accounts/${path}/password`).set(headers).send({ currentPassword, newPassword });

const checkOwn = ({ headers }: LoggedIn, { email }: Customer, password = ada.password) =>
  request(auth.app).post('/internal/own-password-checks').set(headers).send({ email, password });

it('guesses in logins, in password changes (two each) and in checks of the own password count together', async () => {
  const customer = await loggedIn();
  for (let n = 0; n < 2; n += 1) await change(customer, `guess ${n}`, `another guess ${n}`).expect(403);
  for (let n = 0; n < 4; n += 1) await checkOwn(customer, customer, `guess ${n}`).expect(403);
  for (let n = 0; n < 2; n += 1) await tryLogin(customer, 'wrong').expect(401);
  await change(customer, ada.password).expect(429);
  await checkOwn(customer, customer).expect(429);
  await tryLogin(customer, ada.password).expect(429);
});

it("the check of the own password refuses another customer's address or token", async () => {
  const [customer, other] = [await loggedIn(), await register()];
  await checkOwn(customer, other).expect(403);
  await checkOwn({ ...customer, headers: identityOf(other.id, customer.token) }, other).expect(401);
});

describe('PUT /accounts/{id}/password', () => {
  it('replaces the password, ends all sessions and begins a new one', async () => {
    const customer = await loggedIn();
    const phone = await logIn(customer);
    const changed = await change(customer, ada.password).expect(204);
    expect(changed.headers['cache-control']).toBe('no-store');
    const renewed = tokenIn(changed);
    expect(await Promise.all([customer.token, phone, renewed].map(check))).toEqual([401, 401, 200]);
    const sessions = request(auth.app).get(`/accounts/${customer.id}/sessions`).set(identityOf(customer.id, renewed));
    expect((await sessions).body).toMatchObject([{ current: true }]);
    expect(await statusOfLogin(customer, ada.password)).toBe(401);
    expect(await statusOfLogin(customer, replacement)).toBe(200);
    expect(auth.logged.join()).not.toMatch(new RegExp(`${ada.password.trim()}|${replacement}`));
  });

  it('ends the other sessions when it is repeated after a lost answer', async () => {
    const customer = await loggedIn();
    const phone = await logIn(customer);
    // As if auth had been killed after the account service answered.
    await accounts.setPassword(customer.id, replacement);
    await change(customer, ada.password).expect(204);
    expect(await check(phone)).toBe(401);
  });

  it.each([
    ['a wrong current password', 'wrong horse', replacement, 403, 'urn:problem:store:wrong-password'],
    ['a new password that the account service refuses', ada.password, 'short', 400, 'urn:problem:store:validation'],
  ])('changes nothing with %s', async (_, current, next, status, type) => {
    const customer = await loggedIn();
    expect(await change(customer, current, next)).toMatchObject({ status, body: { type } });
    expect([await check(customer.token), await statusOfLogin(customer, ada.password)]).toEqual([200, 200]);
  });

  it('begins no session for an account that is being deleted, since the session would outlive it', async () => {
    const customer = await loggedIn();
    let isClosing = false;
    const closing = await start({
      accounts: {
        ...accounts,
        find: async (id) => (isClosing ? undefined : accounts.find(id)),
        async setPassword(id, password) {
          await accounts.setPassword(id, password);
          isClosing = true;
        },
      },
    });
    const path = `/accounts/${customer.id}/password`;
    const body = { currentPassword: ada.password, newPassword: replacement };
    const answer = await request(closing.app).put(path).set(customer.headers).send(body).expect(404);
    await closing.close();
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(
      await query(`select from sessions where account_id = '${customer.id}' and began_at > (
      select ended_at from session_cutoffs where account_id = '${customer.id}')`),
    ).toEqual([]);
  });

  it('answers 404 for the account of another customer, and 401 without the token', async () => {
    const [customer, other] = [await loggedIn(), await register()];
    await change(customer, ada.password, replacement, other.id).expect(404);
    await change({ ...customer, headers: identityOf(customer.id, 'a.b.c') }, ada.password).expect(401);
    expect(await statusOfLogin(other, ada.password)).toBe(200);
  });
});

describe('POST /auth/password-resets', () => {
  // The token is the e-mail address.
  const reset = (token: string, password = replacement) =>
    request(auth.app).post('/auth/password-resets/confirmation').send({ token, password });

  it('ends all sessions and the delay after failed logins once the password is reset', async () => {
    const customer = await loggedIn();
    for (let n = 0; n < 10; n += 1) await tryLogin(customer, 'wrong horse').expect(401);
    await tryLogin(customer, ada.password).expect(429);
    expect(await check(customer.token)).toBe(200);
    await reset(customer.email).expect(204);
    expect(await check(customer.token)).toBe(401);
    expect(await check(await logIn({ ...customer, password: replacement }))).toBe(200);
  });

  it('gives the same answer for every password once its link is used, and ends sessions that the first use left', async () => {
    const customer = await loggedIn();
    await accounts.resetPassword(customer.email, replacement); // as if auth had been killed after this call
    expect(await check(customer.token)).toBe(200);
    const guesses = [await reset(customer.email), await reset(customer.email, 'a wrong guess')];
    const [right, wrong] = guesses.map(({ status, body }) => ({ status, body }));
    expect(right).toMatchObject({ status: 403, body: { type: 'urn:problem:store:invalid-token' } });
    expect(right).toEqual(wrong);
    expect(await check(customer.token)).toBe(401);
    expect(await statusOfLogin(customer, replacement)).toBe(200);
  });

  it('ends no session for an invalid token', async () => {
    const { token } = await loggedIn();
    const { body } = await reset('unknown').expect(403);
    expect(body.type).toBe('urn:problem:store:invalid-token');
    expect(await check(token)).toBe(200);
  });

  it('takes as long and answers the same whether or not an account has the address', async () => {
    const { email } = await register();
    for (const address of [email, 'nobody@example.com', 'no address at all']) {
      const began = performance.now();
      const { status, text } = await request(auth.app).post('/auth/password-resets').send({ email: address });
      expect({ status, text }).toEqual({ status: 202, text: '' });
      expect(performance.now() - began).toBeGreaterThan(390);
    }
  });
});
