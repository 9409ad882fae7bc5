import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { root } from '../../tools/paths.ts';
import { Tool } from '../../tools/run-command.ts';
import { chromiumPath, howToGetChromium } from '../kit/chromium.ts';
import { register } from './_customer.ts';
import { inAllLooks } from './_pictures.ts';
import { addProducts, entireStore, startShop, type TestShop } from './_shop.ts';
import { someWares } from './_wares.ts';
import { openConsole } from './operator/_console.ts';
import { prepare, walkConsole } from './operator/_console-pictures.ts';

const folder = join(root, 'docs/images');
const looks: [suffix: string, options: BrowserContextOptions][] = [
  ['', { colorScheme: 'light' }],
  ['-dark', { colorScheme: 'dark' }],
  ['-narrow', { colorScheme: 'light', viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 }],
];

/** Walks through the shop as a customer. */
async function walkShop(page: Page, take: (name: string) => Promise<void>): Promise<void> {
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await take('log-in');
  await register(page);
  for (const name of ['Linen towel', 'Sea salt', 'Black rice', 'Black rice'])
    await page.getByRole('button', { name: `Add ${name} to the basket` }).click();
  await page.evaluate('scrollTo(0, 0)');
  await page.getByText(/in your basket/).waitFor({ state: 'hidden' });
  await take('catalogue');
  await page.getByRole('link', { name: 'Linen towel', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Linen towel' }).waitFor();
  await take('product');
  await page.getByRole('link', { name: /Basket/ }).click();
  await page.getByRole('heading', { name: 'Your order' }).waitFor();
  await take('basket');
  await page.getByRole('button', { name: 'Place the order' }).click();
  await page.getByText('Getting ready to ship').waitFor();
  await take('order');
  await page.getByRole('link', { name: 'Printable invoice' }).click();
  await page.getByRole('heading', { level: 1, name: /^Invoice/ }).waitFor();
  await take('invoice');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByText('3 products').waitFor();
  await take('orders');
  await page.getByRole('link', { name: 'Account', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
  await take('account');
}

/** @param isWhole whether pictures on the wide screen in light colours also show what one must scroll to */
const taking = (page: Page, of: string, suffix: string, isWhole: boolean) => async (name: string) => {
  const picture = `${of}-${name}`;
  if (suffix === '-dark' && !inAllLooks.includes(picture)) return;
  const path = join(folder, `${picture}${suffix}.png`);
  await page.screenshot({ path, animations: 'disabled', fullPage: isWhole && suffix !== '-narrow' });
  console.log(`docs/images/${picture}${suffix}.png`);
};

async function takeAll(shop: TestShop): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { ids: products } = await addProducts(shop, [...someWares].reverse());
  for (const [suffix, options] of looks) {
    const page = await shop.visit(options);
    await walkShop(page, taking(page, 'shop', suffix, false));
  }
  const waiting = await prepare(shop, products);
  for (const [suffix, options] of looks) {
    const page = await openConsole(shop, 'Ann', options);
    await walkConsole(page, taking(page, 'console', suffix, true), waiting);
  }
}

await new Tool('make screenshots')
  .description(
    'Writes screenshots of every page of the shop and the console to docs/images: all pages wide and narrow, and two of each in dark colours. Starts its own store on free ports. Takes some minutes.',
  )
  .action(async () => {
    if (chromiumPath === '') throw new Error(`Screenshots need Chromium: ${howToGetChromium}.`);
    const shop = await startShop({ components: entireStore.components });
    try {
      await takeAll(shop);
    } finally {
      await shop.stop();
    }
  })
  .run();
