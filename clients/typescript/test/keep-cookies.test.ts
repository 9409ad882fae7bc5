import { keepCookies } from '../src/index.ts';
import { closeServers, storeWith } from './_server.ts';

afterEach(closeServers);

it('keeps the cookie of the session until it ends, for one store', async () => {
  const set = (cookie: string) => ({ status: 200, headers: { 'set-cookie': cookie } });
  const ended = '__store_jwt_token=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly';
  const done = { status: 200, body: [] };
  const answers = [set('__store_jwt_token=a=b; Path=/; HttpOnly; SameSite=Lax'), done, set(ended), done];
  const { store, seen } = await storeWith(answers, { fetch: keepCookies() });
  await store.logIn({ body: { email: 'a@example.com', password: 'b' } });
  await store.listAccounts();
  await store.logOut();
  await store.listAccounts();
  const token = '__store_jwt_token=a=b';
  expect(seen.map(({ headers }) => headers.cookie)).toEqual([undefined, token, token, undefined]);
});
