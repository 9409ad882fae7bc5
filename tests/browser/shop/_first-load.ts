import type { Page } from 'playwright-core';
import { register } from '../_customer.ts';
import { addProducts, startShop, type TestShop } from '../_shop.ts';
import { someWares } from '../_wares.ts';

/** As web.dev and Lighthouse define it: 1.6 Mbit/s down, 750 kbit/s up, 150 ms there and back. */
const slow4G = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

/** Starts a shop for the tests of the block that calls it. @returns a way to that shop, for when they run */
export function smallShop(): () => TestShop {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop({ components: ['gateway', 'auth', 'account', 'product', 'order'] });
    await addProducts(shop, [...someWares, ...someWares]);
  }, 180_000);

  afterAll(() => shop?.stop(), 60_000);

  return () => shop;
}

/** @returns a way to pages of a customer who is logged in, each with an empty cache */
export async function customerOf(shop: TestShop): Promise<() => Promise<Page>> {
  const page = await shop.visit();
  await register(page);
  const storageState = await page.context().storageState();
  await page.context().close();
  return () => shop.newPage({ storageState });
}

/**
 * Opens the shop with an empty cache, at slow 4G and a fourth of the CPU.
 * @param usable what the customer waits for
 * @returns bytes of all replies, and after how long that was there
 */
export async function load(
  page: Page,
  url: string,
  usable = '.product button',
): Promise<{ bytes: number; ms: number }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.clearBrowserCache');
  await devtools.send('Network.emulateNetworkConditions', slow4G);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.addInitScript(`(function look() {
    if (document.querySelector('${usable}')) window.usableAfterMs = performance.now();
    else requestAnimationFrame(look);
  })()`);
  await page.goto(url);
  await page.locator(usable).first().waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  return { bytes, ms: (await page.evaluate('window.usableAfterMs')) as number };
}
