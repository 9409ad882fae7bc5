import type { Page } from 'playwright-core';
import { orderOn, put, register, show, writeCreditNote, writeInvoice } from '../_customer.ts';
import type { SharedShop } from '../_shop.ts';

/**
 * Visits all pages with the mouse, with these products in the basket, and calls `look` on each.
 * @param look gets a name that starts with the name of the page's file in src/pages
 * @param many the number of pieces of the last product
 */
export async function walk(
  shop: SharedShop,
  page: Page,
  products: string[],
  look: (name: string) => Promise<void>,
  many: number,
): Promise<void> {
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await look('credentials');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('[aria-invalid], .failure').first().waitFor();
  await look('credentials-refused');
  await show(page, 'forgotten');
  await page.getByRole('heading', { name: 'Forgotten password' }).waitFor();
  await look('by-mail-forgotten');
  await show(page, 'reset/token');
  await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
  await look('by-mail-reset');
  await show(page, 'confirm/token');
  await page.getByText('This link is no longer valid.').waitFor();
  await look('by-mail-confirm');
  await show(page, 'imprint');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await look('missing');
  await register(page);
  for (const name of products) await put(page, name);
  await look('catalogue');
  await page.locator('.product a').first().click();
  await page.locator('.product-page').waitFor();
  await look('product');
  await page.goBack();
  await page.getByRole('searchbox').fill('?!');
  await page.getByText('Type a letter or a digit to search for.').waitFor();
  await look('catalogue-refused');
  await page.getByRole('link', { name: /Basket/ }).click();
  await page.getByRole('heading', { name: 'Your order' }).waitFor();
  const quantity = page.getByRole('spinbutton').last();
  await quantity.fill(String(many));
  await quantity.blur();
  await page.getByText(new RegExp(`^${String(many).slice(0, -1)}\\d pieces$`)).waitFor();
  await page.getByLabel('Name').fill('Ada');
  await page.getByRole('button', { name: 'Place the order' }).click();
  await page.getByText('The address is not complete.').waitFor();
  await look('basket');
  await page.getByLabel('Name').fill('');
  await quantity.fill('1');
  await quantity.blur();
  await page.getByRole('button', { name: 'Place the order' }).click();
  await page.getByText('Confirming').waitFor();
  await look('order');
  const id = orderOn(page);
  await page.getByRole('button', { name: 'Cancel the order' }).click();
  await look('order-cancel');
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByText('cancelled by the customer').waitFor();
  await page.getByRole('button', { name: 'Put what is left back into the basket' }).click();
  await page.getByRole('link', { name: 'Look at your basket' }).waitFor();
  await look('order-cancelled');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByText('2 products').waitFor();
  await look('orders');
  await writeInvoice(shop, id);
  await show(page, `orders/${id}/invoice`);
  await page.getByRole('heading', { name: /^Invoice \d+$/ }).waitFor();
  await look('invoice');
  await writeCreditNote(shop, id);
  await show(page, `orders/${id}/credit-notes/1000000`);
  await page.getByRole('heading', { name: 'Credit note 1000000' }).waitFor();
  await look('credit-note');
  await show(page, 'account');
  await page.getByText('Here', { exact: true }).waitFor();
  await look('account');
  await show(page, 'basket');
  for (let left = products.length; left > 0; left -= 1)
    await page
      .getByRole('button', { name: /^Remove / })
      .first()
      .click();
  await page.getByText('Your basket is empty.').waitFor();
  await look('basket-empty');
}
