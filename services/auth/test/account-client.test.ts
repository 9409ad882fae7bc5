import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { createAccountClient } from '../src/account-client.ts';
import { ada } from './_app.ts';

let server: Server;
let url: string;
let answer: RequestListener;

beforeAll(async () => {
  server = createServer((req, res) => answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const account = {
  id: '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001',
  name: ada.name,
  email: ada.email,
  createdAt: '2026-01-01T00:00:00.000Z',
};
const says =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_req, res) =>
    res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const problem = (status: number, rest = {}) => ({ type: 'about:blank', title: 'No', status, ...rest });
const client = (timeoutMs?: number) => createAccountClient({ baseUrl: url, ...(timeoutMs && { timeoutMs }) });

it('registers, and goes on with the trace', async () => {
  const seen: unknown[] = [];
  answer = async (req, res) => {
    const chunks = await req.toArray();
    const { 'content-type': type, traceparent } = req.headers;
    seen.push({
      method: req.method,
      url: req.url,
      type,
      traceparent,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    });
    says(201, { ...account, more: 'than is known here' })(req, res);
  };
  const trace = traceFrom(undefined);
  expect(await runInTrace(trace, () => client().register(ada))).toEqual(account);
  expect(seen).toEqual([
    { method: 'POST', url: '/internal/accounts', type: 'application/json', traceparent: trace.traceparent, body: ada },
  ]);
});

it('checks a password', async () => {
  answer = says(200, account);
  expect(await client().checkPassword(ada)).toEqual(account);
  answer = says(401, problem(401));
  expect(await client().checkPassword(ada)).toBeUndefined();
});

it('passes on what the account service refuses', async () => {
  answer = says(409, problem(409, { detail: 'Taken.' }));
  await expect(client().register(ada)).rejects.toMatchObject({
    kind: 'conflict',
    code: 'email-taken',
    message: 'Taken.',
  });
  const errors = [{ path: 'body.name', message: 'must rhyme' }];
  answer = says(400, problem(400, { detail: 'body.name: must rhyme', errors }));
  const invalid = { kind: 'invalid', code: 'validation', message: 'body.name: must rhyme', errors };
  await expect(client().register(ada)).rejects.toMatchObject(invalid);
  await expect(client().checkPassword(ada)).rejects.toMatchObject(invalid);
});

it.each<[string, RequestListener, number]>([
  ['500', says(500, problem(500)), 1],
  ['503 with Retry-After', says(503, problem(503), { 'Retry-After': '7' }), 7],
  ['503 with a date', says(503, problem(503), { 'Retry-After': 'Fri, 31 Dec 2027 23:59:59 GMT' }), 1],
  ['garbage', says(200, '<html>'), 1],
  ['nothing', says(200, ''), 1],
  ['null', says(201, 'null'), 1],
  ['an account without an id', says(200, { ...account, id: undefined }), 1],
  ['an account with an id that is no UUID', says(201, { ...account, id: '42' }), 1],
  ['404', says(404, problem(404)), 1],
  ['a 401 that is no answer of it', says(401, '<html>'), 1],
  ['a redirect', says(307, '', { Location: 'http://127.0.0.1:1/' }), 1],
  ['409 without a problem', says(409, []), 1],
  ['a closed connection', (req) => req.socket.destroy(), 1],
  [
    'a body that breaks off',
    (_req, res) => res.writeHead(200, { 'content-length': 99 }).write('{', () => res.destroy()),
    1,
  ],
])('takes %s for being away', async (_, given, retryAfterSeconds) => {
  answer = given;
  const away = { kind: 'unavailable', retryAfterSeconds };
  await expect(client().register(ada)).rejects.toMatchObject(away);
  await expect(client().checkPassword(ada)).rejects.toMatchObject(away);
});

it('gives up when the answer or its end does not come', async () => {
  let asked = false;
  answer = () => {
    asked = true;
  };
  await expect(client(50).checkPassword(ada)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(asked).toBe(true);
  answer = (_req, res) => res.writeHead(200).write('{');
  await expect(client(50).checkPassword(ada)).rejects.toMatchObject({ kind: 'unavailable' });
});

it('takes a port that nobody listens on for being away', async () => {
  const nobody = createAccountClient({ baseUrl: 'http://127.0.0.1:1' });
  await expect(nobody.register(ada)).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
});
