import { ACCOUNT, COOKIE, type Fixture, http, startUnlimited, TOKEN } from './_fixture.ts';
import { sendHttp2 } from './_raw.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

describe('the token cookie', () => {
  const OTHER = '__store_jwt_token=other.token.x';

  it.each([
    ['none', []],
    ['of another name', ['Cookie: store_jwt_token=x']],
    ['of another case', [`Cookie: ${COOKIE.toUpperCase()}`]],
    ['empty', ['Cookie: __store_jwt_token=']],
    ['empty between others', ['Cookie: a=1; __store_jwt_token=; b=2']],
    ['empty in quotes', ['Cookie: __store_jwt_token=""']],
    ['blank', ['Cookie: __store_jwt_token=   ']],
    ['as the end of another name', [`Cookie: x${COOKIE}`]],
    ['as the value of another', [`Cookie: x=${COOKIE}`]],
  ])('%s: 401 without asking auth', async (_, lines) => {
    const answer = await fixture.send(http('GET /accounts', lines));
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body).detail).toBe('The token cookie is missing or empty. Log in first.');
    expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
  });

  it.each([
    ['in one header', [`Cookie: ${COOKIE}; ${OTHER}`]],
    ['in one header, the good one last', [`Cookie: ${OTHER}; ${COOKIE}`]],
    ['in two headers', [`Cookie: ${COOKIE}`, `Cookie: ${OTHER}`]],
    ['in two headers, the good one last', [`Cookie: ${OTHER}`, `cookie: ${COOKIE}`]],
    ['the same value', [`Cookie: ${COOKIE}; ${COOKIE}`]],
    ['the second quoted', [`Cookie: ${COOKIE}; __store_jwt_token="other.token.x"`]],
    ['the second empty', [`Cookie: ${COOKIE}; __store_jwt_token=`]],
    ['without blank between', [`Cookie: ${COOKIE};${OTHER}`]],
  ])('twice, %s: auth sees both and nothing gets through', async (_, lines) => {
    expect((await fixture.send(http('GET /accounts', lines))).status).toBe(401);
    expect(fixture.checks()[0]?.headers.cookie?.match(/__store_jwt_token=/g)).toHaveLength(2);
    expect(fixture.reached()).toEqual([]);
  });

  it('twice over HTTP/2', async () => {
    const answer = await sendHttp2(fixture.port, { ':path': '/accounts', cookie: [COOKIE, OTHER] });
    expect(answer.status).toBe(401);
    expect(fixture.checks()[0]?.headers.cookie?.match(/__store_jwt_token=/g)).toHaveLength(2);
    expect(fixture.reached()).toEqual([]);
  });

  it.each([
    ['alone', [`Cookie: ${COOKIE}`]],
    ['between others', [`Cookie: a=1; ${COOKIE}; b=2`]],
    ['in the second header', ['Cookie: a=1', `Cookie: ${COOKIE}`]],
    ['beside bytes that are no UTF-8', [`Cookie: a=\xe9; ${COOKIE}`]],
  ])('once, %s: the service gets the identity and the cookies', async (_, lines) => {
    expect((await fixture.send(http('GET /accounts', lines))).status).toBe(200);
    expect(fixture.reached()).toMatchObject([{ headers: { 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}` } }]);
    expect(fixture.reached()[0]?.headers.cookie).toContain(COOKIE);
  });
});
