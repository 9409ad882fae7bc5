import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { createAccountClient } from '../src/account-client.ts';
import { ada } from './_app.ts';

let server: Server;
let url: string;
let listener: RequestListener;

beforeAll(async () => {
  server = createServer((req, res) => listener(req, res));
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
const respond =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_req, res) =>
    res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const problem = (status: number, rest = {}) => ({ type: 'about:blank', title: 'No', status, ...rest });
const client = (timeoutMs?: number) => createAccountClient({ baseUrl: url, ...(timeoutMs && { timeoutMs }) });

test('account client registers an account within the current trace', async () => {
  const seen: unknown[] = [];
  listener = async (req, res) => {
    const chunks = await req.toArray();
    const { 'content-type': type, traceparent } = req.headers;
    seen.push({
      method: req.method,
      url: req.url,
      type,
      traceparent,
      client: req.headers['x-envoy-external-address'],
      body: JSON.parse(Buffer.concat(chunks).toString()),
    });
    respond(201, { ...account, unknown: 'field' })(req, res);
  };
  const trace = traceFrom(undefined);
  expect(await runInTrace(trace, () => client().register(ada, '192.0.2.1'))).toEqual(account);
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/internal/accounts',
      type: 'application/json',
      traceparent: trace.traceparent,
      client: '192.0.2.1',
      body: ada,
    },
  ]);
});

test('account client returns the account for a correct password and undefined for a 401', async () => {
  listener = respond(200, account);
  expect(await client().checkPassword(ada)).toEqual(account);
  listener = respond(401, problem(401));
  expect(await client().checkPassword(ada)).toBeUndefined();
});

test('account client passes on 409 and 400 with their details', async () => {
  listener = respond(409, problem(409, { detail: 'Taken.' }));
  await expect(client().register(ada)).rejects.toMatchObject({
    kind: 'conflict',
    code: 'email-taken',
    message: 'Taken.',
  });
  const errors = [{ path: 'body.name', message: 'must rhyme' }];
  listener = respond(400, problem(400, { detail: 'body.name: must rhyme', errors }));
  const invalid = { kind: 'invalid', code: 'validation', message: 'body.name: must rhyme', errors };
  await expect(client().register(ada)).rejects.toMatchObject(invalid);
  await expect(client().checkPassword(ada)).rejects.toMatchObject(invalid);
});

test.each<[string, RequestListener, number]>([
  ['500', respond(500, problem(500)), 1],
  ['503 with Retry-After', respond(503, problem(503), { 'Retry-After': '7' }), 7],
  ['503 with a date', respond(503, problem(503), { 'Retry-After': 'Fri, 31 Dec 2027 23:59:59 GMT' }), 1],
  ['a body that is not JSON', respond(200, '<html>'), 1],
  ['an empty body', respond(200, ''), 1],
  ['null', respond(201, 'null'), 1],
  ['an account without an id', respond(200, { ...account, id: undefined }), 1],
  ['an account with an id that is not a UUID', respond(201, { ...account, id: '42' }), 1],
  ['404', respond(404, problem(404)), 1],
  ['a 401 without a problem', respond(401, '<html>'), 1],
  ['a redirect', respond(307, '', { Location: 'http://127.0.0.1:1/' }), 1],
  ['409 without a problem', respond(409, []), 1],
  ['a closed connection', (req) => req.socket.destroy(), 1],
  ['a truncated body', (_req, res) => res.writeHead(200, { 'content-length': 99 }).write('{', () => res.destroy()), 1],
])('account client treats the service as unavailable on %s', async (_, faulty, retryAfterSeconds) => {
  listener = faulty;
  const unavailable = { kind: 'unavailable', retryAfterSeconds };
  await expect(client().register(ada)).rejects.toMatchObject(unavailable);
  await expect(client().checkPassword(ada)).rejects.toMatchObject(unavailable);
});

test('account client times out when the response or its end is missing', async () => {
  let isRequested = false;
  listener = () => {
    isRequested = true;
  };
  await expect(client(50).checkPassword(ada)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(isRequested).toBe(true);
  listener = (_req, res) => res.writeHead(200).write('{');
  await expect(client(50).checkPassword(ada)).rejects.toMatchObject({ kind: 'unavailable' });
});

test('account client treats the service as unavailable when nothing listens on its port', async () => {
  const unreachable = createAccountClient({ baseUrl: 'http://127.0.0.1:1' });
  await expect(unreachable.register(ada)).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
});

test('account client replaces a password, whose answer has no body, and says what is refused', async () => {
  listener = respond(204, '');
  await expect(client().setPassword(account.id, 'battery staple')).resolves.toBeUndefined();
  listener = respond(400, problem(400, { detail: 'body.password: must have 8 to 128 characters' }));
  await expect(client().setPassword(account.id, 'short')).rejects.toMatchObject({ kind: 'invalid' });
  listener = respond(404, problem(404));
  await expect(client().setPassword(account.id, 'battery staple')).rejects.toMatchObject({ kind: 'unavailable' });
});

test('account client finds an account, or none', async () => {
  listener = respond(200, account);
  expect(await client().find(account.id)).toEqual(account);
  listener = respond(404, problem(404));
  expect(await client().find(account.id)).toBeUndefined();
});
