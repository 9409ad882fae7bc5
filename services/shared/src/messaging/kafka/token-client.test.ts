import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tokenSource } from './token-client.ts';

let answer: [status: number, body: unknown];
let asked = 0;
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((_, response) => {
    asked += 1;
    response.writeHead(answer[0]).end(JSON.stringify(answer[1]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
});
afterAll(() => server.close());
beforeEach(() => {
  asked = 0;
});

const source = () => tokenSource({ url, clientId: 'order', clientSecret: () => 'hidden' });

it('keeps a token, and sends one request for all callers that wait for it', async () => {
  answer = [200, { access_token: 'a', expires_in: 60 }];
  const token = source();
  expect(await Promise.all([token(), token(), token()])).toEqual(['a', 'a', 'a']);
  expect(await token()).toBe('a');
  expect(asked).toBe(1);
});

it('requests a new token if the last has no lifetime, or a fifth of it left', async () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
  answer = [200, { access_token: 'without' }];
  const token = source();
  await token();
  answer = [200, { access_token: 'with', expires_in: 100 }];
  expect(await token()).toBe('with');
  answer = [200, { access_token: 'next' }];
  now.mockReturnValue(1_079_999);
  expect(await token()).toBe('with');
  now.mockReturnValue(1_080_000);
  expect(await token()).toBe('next');
  now.mockRestore();
});

it.each<[string, typeof answer, RegExp]>([
  ['refuses', [401, { error: 'invalid_client' }], /^No token from 127\.0\.0\.1:\d+: it answered 401$/],
  ['has no token', [200, { token: 'a' }], /No token from/],
])('fails like an unreachable broker if the server %s, and recovers', async (_, refusal, message) => {
  answer = refusal;
  const token = source();
  await expect(token()).rejects.toMatchObject({ name: 'KafkaJSConnectionError', retriable: true });
  await expect(token()).rejects.toThrow(message);
  await expect(token()).rejects.not.toThrow(/hidden/);
  answer = [200, { access_token: 'a', expires_in: 60 }];
  expect(await token()).toBe('a');
});
