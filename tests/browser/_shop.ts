import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../../tools/free-port.ts';
import { root } from '../../tools/paths.ts';
import { startTestStore, type TestStore, until } from '../e2e/_store.ts';
import { openBrowser } from '../kit/chromium.ts';
import { createSend, sendExpecting } from '../kit/http.ts';

export interface TestShop {
  store: TestStore;
  browser: Browser;
  /** The shop's origin, http://localhost:<port>. */
  url: string;
  /** Of the gateway, by a name of the same site as the shop's. */
  gatewayUrl: string;
  /** A browser of its own, without cookies, at the shop. */
  visit(options?: BrowserContextOptions): Promise<Page>;
  stop(): Promise<void>;
}

/** Those that an order passes until it is confirmed. */
export const allComponents = ['gateway', 'auth', 'account', 'product', 'order', 'order-worker', 'inventory', 'payment'];

/** The production build of the shop, a store that allows its origin, and a browser. */
export async function startShop(components = allComponents): Promise<TestShop> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  // 127.0.0.1 is another site than localhost, whatever the port: CORS allows it here, so that SameSite alone decides.
  const origins = [url, `http://127.0.0.1:${port}`].join();
  const [store, browser, outDir] = await Promise.all([
    startTestStore({ components, env: { CORS_ALLOWED_ORIGINS: origins } }),
    openBrowser(),
    mkdtemp(join(tmpdir(), 'store-shop-')),
  ]);
  const gatewayUrl = `http://localhost:${store.ports.gateway}`;
  await buildShop(gatewayUrl, outDir);
  const server = execa('node', [join(outDir, 'server/server.js')], {
    env: { PORT: String(port), STORE_URL: gatewayUrl, NODE_OPTIONS: '' },
    reject: false,
  });
  await until('the shop is served', async () => (await fetch(url).catch(() => undefined))?.ok === true);

  const contexts: BrowserContext[] = [];
  return {
    store,
    browser,
    url,
    gatewayUrl,
    async visit(options = {}) {
      const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 860 }, ...options });
      contexts.push(context);
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
    async stop() {
      await Promise.all([browser.close(), server.kill(), server, rm(outDir, { recursive: true, force: true })]);
      await store.stop();
    },
  };
}

/** Outside Jest: its modules have another Array than those of Vite's native part. */
async function buildShop(storeUrl: string, outDir: string): Promise<void> {
  const vite = (...args: string[]) =>
    execa('node', [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', ...args], {
      cwd: join(root, 'examples/shop'),
      env: { VITE_STORE_URL: storeUrl, NODE_OPTIONS: '' },
    });
  await vite('--outDir', join(outDir, 'client'));
  await vite('--ssr', 'server.ts', '--outDir', join(outDir, 'server'));
}

export interface Wares {
  name: string;
  price: number;
  unit: string;
}

/** Adds products past the gateway, as somebody who may write them. */
export async function addProducts({ store }: TestShop, wares: readonly Wares[]): Promise<void> {
  const headers = { 'id-account': randomUUID() };
  const send = createSend(store.url('product'));
  for (const product of wares) await sendExpecting(201, send, 'POST', '/products', product, headers);
}

/** Registers in the shop; the catalogue comes next. */
export async function register(page: Page, name = 'Ada'): Promise<{ email: string; password: string }> {
  const customer = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  await page.getByRole('link', { name: 'Register' }).first().click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail address').fill(customer.email);
  await page.getByLabel('Password').fill(customer.password);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: 'Catalogue' }).waitFor();
  return customer;
}
