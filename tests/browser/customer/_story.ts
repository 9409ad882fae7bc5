import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { until } from '../../e2e/_store.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { type Credentials, fillIn, logIn, put, show, startRegistration } from '../_customer.ts';
import { killThroughout } from '../_kills.ts';
import { addProducts, entireStore, type TestShop } from '../_shop.ts';
import { openConsole } from '../operator/_console.ts';
import { placesWith } from './_traces.ts';

/** Long enough for a killed service to come back, even on a busy machine. */
const recoveryMs = 180_000;
const moment = { timeout: 3_000 };

/** Repeats an action until its result is visible: the shop may show an error instead. */
async function untilSeen(there: Locator, act: () => Promise<unknown>): Promise<void> {
  await until(
    `${there} is there`,
    async () => {
      if (!(await there.isVisible())) await act();
      await there.waitFor(moment);
      return true;
    },
    recoveryMs,
  );
}

const press = (page: Page, name: string, then: Locator) =>
  untilSeen(then, () => page.getByRole('button', { name, exact: true }).click(moment));

/** Reads a mail in the console, as developers do without a mail server. @returns the link in it */
async function linkIn(operator: Page, subject: string): Promise<string> {
  const mail = operator.getByRole('region', { name: 'Mail', exact: true }).filter({ hasText: subject });
  const link = mail.getByRole('link');
  await untilSeen(link, async () => {
    await operator.getByRole('link', { name: 'Mails', exact: true }).click();
    await operator.getByRole('link', { name: subject }).first().click(moment);
  });
  return (await link.getAttribute('href')) ?? '';
}

/** A store whose catalogue is open and which requires customers to confirm their addresses. */
export const storeOfStory = {
  ...entireStore,
  env: { ...entireStore.env, EMAIL_CONFIRMATION: 'required', PUBLIC_CATALOGUE: 'true' },
};

interface Ada extends Credentials {
  name: string;
  street: string;
}

async function orderWithAddress(page: Page, { name, street }: Ada, confirm: () => Promise<void>): Promise<void> {
  const fields = { Name: name, 'Street and number': street, City: 'Lisbon' };
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByLabel('Country').selectOption('PT');
  await press(page, 'Place the order', page.getByText('Confirm your e-mail address first'));
  await confirm();
  await press(page, 'Place the order', page.getByRole('heading', { level: 1, name: /^Order / }));
  await page.getByText(street).waitFor();
}

async function printInvoice(page: Page, expected: string[]): Promise<void> {
  await page.getByRole('link', { name: 'Printable invoice' }).click();
  await untilSeen(page.getByRole('heading', { level: 1, name: /^Invoice \d+$/ }), () =>
    page.getByRole('button', { name: 'Try again' }).click(moment),
  );
  const text = await page.locator('.invoice').textContent();
  for (const part of expected) expect(text).toContain(part);
}

async function resetPassword(page: Page, operator: Page, { email }: Ada, password: string): Promise<void> {
  await page.getByRole('link', { name: 'Log in' }).first().click();
  await page.getByRole('link', { name: 'Forgotten password?' }).click();
  // Waits, because the previous page also has a field of this name.
  await page.getByRole('heading', { name: 'Forgotten password' }).waitFor();
  await page.getByLabel('E-mail address').fill(email);
  await press(page, 'Send a link', page.getByText('If there is an account with this address'));
  await page.goto(await linkIn(operator, 'Set a new password'));
  await page.getByRole('textbox', { name: 'New password' }).fill(password);
  await press(page, 'Set the password', page.getByText('you are logged out everywhere'));
  await page.getByRole('link', { name: 'Log in' }).last().click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
}

/** The file with the customer's data, as the browser saves it. */
async function readExport(page: Page) {
  // biome-ignore lint/suspicious/noExplicitAny: the story states what it expects
  let read: any;
  const save = async () => {
    // The shop shows an error instead if a service is down.
    const button = page.getByRole('button', { name: 'Save your data' });
    const [saved] = await Promise.all([page.waitForEvent('download', { timeout: 10_000 }), button.click(moment)]);
    read = await json(await saved.createReadStream());
    return true;
  };
  await until('the export is saved', save, recoveryMs);
  return read;
}

