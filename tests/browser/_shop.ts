import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../../tools/free-port.ts';
import { serviceNames } from '../../tools/local/ports.ts';
import { root } from '../../tools/paths.ts';
import { startTestStore, type TestStore, until } from '../e2e/_store.ts';
import { openBrowser } from '../kit/chromium.ts';
import { createSend, sendExpecting } from '../kit/http.ts';

export interface TestShop {
  store: TestStore;
  /** Where the shop is. */
  url: string;
  /** The gateway's, by a name of the same site as the shop's. */
  gatewayUrl: string;
  /** A browser of its own, without cookies. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** A new page at the shop. */
  visit(options?: BrowserContextOptions): Promise<Page>;
  stop(): Promise<void>;
}

/** Those that an order passes until it is confirmed. */
export const allComponents = ['gateway', 'auth', 'account', 'product', 'order', 'order-worker', 'inventory', 'payment'];

interface ShopOptions {
  components?: string[];
  /** Below /shop of the gateway, as in a cluster, instead of an origin of its own. */
  behindGateway?: boolean;
  /** Variables of every service. */
  env?: Record<string, string>;
}

/** For a walk over all that an order causes, in a few seconds. */
export const entireStore: ShopOptions = {
  components: ['gateway', ...serviceNames],
  env: { SHIP_AFTER_SECONDS: '5', RETRY_DELAY_MS: '100' },
};

/** The production build of the shop, a store, and a browser. */
export async function startShop({
  components = allComponents,
  behindGateway = false,
  env = {},
}: ShopOptions = {}): Promise<TestShop> {
  const port = await freePort();
  const own = `http://localhost:${port}`;
  // 127.0.0.1 is another site than localhost, whatever the port: CORS allows it here, so that SameSite alone decides.
  const origins = behindGateway ? '' : [own, `http://127.0.0.1:${port}`].join();
  const gateway = { global: { shop: { enabled: true } }, upstreams: { shop: { host: '127.0.0.1', port } } };
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const part of stops.splice(0).reverse()) await part();
  };
  try {
    const store = await startTestStore({
      components,
      env: { ...env, CORS_ALLOWED_ORIGINS: origins },
      ...(behindGateway && { gateway }),
    });
    stops.push(store.stop);
    const gatewayUrl = `http://localhost:${store.ports.of('gateway')}`;
    const url = behindGateway ? `${gatewayUrl}/shop` : own;
    const storeUrl = behindGateway ? '' : gatewayUrl;

    const outDir = await mkdtemp(join(tmpdir(), 'store-shop-'));
    stops.push(() => rm(outDir, { recursive: true, force: true }));
    await buildShop(storeUrl, outDir);
    const server = execa('node', [join(outDir, 'server/server.js')], {
      env: { PORT: String(port), STORE_URL: storeUrl, NODE_OPTIONS: '' },
      reject: false,
    });
    stops.push(() => {
      server.kill();
      return server;
    });
    await until('the shop is served', async () => (await fetch(url).catch(() => undefined))?.ok === true);

    const browser = await openBrowser();
    stops.push(() => browser.close());
    const newPage = async (options: BrowserContextOptions = {}) => {
      const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 860 }, ...options });
      return context.newPage();
    };
    const visit = async (options?: BrowserContextOptions) => {
      const page = await newPage(options);
      await page.goto(url);
      return page;
    };
    return { store, url, gatewayUrl, newPage, visit, stop };
  } catch (error) {
    await stop();
    throw error;
  }
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

/** Adds products past the gateway, as somebody who may write them. @returns their ids by name */
export async function addProducts({ store }: TestShop, wares: readonly Wares[]): Promise<Map<string, string>> {
  const headers = { 'id-account': randomUUID() };
  const send = createSend(store.url('product'));
  const ids = new Map<string, string>();
  for (const product of wares) {
    const { body } = await sendExpecting(201, send, 'POST', '/products', product, headers);
    ids.set(product.name, body.id);
  }
  return ids;
}
