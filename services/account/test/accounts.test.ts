import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { ada, testApp } from './_app.ts';

const database = useDatabase('account');
const account = database.open((url) => testApp(url));
const busy = database.open((url) => testApp(url, { concurrency: 1, waiting: 2 }));
const fair = database.open((url) => testApp(url, { concurrency: 1, waiting: 20 }));

beforeEach(() => account.prisma.account.deleteMany());

const register = (body: unknown) =>
  request(account.app)
    .post('/internal/accounts')
    .send(body as object);
const checkPassword = (email: string, password: string) =>
  request(account.app).post('/internal/password-checks').send({ email, password });
const get = (path: string, callerId: string) => request(account.app).get(path).set('id-account', callerId);

describe('POST /internal/accounts', () => {
  it('returns the account and stores the e-mail as written, the trimmed name and a password hash', async () => {
    const { headers, body } = await register({ ...ada, name: '  Ada\n', admin: true, id: randomUUID() }).expect(201);
    expect(headers.location).toBe(`/accounts/${body.id}`);
    expect(Object.keys(body)).toEqual(['id', 'name', 'email', 'locale', 'createdAt']);
    expect(Math.abs(Date.parse(body.createdAt) - Date.now())).toBeLessThan(60_000);
    const stored = await account.prisma.account.findMany();
    expect(stored).toMatchObject([{ id: body.id, name: 'Ada', email: ada.email }]);
    expect(body).toMatchObject({ name: 'Ada', email: ada.email });
    expect(stored[0]?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('returns 409 for a registered e-mail in any letter case', async () => {
    const emails = Array.from({ length: 10 }, (_, n) => (n % 2 ? ada.email : ada.email.toUpperCase()));
    const responses = await Promise.all(emails.map((email) => register({ ...ada, email })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect((await register(ada)).body.type).toBe('urn:problem:store:email-taken');
    expect(await account.prisma.account.count()).toBe(1);
  });

  it('recognizes every spelling of an address, even beyond ASCII', async () => {
    const { body } = await register({ ...ada, email: ' JO\u0308RG@M\u00dcLLER.de' }).expect(201);
    expect(body.email).toBe('j\u00f6rg@xn--mller-kva.de');
    for (const email of ['j\u00f6rg@m\u00fcller.de', 'J\u00d6RG@xn--mller-kva.DE', 'jo\u0308rg@MU\u0308LLER.DE']) {
      await register({ ...ada, email }).expect(409);
      expect((await checkPassword(email, ada.password).expect(200)).body).toEqual(body);
    }
  });

  // Without a hash for a taken e-mail no request would queue, and the response time would reveal that it is taken.
  it('computes a hash even if the e-mail is taken', async () => {
    await register(ada).expect(201);
    const again = () => request(busy.app).post('/internal/accounts').send(ada);
    const responses = await Promise.all(Array.from({ length: 20 }, again));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([409, 503]));
  });

  it.each([
    ['no name', { name: undefined }, ['body.name']],
    ['an invisible name', { name: '\u200b\u3164\ufe0f' }, ['body.name']],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, ['body.name']],
    ['a name of two lines', { name: 'Ada\nYour account is locked' }, ['body.name']],
    ['a name with a link', { name: 'Ada, see https://evil.example' }, ['body.name']],
    ['an e-mail without @', { email: 'ada' }, ['body.email']],
    ['an e-mail of 255 characters', { email: `${'a'.repeat(243)}@example.com` }, ['body.email']],
    ['an empty password', { password: '' }, ['body.password']],
    ['a password of 129 characters', { password: 'x'.repeat(129) }, ['body.password']],
    ['an unpaired surrogate in the password', { password: 'password\ud800' }, ['body.password']],
    ['only invalid fields', { name: '', email: '', password: '' }, ['body.name', 'body.email', 'body.password']],
  ])('returns 400 for %s and names each field', async (_, invalid, paths) => {
    const { body } = await register({ ...ada, ...invalid }).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(await account.prisma.account.count()).toBe(0);
  });

  it.each([
    ['a name of 200 characters outside the BMP', { name: '🐎'.repeat(200) }],
    ['an e-mail of 254 characters', { email: `${'a'.repeat(242)}@example.com` }],
    ['white space around the e-mail', { email: ' ada@example.com ' }],
  ])('accepts %s', async (_, unusual) => {
    await register({ ...ada, ...unusual }).expect(201);
  });
});

describe('POST /internal/password-checks', () => {
  it('never logs passwords and hashes', async () => {
    account.logged.length = 0;
    await register(ada);
    await register(ada);
    await register({ ...ada, name: '' });
    await checkPassword(ada.email, ada.password);
    await checkPassword(ada.email, `${ada.password}!`);
    await request(account.app).post('/internal/accounts').type('json').send(`{"password": "${ada.password}", `);
    const lines = account.logged.join('');
    expect(account.logged.length).toBeGreaterThanOrEqual(6);
    expect(lines).not.toContain(ada.password.trim());
    expect(lines).not.toContain('$argon2');
  });

  it('finds the account by the e-mail in any letter case', async () => {
    const { body: registered } = await register(ada);
    expect((await checkPassword(ada.email.toLowerCase(), ada.password).expect(200)).body).toEqual(registered);
  });

  it('returns the same 401 for a wrong password, an unknown e-mail and invalid input', async () => {
    await register(ada);
    const wrong = await checkPassword(ada.email, 'correct horse').expect(401);
    // An underscore is not a wildcard.
    for (const email of ['nobody@example.com', ada.email.replace('.', '_'), 'nobody'])
      expect((await checkPassword(email, ada.password).expect(401)).body).toEqual(wrong.body);
  });

  it.each([
    ['white space at both ends', '  password  ', 'password'],
    ['a NUL character', 'pass\0word', 'pass'],
    ['128 characters outside the BMP', '🐎'.repeat(128), '🐎'.repeat(127)],
    ['letter case but not the normalization form', 'Crème'.normalize('NFD'), 'crème'.normalize('NFC')],
  ])('respects %s in passwords', async (_, password, other) => {
    await register({ ...ada, password }).expect(201);
    await checkPassword(ada.email, password.normalize('NFC')).expect(200);
    await checkPassword(ada.email, other).expect(401);
  });

  // The e-mail is unknown. Without a hash for it no request would queue, and response times would reveal that it is unknown.
  it('returns 503 with Retry-After while its queue is full, and 401 for an unknown e-mail afterwards', async () => {
    const send = () => request(busy.app).post('/internal/password-checks').send(ada);
    const responses = await Promise.all(Array.from({ length: 20 }, send));
    const seen = responses.map(({ status, headers }) => `${status} ${headers['retry-after']}`);
    expect(new Set(seen)).toEqual(new Set(['401 undefined', '503 2']));
    await send().expect(401);
  });
});

describe('PUT /internal/accounts/{id}/password', () => {
  it('replaces the password, so that only the new one is accepted', async () => {
    const { id } = (await register(ada)).body;
    const replace = (to: string) =>
      request(account.app).put(`/internal/accounts/${to}/password`).send({ password: 'staple' });
    expect((await replace(id)).status).toBe(204);
    const checks = await Promise.all([checkPassword(ada.email, ada.password), checkPassword(ada.email, 'staple')]);
    expect(checks.map(({ status }) => status)).toEqual([401, 200]);
    expect((await replace(crypto.randomUUID())).status).toBe(404);
  });
});

it('while four addresses keep guessing passwords, a login from another address waits for only a few guesses', async () => {
  const send = (address: string, credentials: object) =>
    request(fair.app).post('/internal/password-checks').set('x-envoy-external-address', address).send(credentials);
  await register(ada).expect(201);
  let [attacking, checked] = [true, 0];
  async function attack(address: string) {
    for (let n = 0; attacking; n += 1) {
      const { status } = await send(address, { email: `${n}@example.com`, password: 'guess' });
      if (status === 401) checked += 1;
    }
  }
  const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8::/64', '192.0.2.4'];
  const attackers = Array.from({ length: 80 }, (_, n) => attack(addresses[n % 4] ?? ''));
  try {
    await until('the attack has begun', async () => checked > 4);
    for (let n = 0; n < 8; n += 1) {
      const before = checked;
      await send('198.51.100.7', ada).expect(200);
      // 20 guesses wait. Some more are checked while this request and its answer are in flight.
      expect(checked - before).toBeLessThan(18);
    }
  } finally {
    attacking = false;
    await Promise.all(attackers);
  }
});

describe('GET /accounts', () => {
  it("returns only the caller's account", async () => {
    const { body: own } = await register(ada);
    const { body: other } = await register({ ...ada, email: 'grace@example.com' });
    expect((await get('/accounts', own.id).expect(200)).body).toEqual([own]);
    expect((await get(`/accounts/${own.id.toUpperCase()}`, own.id).expect(200)).body).toEqual(own);
    const foreign = await get(`/accounts/${other.id}`, own.id).expect(404);
    const missing = await get(`/accounts/${randomUUID()}`, own.id).expect(404);
    expect(foreign.body.title).toBe(missing.body.title);
    await get('/accounts/me', own.id).expect(404);
  });

  it('returns an empty array to a caller whose account does not exist', async () => {
    expect((await get('/accounts', randomUUID()).expect(200)).body).toEqual([]);
    await get('/accounts', 'not-a-uuid').expect(401);
  });
});

describe('PATCH /accounts/{id}', () => {
  const rename = (id: string, name: unknown, ifMatch?: string, callerId = id) => {
    const asked = request(account.app).patch(`/accounts/${id}`).set('id-account', callerId);
    return (ifMatch === undefined ? asked : asked.set('if-match', ifMatch)).send({ name, id: randomUUID() });
  };

  it('changes only the name, trimmed', async () => {
    const { body: registered } = await register(ada).expect(201);
    const { body } = await rename(registered.id, ' Countess ').expect(200);
    expect(body).toEqual({ ...registered, name: 'Countess' });
    expect((await get(`/accounts/${registered.id}`, registered.id)).body).toEqual(body);
    await checkPassword(ada.email, ada.password).expect(200);
  });

  it('refuses a name that could pass as the text of a mail', async () => {
    const { id } = (await register(ada).expect(201)).body;
    for (const name of ['Ada\n\nYour account is locked', 'see www.evil.example']) await rename(id, name).expect(400);
  });

  it('accepts one of two concurrent changes to the same state', async () => {
    const { id } = (await register(ada).expect(201)).body;
    const { etag = '' } = (await get(`/accounts/${id}`, id)).headers;
    const statuses = await Promise.all(['One', 'Two'].map(async (name) => (await rename(id, name, etag)).status));
    expect(statuses.sort()).toEqual([200, 412]);
  });

  it("answers 404 for another customer's account and does not change it", async () => {
    const { id } = (await register(ada).expect(201)).body;
    await rename(id, 'Mallory', undefined, randomUUID()).expect(404);
    expect((await get(`/accounts/${id}`, id)).body.name).toBe(ada.name);
  });
});
