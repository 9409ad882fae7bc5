import { parseSetCookie } from 'cookie';
import request from 'supertest';
import { withShortTitles } from '../../../tests/kit/cases.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { type AccountClient, createAccountClient } from '../src/account-client.ts';
import { ada, fakeAccounts, testApp } from './_app.ts';

let accounts: ReturnType<typeof fakeAccounts>;
const database = useDatabase('auth');
const auth = database.open((databaseUrl) => {
  accounts = fakeAccounts();
  return testApp({ databaseUrl, accounts });
}, 'each');

const post = (path: string, body: unknown, { app } = auth) =>
  request(app)
    .post(path)
    .send(body as object);
const cookieOf = ({ headers }: { headers: Record<string, unknown> }) => {
  const [header, ...others] = headers['set-cookie'] as string[];
  expect(others).toEqual([]);
  return parseSetCookie(header ?? '');
};

describe('POST /auth/register', () => {
  it('returns the account with Location and sets no cookie', async () => {
    const { body, headers } = await post('/auth/register', { ...ada, role: 'admin' }).expect(201);
    expect(headers.location).toBe(`/accounts/${body.id}`);
    expect(Object.keys(body)).toEqual(['id', 'name', 'email', 'locale', 'createdAt']);
    expect(headers).not.toHaveProperty('set-cookie');
    expect(accounts.calls).toEqual([{ register: ada }]);
    expect((await post('/auth/register', ada).expect(409)).body.type).toBe('urn:problem:store:email-taken');
  });

  it('returns 400 naming every invalid field without calling the account service', async () => {
    const { body } = await post('/auth/register', { name: ' ', email: 'ada', password: 'x'.repeat(129) }).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['body.name', 'body.email', 'body.password']);
    expect(accounts.calls).toEqual([]);
  });
});

describe('POST /auth/login', () => {
  it('returns the account and a cookie that passes the token check', async () => {
    const { body: account } = await post('/auth/register', ada);
    const response = await post('/auth/login', ada).expect(200);
    expect(response.body).toEqual(account);
    expect(response.headers['cache-control']).toBe('no-store');
    const { value, maxAge } = cookieOf(response);
    expect(maxAge).toBe(86_400);
    const { headers } = await request(auth.app).get('/check').set('Cookie', `__store_jwt_token=${value}`).expect(200);
    expect(headers['id-account']).toBe(account.id);
    expect(cookieOf(await post('/auth/login', ada)).value).not.toBe(value);
  });

  it.each<[object, string | undefined, object]>([
    [
      { COOKIE_SECURE: 'true', COOKIE_SAME_SITE: 'Strict' },
      'http',
      { httpOnly: true, secure: true, sameSite: 'strict' },
    ],
    [{ COOKIE_SECURE: 'false', JWT_HTTP_ONLY: 'false' }, 'https', { sameSite: 'lax' }],
    [{}, 'https', { httpOnly: true, secure: true, sameSite: 'lax' }],
    [{}, 'http', { httpOnly: true, sameSite: 'lax' }],
    [{}, undefined, { httpOnly: true, sameSite: 'lax' }],
  ])('sets the configured cookie attributes, as does the logout: %s', async (env, proto, attributes) => {
    await post('/auth/register', ada);
    const configured = await testApp({ databaseUrl: database.url, accounts, env: { ...env } });
    const came: Record<string, string> = proto ? { 'X-Forwarded-Proto': proto } : {};
    const login = await post('/auth/login', ada, configured).set(came).expect(200);
    const expected = { name: '__store_jwt_token', path: '/', ...attributes };
    const { value: _, maxAge, ...set } = cookieOf(login);
    expect(set).toEqual(expected);
    for (const cookie of ['other=1', '__store_jwt_token=a.b.c']) {
      const logout = await request(configured.app)
        .get('/auth/logout')
        .set({ cookie, ...came })
        .expect(200);
      expect([logout.text, logout.headers['cache-control']]).toEqual(['', 'no-store']);
      expect(cookieOf(logout)).toEqual({ ...expected, value: '', expires: new Date(0), maxAge: 0 });
    }
    await configured.close();
  });

  it('returns the same 401 for a wrong password and an unknown e-mail, and sets no cookie', async () => {
    await post('/auth/register', ada);
    const wrong = await post('/auth/login', { ...ada, password: 'x' }).expect(401);
    expect(wrong.headers['www-authenticate']).toBe('Cookie realm="store", cookie-name="__store_jwt_token"');
    const unknown = await post('/auth/login', { ...ada, email: 'nobody@example.com' }).expect(401);
    expect(wrong.body).toEqual(unknown.body);
    for (const { headers } of [wrong, unknown]) expect(headers).not.toHaveProperty('set-cookie');
  });

  it.each([
    ['no body', undefined],
    ['an array', []],
    ['no password', { email: ada.email }],
    ['an empty password', { email: ada.email, password: '' }],
    ['a number as password', { email: ada.email, password: 12345678 }],
    ['an array as password', { email: ada.email, password: ['password'] }],
    ['an object as e-mail', { email: { contains: '@' }, password: ada.password }],
    ['a NUL character in the e-mail', { email: 'a\0@example.com', password: ada.password }],
    ['fields in __proto__', JSON.parse('{"__proto__": {"email": "ada@example.com", "password": "x"}}')],
  ])('returns 400 for %s', async (_, body) => {
    await post('/auth/login', body).expect(400);
    expect(accounts.calls).toEqual([]);
  });
});

