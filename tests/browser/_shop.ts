import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../../tools/free-port.ts';
import { serviceNames } from '../../tools/local/ports.ts';
import { root } from '../../tools/paths.ts';
import { type SharedStore, sharedStore } from '../e2e/_shared-store.ts';
import { startTestStore, type TestStore, until } from '../e2e/_store.ts';
import { openBrowser, still } from '../kit/chromium.ts';
import { newCustomer, newProduct } from '../kit/customer.ts';
import { createSend } from '../kit/http.ts';
import { someWares, type Wares } from './_wares.ts';

export interface TestShop<S = TestStore> {
  store: S;
  /** The address of the shop. */
  url: string;
  /** The address of the gateway, on the same site as the shop. */
  gatewayUrl: string;
  /** A page in a new browser context, without cookies. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Such a page, with the shop open. */
  visit(options?: BrowserContextOptions): Promise<Page>;
  stop(): Promise<void>;
}
export type SharedShop = TestShop<SharedStore>;

/** The components that an order passes until it is confirmed. */
export const allComponents = ['gateway', 'auth', 'account', 'product', 'order', 'order-worker', 'inventory', 'payment'];

interface ShopOptions {
  components?: string[];
  /** Variables of every service. */
  env?: Record<string, string>;
}

/** A store in which everything that an order causes happens within a few seconds. */
export const entireStore: ShopOptions = {
  components: ['gateway', ...serviceNames],
  env: { SHIP_AFTER_SECONDS: '5', RETRY_DELAY_MS: '100' },
};

type Stops = (() => Promise<unknown>)[];

async function stopAll(stops: Stops): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}

/** The production build of the shop, with its own store and browser. */
export async function startShop({ components = allComponents, env = {} }: ShopOptions = {}): Promise<TestShop> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const stops: Stops = [];
  try {
    const store = await startTestStore({ components, env: { ...env, CORS_ALLOWED_ORIGINS: url, SHOP_URL: url } });
    stops.push(store.stop);
    const gatewayUrl = `http://localhost:${store.ports.of('gateway')}`;
    stops.push(await serveShop(port, gatewayUrl));
    const shop = await openShop(store, url, gatewayUrl);
    stops.push(shop.stop);
    return { ...shop, stop: () => stopAll(stops) };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Starts such a shop with these products for the tests of a `describe`. @returns an object with its properties from the first test on */
export function useShop(options?: ShopOptions, wares: readonly Wares[] = []): TestShop {
  const later = {} as TestShop;
  beforeAll(async () => {
    Object.assign(later, await startShop(options));
    if (wares.length > 0) await addProducts(later, wares);
  }, 180_000);
  afterAll(() => later.stop?.(), 60_000);
  return later;
}

/**
 * Serves the shop for the store that tests share, with some products: at its own origin and below /shop of the store's gateways.
 * @returns a function that stops it
 */
export async function startSharedShop(): Promise<() => Promise<void>> {
  const { ports, pages } = sharedStore();
  const gatewayUrl = `http://localhost:${ports.of('gateway')}`;
  const stops = await Promise.all([serveShop(pages.own, gatewayUrl), serveShop(pages.belowGateway, '')]);
  await addProducts({ gatewayUrl }, someWares);
  return () => stopAll(stops);
}

/**
 * The shared shop, in a browser of the calling test file, until its tests have run.
 * @param below the port of a gateway that serves it at /shop; default: its own origin
 */
export async function sharedShop({ below }: { below?: number } = {}): Promise<SharedShop> {
  const store = sharedStore();
  const gatewayUrl = `http://localhost:${below ?? store.ports.of('gateway')}`;
  const url = below ? `${gatewayUrl}/shop` : `http://localhost:${store.pages.own}`;
  const shop = await openShop(store, url, gatewayUrl);
  afterAll(shop.stop);
  return shop;
}

async function openShop<S>(store: S, url: string, gatewayUrl: string): Promise<TestShop<S>> {
  const browser = await openBrowser();
  const newPage = async (options: BrowserContextOptions = {}) => {
    const common = { ...still, locale: 'en-US', viewport: { width: 1280, height: 860 } };
    return (await browser.newContext({ ...common, ...options })).newPage();
  };
  const visit = async (options?: BrowserContextOptions) => {
    const page = await newPage(options);
    await page.goto(url);
    return page;
  };
  return { store, url, gatewayUrl, newPage, visit, stop: () => browser.close() };
}

/** @param storeUrl empty if the shop is below /shop of the gateway, as in a cluster */
async function serveShop(port: number, storeUrl: string): Promise<() => Promise<void>> {
  const outDir = await mkdtemp(join(tmpdir(), 'store-shop-'));
  await buildShop(storeUrl, outDir);
  const server = execa('node', [join(outDir, 'server/server.js')], {
    env: { PORT: String(port), STORE_URL: storeUrl, NODE_OPTIONS: '' },
    reject: false,
  });
  await until('the shop is served', async () => (await fetch(`http://localhost:${port}`)).ok);
  return async () => {
    server.kill();
    await server;
    await rm(outDir, { recursive: true, force: true });
  };
}

/** Runs outside Jest, whose modules have a different Array from that of Vite's native part. */
async function buildShop(storeUrl: string, outDir: string): Promise<void> {
  const vite = (...args: string[]) =>
    execa('node', [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', ...args], {
      cwd: join(root, 'examples/shop'),
      env: { VITE_STORE_URL: storeUrl, NODE_OPTIONS: '' },
    });
  await vite('--outDir', join(outDir, 'client'));
  await vite('--ssr', 'server.ts', '--outDir', join(outDir, 'server'));
}

/** Sets how many pieces of a product can still be ordered. */
export async function setStock(
  { store }: { store: Pick<SharedStore, 'url' | 'credential'> },
  productId: string | undefined,
  available: number,
): Promise<void> {
  const authorization = { authorization: `Bearer ${store.credential}` };
  const { status, text } = await createSend(store.url('inventory'))(
    'PUT',
    `/stock/${productId}`,
    { available },
    authorization,
  );
  if (status !== 200 && status !== 201) throw new Error(`PUT /stock/${productId} returned ${status}: ${text}`);
}

/** Adds products to the store. @returns their ids by name, and the customer who added them */
export async function addProducts(shop: Pick<TestShop, 'gatewayUrl'>, wares: readonly Wares[]) {
  const seller = await newCustomer(createSend(shop.gatewayUrl));
  const ids = new Map<string, string>();
  for (const product of wares) ids.set(product.name, await newProduct(seller, product));
  return { ids, seller };
}
