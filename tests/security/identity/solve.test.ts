import { ACCOUNT, TOKEN, useGateway } from '../_fixture.ts';
import { reply } from '../_upstream.ts';

// gateway.auth.call: solve. Auth is what the specification says and nothing else (contract 3.1).

const gateway = useGateway({ auth: { call: 'solve' } });

const ask = (value: string) => gateway.ask('GET /accounts', [`Cookie: a=1; __store_jwt_token=${value}; b=2`]);
const solved = (body: string) => gateway.auth.answer(reply(200, ['content-type: application/json'], body));

it.each([
  ['in white space', ` \t ${TOKEN} \t `, TOKEN],
  ['with an equals sign', 'a=b==', 'a=b=='],
  ['with quotes', '"a"b"', '"a"b"'],
  ['with backslashes', 'a\\"b\\\\c\\', 'a\\"b\\\\c\\'],
  ['that would end the text', 'a","token":"b', 'a"'],
  ['that would add a field', '"}\\u0022', '"}\\u0022'],
  ['with a pattern', '%0%1%%[a]*', '%0%1%%[a]*'],
])('the value of the cookie, %s, arrives trimmed and as it is', async (_, value, token) => {
  solved(`{"idAccount":"${ACCOUNT}"}`);
  expect((await ask(value)).status).toBe(200);
  expect(gateway.checks().map(({ body }) => JSON.parse(body))).toEqual([{ token }]);
  expect(gateway.reached()).toMatchObject([{ headers: { authorization: `Bearer ${token}` } }]);
});

it.each([
  ['bytes above ASCII', 'a\xe9b'],
  ['a control character', 'a\x01b'],
  ['white space inside', 'a b'],
])('a value with %s is no token, and returns 401 without asking', async (_, value) => {
  expect([400, 401]).toContain((await ask(value)).status);
  expect(gateway.seen).toEqual([]);
});

it('takes an answer with blanks, more fields and an id in capitals', async () => {
  solved(`\n{ "name": "x",\n  "idAccount" : "${ACCOUNT.toUpperCase()}" }\n`);
  expect((await ask(TOKEN)).status).toBe(200);
  expect(gateway.reached()).toMatchObject([{ headers: { 'id-account': ACCOUNT.toUpperCase() } }]);
});
