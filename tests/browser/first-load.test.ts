import type { Page } from 'playwright-core';
import { chromiumPath } from '../kit/chromium.ts';
import { register } from './_customer.ts';
import { addProducts, startShop, type TestShop } from './_shop.ts';
import { someWares } from './_wares.ts';

const tries = 3;

/** As web.dev and Lighthouse define it: 1.6 Mbit/s down, 750 kbit/s up, 150 ms there and back. */
const slow4G = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

(chromiumPath ? describe : describe.skip)('the first load of the shop', () => {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop({ components: ['gateway', 'auth', 'account', 'product', 'order'] });
    await addProducts(shop, [...someWares, ...someWares]);
  }, 180_000);

  afterAll(() => shop?.stop(), 60_000);

  /** A customer who is logged in comes with an empty cache. @returns bytes of all replies, and after how long something can be bought */
  async function load(page: Page, usable = '.product button'): Promise<{ bytes: number; ms: number }> {
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
    await page.goto(shop.url);
    await page.locator(usable).first().waitFor();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    return { bytes, ms: (await page.evaluate('window.usableAfterMs')) as number };
  }

  it('asks whose session it is once, and before the script is there', async () => {
    const page = await shop.newPage();
    await load(page, 'form button');
    const entries = (await page.evaluate(
      'performance.getEntriesByType("resource").map((entry) => entry.toJSON())',
    )) as {
      name: string;
      startTime: number;
      responseEnd: number;
    }[];
    const asked = entries.filter(({ name }) => name.endsWith('/accounts'));
    const script = entries.find(({ name }) => name.endsWith('.js'));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.startTime).toBeLessThan(script?.responseEnd ?? 0);
    await page.context().close();
  });

  it('takes at most 100 KB, and at slow 4G and a fourth of the CPU 1.5 s until something can be bought', async () => {
    const first = await shop.visit();
    await register(first);
    const storageState = await first.context().storageState();
    await first.context().close();
    const loads: { bytes: number; ms: number }[] = [];
    for (let turn = 0; turn < tries; turn += 1) {
      const page = await shop.newPage({ storageState });
      loads.push(await load(page));
      await page.context().close();
    }
    console.log(JSON.stringify(loads));
    expect(Math.max(...loads.map(({ bytes }) => bytes))).toBeLessThanOrEqual(100_000);
    // The best one: other tests want this CPU, too.
    expect(Math.min(...loads.map(({ ms }) => ms))).toBeLessThanOrEqual(1500);
  });
});
