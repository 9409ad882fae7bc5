import { once } from 'node:events';
import { request as ask } from 'node:http';
import { networkInterfaces } from 'node:os';
import express from 'express';
import { createAuthClient } from '../src/access/auth-client.ts';
import { localOnly } from '../src/access/guard.ts';
import { createSessions, sharedSeconds } from '../src/access/session.ts';
import { configSchema } from '../src/config.ts';
import { type Answer, Reply, token, useConsole } from './_console.ts';

const letter = '00000000-0000-8000-8000-000000000001';
const redrive = '/api/dead-letters/payment/redrive';
const letters = { ids: [letter] };
const paths = [
  '/api/now',
  '/api/order-search?sought=x',
  '/api/dead-letters',
  '/api/dead-letters/audit',
  '/api/products',
  '/api/audit',
  '/api/accounts?sought=x',
  `/api/products/${letter}`,
];

const auth = createAuthClient(undefined);
const console = useConsole(() => {
  const answer = () => ({ group: 'payment-group', results: [], productId: letter, available: 5 });
  return { payment: answer, inventory: answer };
});

afterEach(() => {
  console.asked.length = 0;
});

it.each([undefined, '', 'short', 'with blanks in it, and long enough for one'])(
  'the console does not start without a token: %s',
  (CONSOLE_TOKEN) => {
    const parsed = configSchema.safeParse({ CONSOLE_TOKEN, SERVICES: '', METRICS: '', GROUPS: '', AUDITED: '' });
    expect(parsed.error?.issues.map(({ path }) => path)).toEqual([['CONSOLE_TOKEN']]);
  },
);

describe('the login', () => {
  it('keeps the session from scripts and other sites', async () => {
    const answer = await console.http().post('/session').set('Origin', console.origin).send({ token, name: ' ann ' });
    expect(answer.status).toBe(204);
    const { port } = new URL(console.origin);
    const [set = '', ...others] = answer.headers['set-cookie'] ?? [];
    expect(others).toEqual([]);
    expect(set.replace(/=[\w.-]+;/, '=;')).toBe(
      `console_session_${port}=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=7200`,
    );
    expect((await console.read('/session')).body).toEqual({ name: 'ann', isShared: true });
    expect((await console.send('delete', '/session')).headers['set-cookie']?.[0]).toMatch(
      /^console_session_\d+=; Path=\/console; .*Max-Age=0$/,
    );
  });

  it('refuses wrong tokens one at a time, each after a delay, and logs no token', async () => {
    const delays: number[] = [];
    let running = 0;
    const sessions = createSessions(token, auth, undefined, async (ms) => {
      running += 1;
      expect(running).toBe(1);
      delays.push(ms);
      await new Promise(setImmediate);
      running -= 1;
    });
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, () => sessions.beginShared(`${token}x`, 'eve')),
    );
    const kinds = attempts.map((attempt) => (attempt.status === 'rejected' ? attempt.reason.kind : 'begun'));
    expect(kinds).toEqual([...Array(10).fill('unauthenticated'), 'rateLimited', 'rateLimited']);
    expect(delays).toEqual(Array(10).fill(1_000));
    await console.send('post', '/session', '').send({ token: 'wrong', name: 'eve' }).expect(401);
    expect(JSON.stringify(console.logged)).not.toMatch(/wrong|a-token-of/);
    expect(console.logged).toContainEqual(expect.objectContaining({ by: 'eve', msg: 'A login was refused' }));
  });

  it('limits the cookie to its path and its console', async () => {
    const { cookie } = console;
    expect((await console.read('/session', cookie.replace(/_\d+=/, '_1='))).body).toEqual({
      name: null,
      isShared: false,
    });
    for (const path of ['/', '/api/now', '/session', '/assets/index.js']) {
      const answer = await fetch(`${console.origin}${path}`, { headers: { cookie }, redirect: 'manual' });
      expect([path, answer.status, answer.headers.get('location')]).toEqual(
        path === '/' ? ['/', 302, '/console/'] : [path, 404, null],
      );
    }
  });

  it('expires, and ends when the token changes', async () => {
    let now = new Date();
    const sessions = createSessions(token, auth, () => now);
    const { session } = await sessions.beginShared(token, 'ann');
    const nameOf = async (given: string) => (await sessions.operatorOf(given))?.name;
    expect(await nameOf(session)).toBe('ann');
    expect(await createSessions(`${token}2`, auth).operatorOf(session)).toBeUndefined();
    expect(await nameOf(`${session.slice(0, -2)}xx`)).toBeUndefined();
    now = new Date(now.getTime() + sharedSeconds * 1000 + 1000);
    expect(await nameOf(session)).toBeUndefined();
  });
});