describe('POST /auth/solve', () => {
  it("returns the id of the token's account", async () => {
    const id = crypto.randomUUID();
    const { body } = await post('/auth/solve', { token: await auth.issue(id) }).expect(200);
    expect(body).toEqual({ idAccount: id });
  });

  it.each(withShortTitles(['a.b.c', '', 'x'.repeat(8_000)]))('returns 401 for the token "%s"', async (_, token) => {
    expect((await post('/auth/solve', { token }).expect(401)).body.detail).toBe('Invalid token');
  });

  it.each([[{}], [{ token: 1 }], [{ token: ['a.b.c'] }]])('returns 400 for the body %j', async (body) => {
    await post('/auth/solve', body).expect(400);
  });
});

describe('the service', () => {
  it('without the account service answers register and login with 503 and Retry-After; logout and solve work', async () => {
    const unavailable = createAccountClient({ baseUrl: 'http://127.0.0.1:1' });
    const alone = await testApp({ databaseUrl: database.url, accounts: unavailable });
    for (const path of ['/auth/register', '/auth/login']) {
      const { headers, body } = await post(path, ada, alone).expect(503);
      expect(headers['retry-after']).toBe('1');
      expect(body.detail).toContain('The account service is not available');
    }
    await request(alone.app).get('/auth/logout').expect(200);
    await post('/auth/solve', { token: await alone.issue(crypto.randomUUID()) }, alone).expect(200);
    await alone.close();
  });

  it('passes the client address to the account service when it registers an account or checks a password', async () => {
    for (const path of ['/auth/register', '/auth/login'])
      await post(path, ada).set('x-envoy-external-address', '2001:db8:1:2:3::4');
    const clientAddress = '2001:db8:1:2::/64';
    expect(accounts.calls).toMatchObject([{ clientAddress }, { clientAddress }]);
  });

  it('never logs passwords and tokens', async () => {
    const failing: AccountClient = { ...accounts, checkPassword: () => Promise.reject(new Error('Out of order')) };
    const broken = await testApp({ databaseUrl: database.url, accounts: failing });
    const json = (text: string) => request(auth.app).post('/auth/login').type('json').send(text);
    await post('/auth/register', ada).expect(201);
    await post('/auth/register', ada).expect(409);
    const login = await post('/auth/login', ada).expect(200);
    const token = cookieOf(login).value ?? '';
    await post('/auth/login', { ...ada, password: `${ada.password}!` }).expect(401);
    await json(`{"email": "ada@example.com", "password": "${ada.password}", `).expect(400);
    await json(`"${ada.password}"`).expect(400);
    await post('/auth/solve', { token }).expect(200);
    await post('/auth/solve', { token: `${token}x` }).expect(401);
    await request(auth.app).get(`/auth/logout?token=${token}`).set('Cookie', `__store_jwt_token=${token}`).expect(200);
    await request(auth.app).get('/check').set('Cookie', `__store_jwt_token=${token}x`).expect(401);
    await request(auth.app).get('/auth/nothing').set('Authorization', `Bearer ${token}`).expect(404);
    await post('/auth/login', ada, broken).expect(500);
    await broken.close();
    const lines = [...auth.logged, ...broken.logged].join('');
    expect([auth.logged.length, broken.logged.length]).toEqual([11, 2]);
    for (const secret of [ada.password.trim(), ...token.split('.').slice(1)]) expect(lines).not.toContain(secret);
  });
});
