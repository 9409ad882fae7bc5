import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Store } from '../../tools/local/store.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import type { TestShop } from './_shop.ts';

export interface Credentials {
  email: string;
  password: string;
}

/** Fills in the credentials on the log-in or registration form. */
export async function fillIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
}

const newCustomer = (): Credentials => ({ email: `${randomUUID()}@example.com`, password: 'correct horse battery' });

/** Fills in the registration form without sending it. */
export async function startRegistration(page: Page, name = 'Ada', customer = newCustomer()): Promise<Credentials> {
  await page.getByRole('link', { name: 'Register' }).first().click();
  await page.getByLabel('Name').fill(name);
  await fillIn(page, customer);
  return customer;
}

/** Registers in the shop. @param next a headline of the following page */
export async function register(page: Page, name = 'Ada', next: string | RegExp = 'Catalogue'): Promise<Credentials> {
  const customer = await startRegistration(page, name);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
  await page.getByRole('heading', { name: next }).first().waitFor();
  return customer;
}

/** A page of the shop after a new customer has registered. */
export async function visitAsCustomer({ visit }: Pick<TestShop, 'visit'>): Promise<Page> {
  const page = await visit();
  await register(page);
  return page;
}

/** Logs in on the shop's log-in page. */
export async function logIn(page: Page, customer: Credentials): Promise<void> {
  await fillIn(page, customer);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

/** Goes to a page of the shop without reloading it. */
export const show = (page: Page, path: string) => page.evaluate(`location.hash = '#/${path}'`);

/** Searches for a product, and puts one piece into the basket. */
export async function put(page: Page, name: string): Promise<void> {
  await search(page, name);
  await page.getByText(`Products with “${name}” in their name`).waitFor();
  await page.getByRole('button', { name: `Add ${name} to the basket` }).click();
}

const search = (page: Page, name: string) => show(page, `?q=${encodeURIComponent(name)}`);

/** Orders one piece as a customer would: presses the button again if the shop shows an error. @returns the order's id */
export async function order(page: Page, name: string): Promise<string> {
  await search(page, name);
  const add = page.getByRole('button', { name: `Add ${name} to the basket` });
  const again = page.getByRole('button', { name: 'Try again' });
  for (;;) {
    await add.or(again).first().waitFor({ timeout: 90_000 });
    if (await add.isVisible()) break;
    await again.click();
    await sleep(500);
  }
  await add.click();
  await show(page, 'basket');
  const placed = page.getByRole('heading', { level: 1, name: /^Order / });
  const failed = page.getByRole('alert').locator('.failure');
  const place = page.getByRole('button', { name: 'Place the order' });
  for (;;) {
    await place.click();
    await page.getByRole('button', { name: 'One moment…' }).waitFor({ state: 'hidden', timeout: 90_000 });
    await placed.or(failed).first().waitFor({ timeout: 90_000 });
    if (await placed.isVisible()) break;
    await sleep(500);
  }
  return orderOn(page);
}

/** The id of the order shown on the page. */
export const orderOn = (page: Page) => new URL(page.url()).hash.replace('#/orders/', '');

/** Asks the store how many orders the customer of a page has. */
export async function countOrders(page: Page, { gatewayUrl }: { gatewayUrl: string }): Promise<number> {
  const { body } = await page.evaluate<{ body: string }>(`
    fetch('${gatewayUrl}/orders', { credentials: 'include' }).then(async (answer) => ({ body: await answer.text() }))`);
  return JSON.parse(body).page.totalElements;
}

/** Changes an order as the worker does. */
export const changeOrder = ({ store }: { store: Pick<Store, 'databaseUrl'> }, id: string, columns: string) =>
  queryOnce(store.databaseUrl('order'), `update orders set ${columns}, updated_at = now() where id = '${id}'`);

/** Writes the invoice of an order, as the invoice group does once the order is paid. */
export async function writeInvoice({ store }: { store: Pick<Store, 'databaseUrl'> }, orderId: string): Promise<void> {
  const [order] = await queryOnce<{ account_id: string; total: string; currency: string }>(
    store.databaseUrl('order'),
    `select account_id, total_amount as total, currency from orders where id = '${orderId}'`,
  );
  // Higher than all numbers that the group assigns.
  await queryOnce(
    store.databaseUrl('consumers'),
    `insert into invoices (number, order_id, customer_id, payment_id, amount, currency, paid_at)
     values ((select 1000000 + count(*) from invoices), '${orderId}', '${order?.account_id}', '${randomUUID()}',
       ${order?.total}, '${order?.currency}', now())`,
  );
}

/** Writes a credit note for the whole invoice of an order, with the number 1000000, as the invoice group does after a refund. */
export async function writeCreditNote(
  { store }: { store: Pick<Store, 'databaseUrl'> },
  orderId: string,
): Promise<void> {
  await queryOnce(
    store.databaseUrl('consumers'),
    `insert into credit_notes (number, refund_id, order_id, customer_id, invoice_number, amount, currency, refunded_at)
     select 1000000, '${randomUUID()}', order_id, customer_id, number, amount, currency, now()
     from invoices where order_id = '${orderId}'`,
  );
}

export const confirmed = `status = 'CONFIRMED', paid_at = now()`;
