import { ACCOUNT, COOKIE, expectProblem, TOKEN, useGateway } from '../_fixture.ts';

const OTHER = '__store_jwt_token=other.token.x';

describe.each(['check', 'solve'])('the token cookie, with gateway.auth.call %s,', (call) => {
  const gateway = useGateway({ auth: { call } });

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
    const detail = 'The token cookie is missing or empty. Log in first.';
    expectProblem(await gateway.ask('GET /accounts', lines), 401, { detail });
    expect(gateway.seen).toEqual([]);
  });

  it.each([
    ['in one header', [`Cookie: ${COOKIE}; ${OTHER}`]],
    ['in one header, the valid one last', [`Cookie: ${OTHER}; ${COOKIE}`]],
    ['in two headers', [`Cookie: ${COOKIE}`, `Cookie: ${OTHER}`]],
    ['in two headers, the valid one last', [`Cookie: ${OTHER}`, `cookie: ${COOKIE}`]],
    ['with the same value', [`Cookie: ${COOKIE}; ${COOKIE}`]],
    ['with the second quoted', [`Cookie: ${COOKIE}; __store_jwt_token="other.token.x"`]],
    ['with the second empty', [`Cookie: ${COOKIE}; __store_jwt_token=`]],
    ['with white space', [`Cookie: ${COOKIE};\t__store_jwt_token =x`]],
    ['without a space between', [`Cookie: ${COOKIE};${OTHER}`]],
    ['by a comma', [`Cookie: ${COOKIE},${OTHER}`]],
  ])('twice, %s, returns 401', async (_, lines) => {
    expect((await gateway.ask('GET /accounts', lines)).status).toBe(401);
    expect(gateway.reached()).toEqual([]);
  });

  it.each([
    ['alone', [`Cookie: ${COOKIE}`]],
    ['between others', [`Cookie: a=1; ${COOKIE}; b=2`]],
    ['in the second header', ['Cookie: a=1', `Cookie: ${COOKIE}`]],
    ['beside invalid UTF-8', [`Cookie: a=\xe9; ${COOKIE}`]],
  ])('once, %s, lets the service get the identity and all cookies', async (_, lines) => {
    expect((await gateway.ask('GET /accounts', lines)).status).toBe(200);
    const identity = { 'id-account': ACCOUNT, authorization: `Bearer ${TOKEN}` };
    expect(gateway.reached()).toMatchObject([{ headers: { ...identity, cookie: expect.stringContaining(COOKIE) } }]);
  });
});
