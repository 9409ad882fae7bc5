import type { IncomingHttpHeaders } from 'node:http';
import { createLog } from '@store/shared/observability/log';
import type { Page } from 'playwright-core';
import request from 'supertest';
import { chromiumPath, usePages } from '../../../tests/kit/chromium.ts';
import { serve } from '../../../tests/kit/listen.ts';
import { configSchema } from '../src/config.ts';
import { createConsole } from '../src/service.ts';
import { createHistory } from '../src/watch/history.ts';
import type { PrometheusAlerts } from '../src/watch/prometheus-client.ts';

export const token = 'a-token-of-the-console-0123456789';
/** The name of the operator ann as services get it. */
export const ann = 'ann (shared token)';

/** Answers for a service; undefined becomes a 404. */
export type Answer = (method: string, path: string, body: unknown, headers: IncomingHttpHeaders) => unknown;

/** An answer with a status other than 200, or with headers. */
export class Reply {
  readonly status: number;
  /** JSON text, or a value to write as JSON. */
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

/** Starts a fake service until the tests of the file have run. @param asked collects its requests @returns its address */
export const fakeService = (answer: Answer, asked: Asked[] = []) =>
  serve(async (req, res) => {
    const text = Buffer.concat(await req.toArray()).toString();
    const { method = '', url: path = '', headers } = req;
    const body = text === '' ? undefined : JSON.parse(text);
    const { authorization, 'operator-name': operator } = headers;
    asked.push({ method, path, text, body, authorization, operator });
    const answered = (await answer(method, path, body, headers)) ?? new Reply(404, { detail: 'There is none.' });
    const reply = answered instanceof Reply ? answered : new Reply(200, answered);
    res.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
    if (reply.status === 204) return res.end();
    return res.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });

interface UseOptions {
  env?: Record<string, string>;
  history?: ReturnType<typeof createHistory>;
  alerts?: PrometheusAlerts;
  tests?: 'all' | 'each';
}

/**
 * Starts the real console with fake services and a logged-in operator, once for all tests of a file or `describe`, or for each test.
 * @param storeOf the services, each with its answers or an address
 * @returns the console, with the requests to its services and its log
 */
export function useConsole(
  storeOf: () => Record<string, Answer | string> = () => ({}),
  { env = {}, history = createHistory(), alerts, tests = 'all' }: UseOptions = {},
) {
  const console = {
    origin: '',
    /** The session of ann. */
    cookie: '',
    asked: [] as Asked[],
    logged: [] as Record<string, unknown>[],
  };
  const http = () => request(`${console.origin}/console`);
  /** @returns the session's cookie */
  async function login(name = 'ann', given = token): Promise<string> {
    const { headers } = await http().post('/session').set('Origin', console.origin).send({ token: given, name });
    return String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
  }
  const send = (method: 'post' | 'put' | 'delete', path: string, cookie = console.cookie) =>
    http()[method](path).set({ Origin: console.origin, Cookie: cookie });
  const read = (path: string, cookie = console.cookie) => http().get(path).set('Cookie', cookie);

  (tests === 'all' ? beforeAll : beforeEach)(async () => {
    console.asked = [];
    console.logged = [];
    const addresses: string[] = [];
    for (const [name, answer] of Object.entries(storeOf()))
      addresses.push(`${name}=${typeof answer === 'string' ? answer : await fakeService(answer, console.asked)}`);
    const names = addresses.map((address) => address.replace(/=.*/, '')).join();
    const config = configSchema.parse({
      ...{ CONSOLE_TOKEN: token, SERVICES: addresses.join(), METRICS: '', GROUPS: names, AUDITED: names },
      ...env,
    });
    const log = createLog('console', 'info', { write: (line: string) => void console.logged.push(JSON.parse(line)) });
    console.origin = await serve(createConsole({ config, log }, { history, ...(alerts && { alerts }) }).app);
    console.cookie = await login();
  });
  return Object.assign(console, { http, login, send, read });
}

/** Tests with a browser; skipped if there is none. */
export const describePages = (name: string, tests: (open: ReturnType<typeof usePages>) => void) =>
  (chromiumPath ? describe : describe.skip)(name, () => tests(usePages()));

/** Opens a page of the console and logs in. @returns the page */
export async function logIn(page: Page, { origin }: { origin: string }, path = ''): Promise<Page> {
  await page.goto(`${origin}/console/${path}`);
  await fillLogin(page);
  return page;
}

export async function fillLogin(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('ann');
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Use the token' }).click();
}
