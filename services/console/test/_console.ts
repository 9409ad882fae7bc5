import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@store/shared/observability/log';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import request from 'supertest';
import { chromiumPath, openBrowser } from '../../../tests/kit/chromium.ts';
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

interface Asked {
  method: string;
  path: string;
  text: string;
  body: unknown;
  authorization: string | undefined;
  operator: string | string[] | undefined;
}

/** Something that answers like a service. @param asked gets what it was asked */
export async function fakeService(answer: Answer, asked: Asked[] = []) {
  const server = createServer(async (req, res) => {
    const chunks = await req.toArray();
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = req;
    const body = text === '' ? undefined : JSON.parse(text);
    asked.push({
      method,
      path: url,
      text,
      body,
      authorization: headers.authorization,
      operator: headers['operator-name'],
    });
    const answered = (await answer(method, url, body, headers)) ?? new Reply(404, { detail: 'There is none.' });
    const reply = answered instanceof Reply ? answered : new Reply(200, answered);
    res.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
    if (reply.status === 204) return res.end();
    return res.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
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
  history: History = createHistory(),
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
    AUDITED: Object.keys(services).join(),
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

type Store = Record<string, Answer | string>;
type History = ReturnType<typeof createHistory>;

/**
 * Has the console for all tests of a file or a `describe`, or one for each of them.
 * @param storeOf the services, each with its answers or an address
 * @returns has the properties of the console from the first test on, and what its services were asked
 */
export function useConsole(
  storeOf: () => Store = () => ({}),
  { env = {}, history = createHistory(), tests = 'all' }: UseOptions = {},
) {
  const [before, after] = tests === 'all' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  const later = {} as ReturnType<typeof testConsole> & { asked: Asked[] };
  let closing: { close(): unknown }[] = [];
  before(async () => {
    const asked: Asked[] = [];
    const urls: Record<string, string> = {};
    for (const [name, answer] of Object.entries(storeOf())) {
      const service = typeof answer === 'string' ? { url: answer } : await fakeService(answer, asked);
      urls[name] = service.url;
      if ('close' in service) closing.push(service);
    }
    const console = testConsole(urls, env, history);
    closing.push(console);
    await console.ready;
    Object.assign(later, console, { asked });
  });
  after(async () => {
    await Promise.all(closing.map((one) => one.close()));
    closing = [];
  });
  return later;
}

interface UseOptions {
  env?: Record<string, string>;
  history?: History;
  tests?: 'all' | 'each';
}

/** Tests with a browser, where there is one. Each page has a context of its own, until the test ends. */
export function describePages(name: string, tests: (open: (options?: BrowserContextOptions) => Promise<Page>) => void) {
  (chromiumPath ? describe : describe.skip)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
    afterAll(() => browser?.close());
    tests(async (options) => (await browser.newContext(options)).newPage());
  });
}

/** On a page of the console that shows its log-in. */
export async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('ann');
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}
