import type { Page } from 'playwright-core';
import { visitAsCustomer } from '../_customer.ts';
import type { TestShop } from '../_shop.ts';

/** As web.dev and Lighthouse define it: 1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip. */
const slow4G = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

/** @returns a function that opens a page of a logged-in customer with an empty cache */
export async function customerOf(shop: Pick<TestShop, 'visit' | 'newPage'>): Promise<() => Promise<Page>> {
  const page = await visitAsCustomer(shop);
  const storageState = await page.context().storageState();
  await page.context().close();
  return () => shop.newPage({ storageState });
}

/**
 * Opens the shop with an empty cache, at slow 4G and a quarter of the CPU speed.
 * @param usable selector of the element that the customer waits for
 * @returns the bytes of all responses, and the time until that element appeared
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
