import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { root } from '../../tools/paths.ts';
import { runCommand } from '../../tools/run-command.ts';
import { chromiumPath, howToGetChromium } from '../kit/chromium.ts';
import { register } from './_customer.ts';
import { addProducts, startShop, type TestShop } from './_shop.ts';
import { someWares } from './_wares.ts';

const folder = join(root, 'docs/images');
/** The other looks have pictures of two pages. */
const pagesInAllLooks = ['catalogue', 'order'];
const looks: [suffix: string, options: BrowserContextOptions][] = [
  ['', { colorScheme: 'light' }],
  ['-dark', { colorScheme: 'dark' }],
  ['-narrow', { colorScheme: 'light', viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 }],
];

/** Walks through the shop as a customer and takes a picture of each page. */
async function walk(page: Page, take: (name: string) => Promise<unknown>): Promise<void> {
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await take('log-in');
  await register(page);
  for (const name of ['Linen towel', 'Sea salt', 'Black rice', 'Black rice'])
    await page.getByRole('button', { name: `Add ${name} to the basket` }).click();
  await page.evaluate('scrollTo(0, 0)');
  await page.getByText(/in your basket/).waitFor({ state: 'hidden' });
  await take('catalogue');
  await page.getByRole('link', { name: /Basket/ }).click();
  await page.getByRole('heading', { name: 'Your order' }).waitFor();
  await take('basket');
  await page.getByRole('button', { name: 'Place the order' }).click();
  await page.getByText('Getting ready to ship').waitFor();
  await take('order');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByText('3 products').waitFor();
  await take('orders');
}

async function takeAll(shop: TestShop): Promise<void> {
  await addProducts(shop, [...someWares].reverse());
  await mkdir(folder, { recursive: true });
  for (const [suffix, options] of looks) {
    const page = await shop.visit(options);
    await walk(page, async (name) => {
      if (suffix !== '' && !pagesInAllLooks.includes(name)) return;
      await page.screenshot({ path: join(folder, `shop-${name}${suffix}.png`), animations: 'disabled' });
      console.log(`docs/images/shop-${name}${suffix}.png`);
    });
  }
}

const command = new Command('make screenshots')
  .description(
    'Writes pictures of every page of the shop, two of them also dark and narrow, to docs/images, from a store of its own on free ports.',
  )
  .action(async () => {
    if (chromiumPath === '') throw new Error(`Pictures need Chromium: ${howToGetChromium}.`);
    const shop = await startShop();
    try {
      await takeAll(shop);
    } finally {
      await shop.stop();
    }
  });

await runCommand(command);
