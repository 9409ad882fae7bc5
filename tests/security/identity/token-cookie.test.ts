import { ACCOUNT, COOKIE, type Fixture, http, startUnlimited, TOKEN } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

describe('token cookie', () => {
  const OTHER = '__store_jwt_token=other.token.x';

  it.each([
    ['missing', []],
    ['of another name', ['Cookie: store_jwt_token=x']],
    ['in another case', [`Cookie: ${COOKIE.toUpperCase()}`]],
    ['empty', ['Cookie: __store_jwt_token=']],
    ['empty between others', ['Cookie: a=1; __store_jwt_token=; b=2']],
    ['empty in quotes', ['Cookie: __store_jwt_token=""']],
    ['white space', ['Cookie: __store_jwt_token=   ']],
    ['part of another name', [`Cookie: x${COOKIE}`]],
    ['value of another cookie', [`Cookie: x=${COOKIE}`]],
  ])('%s returns 401 without a token check', async (_, lines) => {
    const response = await fixture.send(http('GET /accounts', lines));
    expect(response.status).toBe(401);
    expect(JSON.parse(response.body).detail).toBe('The token cookie is missing or empty. Log in first.');
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });

  it.each([
    ['in one header', [`Cookie: ${COOKIE}; ${OTHER}`]],
    ['in one header, the valid one last', [`Cookie: ${OTHER}; ${COOKIE}`]],
    ['in two headers', [`Cookie: ${COOKIE}`, `Cookie: ${OTHER}`]],
    ['in two headers, the valid one last', [`Cookie: ${OTHER}`, `cookie: ${COOKIE}`]],
    ['with the same value', [`Cookie: ${COOKIE}; ${COOKIE}`]],
    ['with the second quoted', [`Cookie: ${COOKIE}; __store_jwt_token="other.token.x"`]],
    ['with the second empty', [`Cookie: ${COOKIE}; __store_jwt_token=`]],
    ['without a space between', [`Cookie: ${COOKIE};${OTHER}`]],
  ])('twice, %s, is passed to auth and returns 401', async (_, lines) => {
    expect((await fixture.send(http('GET /accounts', lines))).status).toBe(401);
    expect(fixture.checks()[0]?.headers.cookie?.match(/__store_jwt_token=/g)).toHaveLength(2);
    expect(fixture.reached()).toEqual([]);
  });

  it('twice over HTTP/2 is passed to auth and returns 401', async () => {
    const response = await sendHttp2(fixture.port, { ':path': '/accounts', cookie: [COOKIE, OTHER] });
    expect(response.status).toBe(401);
    expect(fixture.checks()[0]?.headers.cookie?.match(/__store_jwt_token=/g)).toHaveLength(2);
    expect(fixture.reached()).toEqual([]);
  });

  it.each([
    ['alone', [`Cookie: ${COOKIE}`]],
    ['between others', [`Cookie: a=1; ${COOKIE}; b=2`]],
    ['in the second header', ['Cookie: a=1', `Cookie: ${COOKIE}`]],
    ['beside invalid UTF-8', [`Cookie: a=\xe9; ${COOKIE}`]],
  ])('once, %s, lets the service get the identity and all cookies', async (_, lines) => {
    expect((await fixture.send(http('GET /accounts', lines))).status).toBe(200);
    expect(fixture.reached()).toMatchObject([{ headers: { 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}` } }]);
    expect(fixture.reached()[0]?.headers.cookie).toContain(COOKIE);
  });
});
