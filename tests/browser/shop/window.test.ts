import type { Page } from 'playwright-core';
import { startSharedGateway } from '../../e2e/_shared-store.ts';
import { lookAt } from '../../kit/looks.ts';
import { logIn, put, register, show, startRegistration } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

const gateway = await startSharedGateway({ publicCatalogue: true });
const shop = await sharedShop({ below: gateway.port });

describe('a catalogue that is open to everybody', () => {
  const name = 'Green tea';
  const lines = (page: Page) => page.locator('.line h2').allTextContents();

  const headline = (page: Page, text: string) =>
    page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();
  const hashOf = (page: Page) => new URL(page.url()).hash;
  const endSession = (page: Page) =>
    page.evaluate(`fetch('${shop.gatewayUrl}/auth/logout', { credentials: 'include' })`);

  it('is shown without a login, with a basket that survives the login', async () => {
    const page = await shop.visit();
    await put(page, name);
    await page.getByText(`${name}: 1 in your basket.`).waitFor();
    await page.reload();
    await page.getByText('1 in basket').waitFor();
    await page.getByRole('link', { name: /^Basket\s*1 piece$/ }).click();
    await page.getByText('Log in, or register, to order. Your basket is kept.').waitFor();
    expect(await lines(page)).toEqual([name]);
    await page.getByRole('button', { name: `One ${name} more` }).click();
    await page.getByText('2 pieces', { exact: true }).waitFor();
    await page.getByRole('button', { name: `One ${name} less` }).click();
    expect(await lookAt(page, 'shop-basket-guest')).toEqual([]);
    const account = await startRegistration(page);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'Place the order' }).waitFor();
    expect(await lines(page)).toEqual([name]);

    await page.getByRole('button', { name: 'Log out' }).click();
    // The end of the session leads to another page.
    await page.getByRole('link', { name: 'Log in' }).waitFor();
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await put(page, name);
    await page.getByText(`${name}: 1 in your basket.`).waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await logIn(page, account);
    await page.getByText('2 in basket').waitFor();
    expect(hashOf(page)).toBe('#/?q=Green+tea');
    await show(page, 'basket');
    await page.getByRole('button', { name: 'Place the order' }).waitFor();
    expect(await lines(page)).toEqual([name]);
    expect(await page.locator('.line input').inputValue()).toBe('2');
  });

  it('leads back to the product viewed before the login', async () => {
    const page = await shop.visit();
    await show(page, '?q=tea');
    await page.getByRole('link', { name, exact: true }).click();
    await headline(page, name);
    const before = hashOf(page);
    await page.getByRole('link', { name: 'Register' }).click();
    await page.reload();
    await register(page, 'Ada', name);
    await headline(page, name);
    expect(hashOf(page)).toBe(before);
  });

  it('stays open after a session ends, and says so', async () => {
    const page = await shop.visit();
    const account = await register(page);
    await put(page, name);
    await endSession(page);
    await page.getByText('Your session has ended. Log in again to see your basket and your orders.').waitFor();
    await page.getByRole('heading', { level: 2, name }).waitFor();
    expect(await lookAt(page, 'shop-catalogue-ended')).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { level: 2, name }).waitFor();
    await page.getByRole('link', { name: 'Log in again' }).click();
    await logIn(page, account);
    await page.getByText('1 in basket').waitFor();
    expect(hashOf(page)).toBe('#/?q=Green+tea');

    await show(page, 'account');
    await headline(page, 'Your account');
    await endSession(page);
    await headline(page, 'Log in');
    await page.getByText('Your session has ended. Log in again to continue where you left off.').waitFor();
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await page.getByText('Your session has ended. Log in again to see your basket and your orders.').waitFor();
  });

  it('shows no customer data without a login', async () => {
    const page = await shop.visit();
    await page.getByRole('link', { name: 'Catalogue' }).waitFor();
    expect(await page.getByRole('link', { name: 'Orders' }).count()).toBe(0);
    await show(page, 'orders');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  it('says that there is no such page at an unknown address, and links to the catalogue', async () => {
    const page = await shop.visit();
    for (const path of ['imprint', 'products', 'orders/1/2', 'basket/1']) {
      await show(page, path);
      await headline(page, 'There is no such page');
    }
    await page.getByRole('link', { name: 'Look at the catalogue' }).click();
    await headline(page, 'Catalogue');
  });

  it.each(['throws', 'is full'])("works if the browser's storage %s", async (how) => {
    const page = await shop.newPage();
    await page.addInitScript(
      how === 'is full'
        ? `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`
        : `for (const name of ['localStorage', 'sessionStorage'])
             Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError'); } });
           window.BroadcastChannel = function () { throw new DOMException('blocked', 'SecurityError'); };
           LockManager.prototype.request = () => Promise.reject(new DOMException('blocked', 'SecurityError'));`,
    );
    await page.goto(shop.url);
    await put(page, name);
    await page.getByText('1 in basket').waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await register(page, 'Ada', name);
    await show(page, 'basket');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Street').fill('12 Rua Augusta');
    await page.getByLabel('City').fill('Lisbon');
    await page.getByLabel('Country').selectOption('PT');
    await page.getByRole('button', { name: 'Place the order' }).click();
    await page.getByText('Confirming').waitFor();
    await page.getByText('12 Rua Augusta').waitFor();
  });
});