async function deleteAccount(page: Page, password: string): Promise<void> {
  await show(page, 'account');
  const form = page.locator('form', { hasText: 'forever' });
  await form.getByLabel('Current password').fill(password);
  await untilSeen(page.getByRole('link', { name: 'Register' }).first(), () => form.getByRole('button').click(moment));
}

/**
 * Ada browses without logging in, registers, confirms her address, orders, prints the invoice, resets her password, and deletes her account
 * while an order is under way. The order is delivered, and no trace of her remains in anything that the store keeps or has written.
 * @param killed services to kill in turn throughout
 */
export async function tellStory(shop: TestShop, killed: string[] = []): Promise<void> {
  const { store } = shop;
  await addProducts(shop, [{ name: 'Olive oil', price: 11.9, unit: '0.75 l' }]);
  const word = randomUUID();
  const ada: Ada = {
    name: `Ada ${word.slice(0, 8)}`,
    email: `${word}@example.com`,
    password: 'correct horse battery',
    street: `12 Rua ${word.slice(24)}`,
  };
  const operator = await openConsole(shop, 'Ann');
  const [page, phone] = [await shop.visit(), await shop.visit()];
  for (const one of [page, phone]) one.setDefaultTimeout(recoveryMs);
  const kills = killThroughout(store, killed);
  try {
    await put(page, 'Olive oil');
    await page.getByRole('link', { name: /^Basket/ }).click();
    await page.getByText('Log in, or register, to order.').waitFor();
    await startRegistration(page, ada.name, ada);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Basket' }).waitFor();
    await orderWithAddress(page, ada, async () => {
      await phone.goto(await linkIn(operator, 'Confirm your e-mail address'));
      const confirmed = phone.getByText('Your e-mail address is confirmed.');
      await untilSeen(confirmed, () => phone.reload());
    });
    await printInvoice(page, ['Olive oil', '$11.90']);

    const password = 'battery staple horse';
    await resetPassword(phone, operator, ada, password);
    await page.getByText('Your session has ended. Log in again').waitFor();
    for (const one of [phone, page]) await logIn(one, { ...ada, password });
    await show(phone, 'account');
    const others = phone.getByRole('button', { name: 'End this session' });
    await others.waitFor();
    await others.click();
    await page.getByText('Your session has ended. Log in again').waitFor();

    const kept = await readExport(phone);
    expect(kept).toMatchObject({
      account: { name: ada.name, email: ada.email },
      orders: [{ shippingAddress: { name: ada.name, lines: [ada.street] } }],
      payments: [{ orderId: expect.any(String), status: 'PAID' }],
      reservations: [{ orderId: expect.any(String), items: [{ quantity: 1 }] }],
      invoices: [{}],
    });
    expect(await placesWith(store, [ada.street])).toEqual([expect.stringContaining('order_details')]);

    await put(phone, 'Olive oil');
    await show(phone, 'basket');
    await press(phone, 'Place the order', phone.getByRole('heading', { level: 1, name: /^Order / }));
    await deleteAccount(phone, password);
    await show(phone, 'log-in');
    await fillIn(phone, { ...ada, password });
    await press(phone, 'Log in', phone.getByText('The e-mail address or the password is wrong.'));

    const shipped = `select from orders where account_id = '${kept.account.id}' and shipped_at is not null`;
    const delivered = async () => (await queryOnce(store.databaseUrl('order'), shipped)).length === 2;
    await until('each service was killed', async () => kills.count() >= killed.length, recoveryMs);
    await until('both orders are shipped', delivered, recoveryMs);
    const known = [ada.email, word, ada.name, ada.street];
    let places: string[] = [];
    const isForgotten = async () => {
      places = await placesWith(store, known);
      return places.length === 0;
    };
    await until(() => `no trace of her is left: ${places.join('\n')}`, isForgotten, 60_000);
  } finally {
    await kills.stop();
  }
}
