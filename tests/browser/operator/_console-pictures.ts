import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { createSend, sendExpecting } from '../../kit/http.ts';
import type { TestShop } from '../_shop.ts';
import { breakPayments } from './_cause.ts';
import { findLetters, openConsole } from './_console.ts';

/** The time after which charts show data. */
const tradeSeconds = 90;
/** The product that runs out. */
const scarce = { name: 'Wildflower honey', available: 12 };

/**
 * Lets customers order for a while. Three orders fail, and the dead letter of one is discarded. @returns the id of an order that
 * is stuck until its dead letter is redriven
 */
export async function prepare(shop: TestShop, products: Map<string, string>): Promise<string> {
  const order = createSend(shop.store.url('order'));
  const inventory = createSend(shop.store.url('inventory'));
  const place = async (productId: string, expected = 201) => {
    const body = { items: [{ productId, quantity: 1 }] };
    return sendExpecting(expected, order, 'POST', '/orders', body, { 'id-account': randomUUID() });
  };
  await sendExpecting(201, inventory, 'PUT', `/stock/${products.get(scarce.name)}`, { available: scarce.available });

  const ids = [...products.values()];
  const begin = Date.now();
  for (let count = 0; Date.now() - begin < tradeSeconds * 1_000; count += 1) {
    await place(ids[count % ids.length] ?? '');
    if (count % 25 === 0) await place(randomUUID(), 400); // an unknown product
    await sleep(150 + 120 * Math.sin((Date.now() - begin) / 9_000));
  }

  await breakPayments(shop.store);
  const failed: string[] = [];
  for (let count = 0; count < 3; count += 1) failed.push((await place(products.get('Linen towel') ?? '')).body.id);
  const page = await openConsole(shop, 'Ann');
  const [waiting = '', discarded = ''] = failed;
  await findLetters(page, discarded);
  await page.getByRole('checkbox', { name: /^Select all / }).check();
  await page.getByRole('button', { name: /^Discard \d+ letter/ }).click();
  await page.getByLabel('Reason').fill('Ordered twice by mistake; the customer was told.');
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await page.getByText('There are no dead letters here.').waitFor();
  await page.context().close();
  return waiting;
}

/** Walks through the console as an operator. */
export async function walkConsole(page: Page, take: (name: string) => Promise<void>, orderId: string): Promise<void> {
  await page.getByText('processes are ready').waitFor();
  await take('now');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByRole('region', { name: 'All orders' }).getByRole('row').nth(1).waitFor();
  await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
  await take('orders');
  await page.getByLabel('Order, invoice, name or e-mail address').fill(orderId);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText('failed to handle').waitFor();
  await take('order');
  await findLetters(page, '');
  await page.getByText('Ordered twice by mistake').waitFor();
  await page.getByRole('checkbox', { name: /^Select all / }).check();
  await take('dead-letters');
  await page.getByRole('link', { name: 'Stock' }).click();
  await page.getByRole('row', { name: /Sea salt/ }).waitFor();
  await take('stock');
  await page.getByRole('link', { name: 'Change Sea salt' }).click();
  await page.getByRole('region', { name: 'Change Sea salt' }).waitFor();
  await take('product');
  await page.getByRole('link', { name: 'Books', exact: true }).click();
  await page
    .getByRole('row', { name: /revenue|unearned/ })
    .first()
    .waitFor();
  await take('books');
  await page.getByRole('link', { name: 'Mails', exact: true }).click();
  await page.getByRole('row').nth(1).waitFor();
  await take('mails');
  await page.getByRole('link', { name: 'Accounts', exact: true }).click();
  await page.getByRole('heading', { name: 'Accounts' }).waitFor();
  await take('accounts');
  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await page.getByRole('row').nth(1).waitFor();
  await take('audit');
}
