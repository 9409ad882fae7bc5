import { json } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { queryOnce } from '../../kit/postgres/database.ts';
import {
  changeOrder,
  confirmed,
  fillIn,
  logIn,
  order,
  put,
  register,
  show,
  startRegistration,
  visitAsCustomer,
  writeInvoice,
} from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

const shop = await sharedShop();

describe("a customer's own account", () => {
  it('is changed, and is not deleted by a wrong password', async () => {
    const page = await visitAsCustomer(shop);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Countess');
    await page.getByRole('button', { name: 'Change the name' }).click();
    await page.getByText('Your name has been changed.').waitFor();
    const deleting = page.locator('form', { hasText: 'forever' });
    await deleting.getByLabel('Current password').fill('wrong');
    await deleting.getByRole('button').click();
    await deleting.getByText('The current password is wrong.').waitFor();
  });

  it('gets mails in the language of the browser, until it chooses another', async () => {
    const page = await shop.visit({ locale: 'pt-BR' });
    const { email } = await register(page);
    const locale = async () =>
      (
        await queryOnce<{ locale: string }>(
          shop.store.databaseUrl('account'),
          `select locale from accounts where email = '${email}'`,
        )
      )[0]?.locale;
    expect(await locale()).toBe('pt');
    await page.getByRole('link', { name: 'Account' }).click();
    const choice = page.getByLabel('Language of mails');
    expect(await choice.inputValue()).toBe('pt');
    await choice.selectOption('en');
    await page.getByText('Mails to you will be in English from now on.').waitFor();
    expect(await locale()).toBe('en');
    await page.reload();
    expect(await choice.inputValue()).toBe('en');
  });

  it('explains that a used link is no longer valid, and offers a form again', async () => {
    const page = await shop.visit();
    await page.goto(`${shop.url}/#/reset/unknown`);
    await page.getByRole('textbox', { name: 'New password' }).fill('battery staple');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('This link is no longer valid.').waitFor();
    await page.goto(`${shop.url}/#/confirm/unknown`);
    await page.getByText('This link is no longer valid.').waitFor();
  });

  /** Lets changes arrive but loses their responses. @returns the methods of the requests */
  async function loseAnswers(page: Page, path: string, times = Number.POSITIVE_INFINITY) {
    const lost: string[] = [];
    await page.route(path, async (route) => {
      const request = route.request();
      const method = request.method();
      if (method === 'GET' || method === 'OPTIONS' || lost.length >= times) return route.fallback();
      lost.push(method);
      // route.fetch() would pass the response's cookie to the browser.
      const { cookie = '', origin = '' } = await request.allHeaders();
      const headers = { cookie, origin, 'content-type': 'application/json' };
      await fetch(request.url(), { method, headers, body: request.postData() });
      await route.abort('connectionreset');
    });
    return lost;
  }
  async function submit(page: Page, button: string, fields: Record<string, string>): Promise<void> {
    const form = page.locator('form', { has: page.getByRole('button', { name: button }) });
    for (const [label, text] of Object.entries(fields)) await form.getByLabel(label).fill(text);
    await form.getByRole('button', { name: button }).click();
  }
  const keptNames = (page: Page) => page.evaluate<string[]>('Object.keys(localStorage)');

  it('is deleted although the response is lost, and leaves nothing in the browser', async () => {
    const page = await shop.visit();
    const { password } = await register(page);
    await put(page, 'Green tea');
    await show(page, 'basket');
    await page.getByLabel('Name').fill('Ada Lovelace');
    expect((await keptNames(page)).sort()).toEqual([
      expect.stringMatching('shop.address'),
      expect.stringMatching('shop.basket'),
      expect.stringMatching('shop.key'),
    ]);
    await show(page, 'account');
    const lost = await loseAnswers(page, '**/accounts/*', 1);
    await submit(page, 'Delete the account forever', { 'Current password': password });
    await page.getByText('Your account has been deleted.').waitFor();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(lost).toEqual(['DELETE']);
    expect(await page.getByText('Your session has ended.').count()).toBe(0);
    expect(await keptNames(page)).toEqual([]);
  });

  it('says that the password may have changed if the response is lost, and does not send the change again', async () => {
    const page = await shop.visit();
    const customer = await register(page);
    await show(page, 'account');
    const lost = await loseAnswers(page, '**/accounts/*/password');
    const password = 'battery staple horse';
    await submit(page, 'Change the password', { 'Current password': customer.password, 'New password': password });
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const words = 'The answer was lost, so your password may have been changed. Log in with the new password';
    await page.getByText(words).waitFor();
    await page.reload();
    await page.getByText(words).waitFor();
    await fillIn(page, customer);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await logIn(page, { ...customer, password });
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(lost).toEqual(['PUT']);
  });

  it('may exist already if the response to the registration is lost, and the form says so', async () => {
    const page = await shop.visit();
    const lost = await loseAnswers(page, '**/auth/register', 1);
    const customer = await startRegistration(page);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('The answer was lost, so you may be registered already. Try to log in.').waitFor();
    expect(lost).toEqual(['POST']);
    await page.getByRole('navigation').getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await logIn(page, customer);
  });

  it('is saved as a file, or explained by a sentence while a service is down', async () => {
    const page = await shop.visit();
    const { email } = await register(page);
    await show(page, 'account');
    await page.route('**/accounts/*/export', (route) => route.fulfill({ status: 503, json: { status: 503 } }));
    const part = page.locator('.part', { hasText: 'Your data' });
    await part.getByRole('button', { name: 'Save your data' }).click();
    await part.getByText('The store has a problem at the moment.').waitFor();
    await page.unroute('**/accounts/*/export');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      part.getByRole('button', { name: 'Try again' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('account.json');
    expect(await json(await saved.createReadStream())).toMatchObject({ account: { email }, orders: [] });
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  it('shows the invoice of a paid order, or a sentence while the service is down', async () => {
    const page = await visitAsCustomer(shop);
    const id = await order(page, 'Olive oil');
    await changeOrder(shop, id, confirmed);
    await writeInvoice(shop, id);
    await page.route('**/orders/*/invoice', (route) => route.fulfill({ status: 503, json: { status: 503 } }));
    await page.getByRole('link', { name: 'Printable invoice' }).click();
    await page.getByText('The store has a problem at the moment.').waitFor({ timeout: 20_000 });
    await page.unroute('**/orders/*/invoice');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: /^Invoice \d+$/ }).waitFor();
    const text = (await page.locator('.invoice').textContent()) ?? '';
    expect(text).toMatch(/Date: \d{4}-\d\d-\d\d \(UTC\)/);
    for (const part of ['Olive oil', '$11.90', id]) expect(text).toContain(part);
    const sheets = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g);
    expect(sheets).toHaveLength(1);
  });

  it('lists where it is logged in, with all times in one format', async () => {
    const page = await visitAsCustomer(shop);
    await order(page, 'Olive oil');
    const form = /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M$/;
    const placed = await page.locator('.steps span').first().textContent();
    expect(placed?.replace('\u202f', ' ')).toMatch(form);
    await show(page, 'account');
    const since = await page.locator('.sessions time').first().textContent();
    expect(since?.replace('\u202f', ' ')).toMatch(form);
  });
});
