import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { ada, testApp } from './_app.ts';

let database: TestDatabase;
let account: Awaited<ReturnType<typeof testApp>>;

beforeAll(async () => {
  database = await createTestDatabase('account');
  account = await testApp(database.url);
});

afterAll(async () => {
  await account.close();
  await database.drop();
});

beforeEach(() => account.prisma.account.deleteMany());

const register = (body: unknown) =>
  request(account.app)
    .post('/internal/accounts')
    .send(body as object);
const check = (email: unknown, password: unknown) =>
  request(account.app).post('/internal/password-checks').send({ email, password });
const get = (path: string, callerId: string) => request(account.app).get(path).set('id-account', callerId);

describe('registering', () => {
  it('answers with the account and stores the e-mail as written, the name trimmed, the password hashed', async () => {
    const { status, headers, body } = await register({
      ...ada,
      name: '  Ada Lovelace\n',
      admin: true,
      id: randomUUID(),
    });
    expect(status).toBe(201);
    expect(headers.location).toBe(`/accounts/${body.id}`);
    expect(Object.keys(body)).toEqual(['id', 'name', 'email', 'createdAt']);
    expect(body).toMatchObject({ name: 'Ada Lovelace', email: ada.email });
    expect(Math.abs(Date.parse(body.createdAt) - Date.now())).toBeLessThan(60_000);
    const [row, ...others] = await account.prisma.account.findMany();
    expect(others).toEqual([]);
    expect(row).toMatchObject({ id: body.id, name: 'Ada Lovelace', email: ada.email });
    expect(row?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('takes an e-mail once, whatever its case', async () => {
    await register(ada).expect(201);
    const { body } = await register({ ...ada, email: ada.email.toUpperCase() }).expect(409);
    expect(body).toMatchObject({ type: 'urn:problem:store:email-taken', status: 409 });
    expect(await account.prisma.account.count()).toBe(1);
  });

  it('makes one account of ten registrations at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(ada)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect(await account.prisma.account.count()).toBe(1);
  });

  it.each([
    ['no name', { name: undefined }, ['body.name']],
    ['a blank name', { name: ' \t ' }, ['body.name']],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, ['body.name']],
    ['a name with NUL', { name: 'a\0b' }, ['body.name']],
    ['a name that is no text', { name: 7 }, ['body.name']],
    ['an e-mail without @', { email: 'ada' }, ['body.email']],
    ['an e-mail with NUL', { email: 'a\0da@example.com' }, ['body.email']],
    ['an e-mail of 255 characters', { email: `${'a'.repeat(243)}@example.com` }, ['body.email']],
    ['a password of 7 characters', { password: '🐎🐎🐎🐎🐎🐎🐎' }, ['body.password']],
    ['a password of 129 characters', { password: 'x'.repeat(129) }, ['body.password']],
    ['half a surrogate pair', { password: 'password\ud800' }, ['body.password']],
    ['nothing right', { name: '', email: '', password: '' }, ['body.name', 'body.email', 'body.password']],
  ])('refuses %s and names the field', async (_, wrong, paths) => {
    const { body } = await register({ ...ada, ...wrong }).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(await account.prisma.account.count()).toBe(0);
  });

  it.each([
    ['200 characters beyond the basic plane', { name: '🐎'.repeat(200) }],
    ['an e-mail of 254 characters', { email: `${'a'.repeat(242)}@example.com` }],
    ['blanks around the e-mail', { email: ' ada@example.com ' }],
  ])('accepts %s', async (_, unusual) => {
    await register({ ...ada, ...unusual }).expect(201);
  });
});

describe('checking a password', () => {
  it('finds the account without regard to the case of the e-mail', async () => {
    const { body: registered } = await register(ada);
    const { body } = await check(ada.email.toLowerCase(), ada.password).expect(200);
    expect(body).toEqual(registered);
  });

  it('answers a wrong password and an unknown e-mail alike', async () => {
    await register(ada);
    const wrong = await check(ada.email, 'correct horse').expect(401);
    const unknown = await check('nobody@example.com', ada.password).expect(401);
    const impossible = await check('nobody', 'x').expect(401);
    expect(unknown.body).toEqual(wrong.body);
    expect(impossible.body).toEqual(wrong.body);
  });

  it('takes an underscore in an e-mail for itself', async () => {
    await register({ ...ada, email: 'adaXl@example.com' });
    await check('ada_l@example.com', ada.password).expect(401);
  });

  it.each([
    ['blanks at both ends', '  password  ', 'password'],
    ['NUL', 'pass\0word', 'pass'],
    ['128 characters beyond the basic plane', '🐎'.repeat(128), '🐎'.repeat(127)],
    ['upper case', 'PASSWORD', 'password'],
  ])('keeps %s of a password', async (_, password, other) => {
    await register({ ...ada, password }).expect(201);
    await check(ada.email, password).expect(200);
    await check(ada.email, other).expect(401);
  });

  it('knows a password however its accents were typed', async () => {
    await register({ ...ada, password: 'crème brûlée'.normalize('NFD') });
    await check(ada.email, 'crème brûlée'.normalize('NFC')).expect(200);
  });

  it.each([
    ['no e-mail', undefined, 'password'],
    ['an e-mail with NUL', 'a\0@example.com', 'password'],
    ['an object as e-mail', { contains: '@' }, 'password'],
    ['no password', 'ada@example.com', undefined],
    ['an empty password', 'ada@example.com', ''],
    ['a list as password', 'ada@example.com', ['password']],
  ])('refuses %s', async (_, email, password) => {
    await check(email, password).expect(400);
  });

  // The e-mail is unknown: were no hash computed for it, nobody would have to wait, and the time would tell.
  it('refuses for the moment when too many wait, and works again afterwards', async () => {
    const busy = await testApp(database.url, { concurrency: 1, waiting: 2 });
    try {
      const send = () =>
        request(busy.app).post('/internal/password-checks').send({ email: ada.email, password: ada.password });
      const answers = await Promise.all(Array.from({ length: 20 }, send));
      const refused = answers.filter(({ status }) => status === 503);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
      expect(refused.every(({ headers }) => headers['retry-after'] === '2')).toBe(true);
      await send().expect(401);
    } finally {
      await busy.close();
    }
  });
});

describe('reading accounts', () => {
  it('shows the own account only', async () => {
    const { body: own } = await register(ada);
    const { body: other } = await register({ ...ada, email: 'grace@example.com' });
    expect((await get('/accounts', own.id).expect(200)).body).toEqual([own]);
    expect((await get(`/accounts/${own.id.toUpperCase()}`, own.id).expect(200)).body).toEqual(own);
    const foreign = await get(`/accounts/${other.id}`, own.id).expect(404);
    const missing = await get(`/accounts/${randomUUID()}`, own.id).expect(404);
    expect(foreign.body.title).toBe(missing.body.title);
    await get('/accounts/me', own.id).expect(404);
  });

  it('shows nothing to a caller whose account is gone', async () => {
    expect((await get('/accounts', randomUUID()).expect(200)).body).toEqual([]);
  });

  it.each([undefined, 'no-uuid'])('wants an identity, not %s', async (id) => {
    await request(account.app)
      .get('/accounts')
      .set(id === undefined ? {} : { 'id-account': id })
      .expect(401);
  });
});

it('keeps the internal paths out of the document', async () => {
  const { body } = await request(account.app).get('/v3/api-docs').expect(200);
  expect(Object.keys(body.paths)).toEqual(['/accounts', '/accounts/{id}']);
});

it('logs no password and no hash, whatever happens', async () => {
  account.logged.length = 0;
  await register(ada);
  await register(ada);
  await register({ ...ada, name: '' });
  await check(ada.email, ada.password);
  await check(ada.email, `${ada.password}!`);
  await request(account.app).post('/internal/accounts').type('json').send(`{"password": "${ada.password}", `);
  const lines = account.logged.join('');
  expect(account.logged.length).toBeGreaterThanOrEqual(6);
  expect(lines).not.toContain(ada.password.trim());
  expect(lines).not.toContain('$argon2');
});