const ada = { id: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10', name: 'Ada', email: 'ada@example.com' };
const password = 'correct horse';

/** State of auth: roles and session of `ada`. */
interface Known {
  roles: string;
  isOver: boolean;
  isAway: boolean;
}
const known: Known = { roles: 'operator', isOver: false, isAway: false };
const storeToken = 'eyJh.eyJz.c2ln';
const authOf: Answer = (_method, path, body, headers) => {
  if (known.isAway) return new Reply(503, {});
  if (path === '/auth/login') {
    if ((body as { password: string }).password === 'too often')
      return new Reply(429, { type: 'x', title: 'x', status: 429, detail: 'Too many.' }, { 'retry-after': '7' });
    if ((body as { password: string }).password !== password)
      return new Reply(401, { type: 'x', title: 'x', status: 401, detail: 'The password is wrong.' });
    const account = { ...ada, createdAt: '2026-05-04T12:00:00.000Z' };
    return new Reply(200, account, { 'set-cookie': `__store_jwt_token=${storeToken}; Max-Age=86400; Path=/` });
  }
  const isValid = headers.cookie === `__store_jwt_token=${storeToken}` && !known.isOver;
  if (path === '/auth/logout') {
    known.isOver = true;
    return new Reply(200, '');
  }
  if (path !== '/check') return undefined;
  if (!isValid) return new Reply(401, {});
  return new Reply(200, '', { 'id-account': ada.id, ...(known.roles !== '' && { 'account-roles': known.roles }) });
};

describe('the login with an account', () => {
  const answer = () => ({ group: 'payment-group', results: [], productId: letter, available: 5 });
  const console = useConsole(() => ({ payment: answer, inventory: answer, auth: authOf }), { tests: 'each' });
  const logIn = (body: object) => console.http().post('/session').set('Origin', console.origin).send(body);
  const own = { email: ada.email, password };
  let cookie = '';

  beforeEach(async () => {
    Object.assign(known, { roles: 'catalogue,operator', isOver: false, isAway: false });
    const answered = await logIn(own).set('User-Agent', 'A browser').expect(204);
    [cookie = ''] = String(answered.headers['set-cookie']?.[0]).split(';');
    expect(answered.headers['set-cookie']?.[0]).toMatch(/; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=86400$/);
  });

  it("acts as that account, whatever the request says, and hides the store's token from pages", async () => {
    expect((await console.read('/session', cookie)).body).toEqual({ name: 'Ada', isShared: false });
    const change = console.send('put', `/api/stock/${letter}`, cookie).set('console-operator', 'eve');
    await change.set('operator-name', 'eve').send({ available: 1, seen: 5 }).expect(200);
    await console.send('post', redrive, cookie).send(letters).expect(200);
    expect(console.asked.find(({ method }) => method === 'PUT')?.operator).toBe(ada.id);
    expect(console.asked.at(-1)?.body).toMatchObject({ by: ada.id });
    expect(console.logged).toContainEqual(expect.objectContaining({ by: ada.id, msg: 'A stock was set' }));
    expect(JSON.stringify(console.logged)).not.toMatch(/correct horse|eyJh/);
    // Every server on the machine gets the cookie in requests to the console's path.
    const parts = cookie.slice(cookie.indexOf('=') + 1).split('.');
    for (const part of parts) expect(Buffer.from(part, 'base64url').toString()).not.toContain(storeToken);
  });

  it('cannot be impersonated with the shared token', async () => {
    const shared = await console.login(ada.id);
    await console.send('put', `/api/stock/${letter}`, shared).send({ available: 1, seen: 5 }).expect(200);
    expect(console.asked.at(-1)?.operator).toBe(encodeURIComponent(`${ada.id} (shared token)`));
  });

  it.each<[string, Partial<Known>]>([
    ['its session has ended, or its account is locked', { isOver: true }],
    ['its role is removed', { roles: 'catalogue' }],
    ['it has no role', { roles: '' }],
  ])('ends with the next request when %s', async (_, now) => {
    await console.read('/api/products', cookie).expect(({ status }) => expect(status).not.toBe(401));
    Object.assign(known, now);
    for (const path of paths) await console.read(path, cookie).expect(401);
    await console.send('put', `/api/stock/${letter}`, cookie).send({ available: 1, seen: 5 }).expect(401);
    expect((await console.read('/session', cookie)).body).toEqual({ name: null, isShared: false });
  });

  it('is refused without the role, and leaves no session in the store', async () => {
    known.roles = 'catalogue';
    const { body, headers } = await logIn(own).expect(403);
    expect(body.detail).toBe('Your account needs the role operator, which only an operator can give.');
    expect([headers['set-cookie'], known.isOver]).toEqual([undefined, true]);
  });

  it('passes on what auth says about wrong passwords and too many attempts', async () => {
    const wrong = await logIn({ ...own, password: 'x' }).expect(401);
    expect(wrong.body.detail).toBe('The password is wrong.');
    const often = await logIn({ ...own, password: 'too often' }).expect(429);
    expect([often.body.detail, often.headers['retry-after']]).toEqual(['Too many.', '7']);
    for (const body of [{ email: ada.email }, { ...own, password: '' }, {}]) await logIn(body).expect(400);
  });

  it("also ends the store's session, or says that it has not", async () => {
    known.isAway = true;
    const kept = await console.send('delete', '/session', cookie).expect(503);
    expect(kept.headers['set-cookie']).toBeUndefined();
    known.isAway = false;
    await console.send('delete', '/session', cookie).expect(204);
    expect(known.isOver).toBe(true);
    await console.read('/api/now', cookie).expect(401);
  });

  it('is unavailable while auth is, unlike the shared token', async () => {
    known.isAway = true;
    const { body, headers } = await console.read('/api/now', cookie).expect(503);
    expect(headers['retry-after']).toBe('2');
    expect(body.detail).toMatch(/^The auth service is not available .* Meanwhile, log out and use the shared token\.$/);
    await logIn(own).expect(503);
    await console.read('/api/now', await console.login()).expect(200);
  });

  it("refuses other tokens: an API key, a forged token, or the store's own token", async () => {
    const name = cookie.split('=')[0];
    for (const session of [storeToken, `${cookie.split('=')[1]?.slice(0, -3)}xxx`])
      await console.read('/api/now', `${name}=${session}`).expect(401);
    const check = console.asked.find(({ path }) => path === '/check');
    expect(check).toMatchObject({ authorization: undefined });
  });
});

describe('without a session', () => {
  it.each(paths)('GET %s answers 401, whoever the request claims to come from', async (path) => {
    const { port } = new URL(console.origin);
    const unsigned = `console_session_${port}=eyJhbGciOiJub25lIn0.eyJuYW1lIjoiZXZlIn0.`;
    for (const cookie of ['', unsigned]) await console.read(path, cookie).set('console-operator', 'eve').expect(401);
    const { status } = await console.read(path.replace('/api', '/API'), '').set('console-operator', 'eve');
    expect([401, 404]).toContain(status);
    expect(console.asked).toEqual([]);
  });

  it('a change gets 401 and reaches no service', async () => {
    await console.send('put', `/api/stock/${letter}`, '').send({ available: 1, seen: 5 }).expect(401);
    await console.send('put', `/api/products/${letter}`, '').send({ name: 'Tea' }).expect(401);
    await console.send('post', redrive, '').send(letters).expect(401);
    expect(console.asked).toEqual([]);
  });
});

describe('a change from another page', () => {
  const evil = ['http://localhost:3000', 'http://127.0.0.1:1', 'https://example.com', 'null', ''];
  it.each(evil)('with the origin %s gets 403 despite its cookie', async (Origin) => {
    const change = console.http().post(redrive).set('Cookie', console.cookie);
    await (Origin === '' ? change : change.set('Origin', Origin)).send(letters).expect(403);
    expect(console.asked).toEqual([]);
  });

  it('of the same site gets 403', async () => {
    const change = console.send('put', `/api/stock/${letter}`).set('Sec-Fetch-Site', 'same-site');
    await change.send({ available: 1, seen: 5 }).expect(403);
  });

  it('sent as a form gets 415, since any page may send a form', async () => {
    const change = console.send('post', redrive).set('Content-Type', 'text/plain');
    await change.send(JSON.stringify(letters)).expect(415);
    expect(console.asked).toEqual([]);
  });
});

describe('the pod', () => {
  it.each(['console:8080', 'evil.example', 'localhost.evil.example'])(
    'refuses requests for the host %s',
    async (Host) => {
      await console.http().get('/').set('Host', Host).expect(403);
    },
  );

  const foreign = Object.values(networkInterfaces())
    .flat()
    .find((one) => one && !one.internal && one.family === 'IPv4')?.address;

  it.each<[string, string, string, number]>([
    ['itself', '127.0.0.1', '127.0.0.1', 200],
    ['a sidecar, which connects from its own address for anyone', '127.0.0.1', '127.0.0.6', 403],
    ['a sidecar that connects to another address', '127.0.0.2', '127.0.0.1', 403],
    // A machine without a network has no other address.
    ...(foreign === undefined ? [] : [['another machine', foreign, foreign, 403] as [string, string, string, number]]),
  ])('decides by address about %s', async (_, host, localAddress, status) => {
    const server = express()
      .use(localOnly, (_req, res) => void res.end('in'))
      .listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const asked = ask({ host, port, localAddress, headers: { host: 'localhost' } }).end();
    const [res] = await once(asked, 'response');
    expect(res.resume().statusCode).toBe(status);
    server.close();
  });
});

describe('the page', () => {
  it('runs only its own scripts, and cannot be framed', async () => {
    const { headers, text } = await console.http().get('/').expect(200);
    const policy = headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/<script>|<style|\son\w+=/);
  });
});
