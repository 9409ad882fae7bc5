import request from 'supertest';
import { createCheck } from '../src/tokens/check.ts';
import { useAuth } from './_app.ts';

const id = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const auth = useAuth().open();
let token: string;

beforeAll(async () => {
  token = await auth.issue(id);
});

/** @param cookies {T} stands for a valid token, {U} for a token of another account */
async function check(...cookies: string[]) {
  const other = await auth.issue(crypto.randomUUID());
  const filled = cookies.map((cookie) => cookie.replaceAll('{T}', token).replaceAll('{U}', other));
  return request(auth.app)
    .get('/check')
    .set(filled.length > 0 ? { Cookie: filled as never } : {});
}

describe('the token check', () => {
  it.each(['get', 'post', 'options', 'head'] as const)('by %s returns the identity', async (method) => {
    const { headers, text } = await request(auth.app)
      [method]('/check')
      .set('Cookie', `__store_jwt_token=${token}`)
      .expect(200);
    expect(headers).toMatchObject({ 'id-account': id, authorization: `Bearer ${token}`, 'content-length': '0' });
    expect(text ?? '').toBe('');
  });

  // The tests of cookies, in shared, cover how values are read from the header.
  it.each([
    ['in the second of two Cookie headers that a proxy joined', 'a=1,__store_jwt_token={T}; b=2'],
    ['in quotes', '__store_jwt_token="{T}"'],
    ['that comes twice with the same value', '__store_jwt_token={T}; a=1; __store_jwt_token="{T}"'],
    [
      'among cookies with similar names',
      '__store_jwt_tokens={U}; __STORE_JWT_TOKEN={U}; a=__store_jwt_token={U}; __store_jwt_token={T}',
    ],
  ])('finds the token cookie %s', async (_, cookie) => {
    const { status, headers } = await check(cookie);
    expect([status, headers['id-account']]).toEqual([200, id]);
  });

  const missing = 'The token cookie is missing or empty. Log in first.';
  it.each([
    ['no cookie', [], missing],
    ['a token of white space', ['a=1; __store_jwt_token= \t; b=2'], missing],
    ['another letter case', ['__Store_Jwt_Token={T}'], missing],
    ['a URL-encoded token', ['__store_jwt_token=%20{T}'], 'Invalid token'],
    [
      'another token after two equal ones',
      [`${'__store_jwt_token={T};'.repeat(2)}__store_jwt_token={U}`],
      'Invalid token',
    ],
    ['a valid and an empty token', ['__store_jwt_token=; __store_jwt_token={T}'], 'Invalid token'],
    ['a token with Bearer', ['__store_jwt_token=Bearer {T}'], 'Invalid token'],
    ['two Cookie headers with a token each', ['__store_jwt_token={T}', '__store_jwt_token={U}'], 'Invalid token'],
  ])('returns 401 for %s', async (_, cookies, detail) => {
    const { body, headers } = await check(...cookies);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(body).toMatchObject({ status: 401, detail });
    expect(headers).not.toHaveProperty('id-account');
  });

  it('ignores id-account and Authorization from the client', async () => {
    const headers = { 'id-account': id, Authorization: `Bearer ${token}` };
    await request(auth.app).get('/check').set(headers).expect(401);
  });

  it('is served only at /check', async () => {
    for (const path of ['/check/', '/CHECK', '/auth/check']) await request(auth.app).get(path).expect(404);
  });

  it('logs only unexpected failures, without the token', async () => {
    auth.logged.length = 0;
    await check('__store_jwt_token={T}');
    await check();
    expect(auth.logged).toEqual([]);
    const resolve = () => Promise.reject(new Error('Out of order'));
    const failing = createCheck({
      tokens: { resolve, forServices: resolve },
      roles: { of: () => [] },
      uses: { note: () => undefined },
      endedSessions: { isLoaded: () => true, isCurrent: () => true },
      log: auth.log,
    });
    const headers = { Cookie: `__store_jwt_token=${token}`, 'x-request-id': id };
    await request(failing).get('/check').set(headers).expect(500);
    expect(auth.logged.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', traceId: id.replaceAll('-', ''), msg: 'Token check failed unexpectedly' },
    ]);
    expect(auth.logged.join()).not.toContain(token);
  });
});
