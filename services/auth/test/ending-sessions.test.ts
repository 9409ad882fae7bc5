import { parseSetCookie } from 'cookie';
import request from 'supertest';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { ada, testApp } from './_app.ts';

const database = useDatabase('auth');
const auth = database.open((databaseUrl) => testApp({ databaseUrl }), 'each');

const post = (path: string, body: object) => request(auth.app).post(path).send(body);

describe('the sessions that auth stores', () => {
  const stored = () => queryOnce(database.url, 'select from ended_sessions');
  const logout = (cookie: string) => request(auth.app).get('/auth/logout').set('Cookie', cookie).expect(200);

  it('are those of valid tokens of its own, each once', async () => {
    const token = await auth.issue(crypto.randomUUID());
    const [header, payload, signature] = token.split('.');
    const foreign = await testApp({ databaseUrl: database.url });
    const invalid = ['', 'a.b.c', `${header}.${payload}.`, `x${token}`, `${token}x`, await foreign.issue(ada.email)];
    await foreign.close();
    for (const value of invalid) await logout(`__store_jwt_token=${value}`);
    expect(await stored()).toHaveLength(0);
    for (let times = 0; times < 3; times += 1) await logout(`__store_jwt_token=${header}.${payload}.${signature}`);
    expect(await stored()).toHaveLength(1);
  });

  it('end for the token that cookie-parser reads, quoted or encoded alike', async () => {
    const [quoted, encoded] = [await auth.issue(crypto.randomUUID()), await auth.issue(crypto.randomUUID())];
    await logout(`__store_jwt_token="${quoted}"`);
    await logout(`a=1; __store_jwt_token=${encoded.replaceAll('.', '%2E')}; b=2`);
    for (const token of [quoted, encoded]) await post('/auth/solve', { token }).expect(401);
  });
});

describe('DELETE /auth/sessions', () => {
  const end = (headers: Record<string, string>) => request(auth.app).delete('/auth/sessions').set(headers);

  it("ends the sessions of the caller's account alone, and clears the cookie", async () => {
    const [id, otherId] = [crypto.randomUUID(), crypto.randomUUID()];
    const [token, second, other] = [await auth.issue(id), await auth.issue(id), await auth.issue(otherId)];
    const response = await end({ 'id-account': id, authorization: `Bearer ${token}` }).expect(204);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(parseSetCookie(response.headers['set-cookie']?.[0] ?? '')).toMatchObject({
      name: '__store_jwt_token',
      value: '',
      maxAge: 0,
      path: '/',
    });
    for (const ended of [token, second]) await post('/auth/solve', { token: ended }).expect(401);
    await post('/auth/solve', { token: other }).expect(200);
  });

  it('needs the token, not id-account alone', async () => {
    const id = crypto.randomUUID();
    const token = await auth.issue(id);
    const other = await auth.issue(crypto.randomUUID());
    await end({ 'id-account': id }).expect(401);
    await end({ 'id-account': id, authorization: `Bearer ${other}` }).expect(401);
    await end({ authorization: `Bearer ${token}` }).expect(401);
    await post('/auth/solve', { token }).expect(200);
  });
});
