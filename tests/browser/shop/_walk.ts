import type { Page } from 'playwright-core';
import { put, register } from '../_customer.ts';

/** Walks over all pages with the mouse, with much of these products in the basket, and looks at each. */
export async function walk(page: Page, products: string[], look: (name: string) => Promise<void>): Promise<void> {
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await look('log in');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('[aria-invalid], .failure').first().waitFor();
  await look('log in, refused');
  await register(page);
  for (const name of products) await put(page, name);
  await look('catalogue');
  await page.getByRole('searchbox').fill('?!');
  await page.getByText('Type a letter or a digit to search for.').waitFor();
  await look('catalogue, refused');
  await page.getByRole('link', { name: /Basket/ }).click();
  await page.getByRole('heading', { name: 'Your order' }).waitFor();
  const quantity = page.getByRole('spinbutton').last();
  await quantity.fill('10000');
  await quantity.blur();
  await page.getByText(/^1000\d pieces$/).waitFor();
  await look('basket');
  await quantity.fill('1');
  await quantity.blur();
  await page.getByRole('button', { name: 'Place the order' }).click();
  await page.getByText('Confirming').waitFor();
  await look('order');
  await page.getByRole('button', { name: 'Cancel the order' }).click();
  await look('cancel');
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByText('cancelled by the customer').waitFor();
  await look('cancelled');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByText('2 products').waitFor();
  await look('orders');
  await page.getByRole('link', { name: 'Basket' }).click();
  await page.getByText('Your basket is empty.').waitFor();
  await look('empty basket');
}
