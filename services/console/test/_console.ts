import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@store/shared/observability/log';
import type { Page } from 'playwright-core';
import request from 'supertest';
import { configSchema } from '../src/config.ts';
import { createConsole } from '../src/service.ts';
import { createHistory } from '../src/watch/history.ts';

export const token = 'a-token-of-the-console-0123456789';

/** Answers for a service: by method and path, or undefined for a 404. */
export type Answer = (method: string, path: string, body: unknown, headers: IncomingHttpHeaders) => unknown;

/** An answer that is not 200, or has headers. */
export class Reply {
  readonly status: number;
  /** JSON text, or what becomes it. */
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Something that answers like a service, and what it was asked. */
export async function fakeService(answer: Answer) {
  const asked: { method: string; path: string; text: string; body: unknown; authorization: string | undefined }[] = [];
  const server = createServer(async (req, res) => {
    const chunks = await req.toArray();
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = req;
    const body = text === '' ? undefined : JSON.parse(text);
    asked.push({ method, path: url, text, body, authorization: headers.authorization });
    const answered = (await answer(method, url, body, headers)) ?? new Reply(404, { detail: 'There is none.' });
    const reply = answered instanceof Reply ? answered : new Reply(200, answered);
    res.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
    res.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections(); // those that never got an answer
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The real console before fake services, and a person at it. */
export function testConsole(
  services: Record<string, string> = {},
  env: Record<string, string> = {},
  history = createHistory(),
) {
  const logged: Record<string, unknown>[] = [];
  const log = createLog('console', 'info', { write: (line: string) => void logged.push(JSON.parse(line)) });
  const config = configSchema.parse({
    CONSOLE_TOKEN: token,
    SERVICES: Object.entries(services)
      .map(([name, url]) => `${name}=${url}`)
      .join(),
    METRICS: '',
    GROUPS: Object.keys(services).join(),
    ...env,
  });
  const { app } = createConsole({ config, log }, history);
  const server = createServer(app);
  const ready = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = () => request(`${origin()}/console`);

  return {
    logged,
    ready,
    origin,
    http,
    close: () => new Promise((resolve) => server.close(resolve)),
    /** @returns the cookie */
    async login(name = 'ann', given = token): Promise<string> {
      const { headers } = await http().post('/session').set('Origin', origin()).send({ token: given, name });
      return String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
    },
    send: (method: 'post' | 'put' | 'delete', path: string, cookie: string) =>
      http()[method](path).set({ Origin: origin(), Cookie: cookie }),
    read: (path: string, cookie: string) => http().get(path).set('Cookie', cookie),
  };
}

/** On a page of the console that shows its log-in. */
export async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('ann');
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}
