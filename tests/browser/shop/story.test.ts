import type { Page } from 'playwright-core';
import { queryOnce } from '../../kit/postgres/database.ts';
import { orderOn, put, register } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

const shop = await sharedShop();

describe('a customer in a browser', () => {
  const goTo = (page: Page, name: string) =>
    page
      .getByRole('navigation')
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .click();
  /** Changes the order that is shown, as the worker does. */
  const confirm = (page: Page) =>
    queryOnce(
      shop.store.databaseUrl('order'),
      `update orders set status = 'CONFIRMED', paid_at = now(), updated_at = now() where id = '${orderOn(page)}'`,
    );
  const headline = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const ordersOf = (page: Page) => page.getByRole('link', { name: /^Order [0-9A-F]{8}/ });

  it('registers, searches, orders, sees unasked that the order is confirmed, cancels it, and logs out and in', async () => {
    const page = await shop.visit();
    const customer = await register(page);

    await page.getByRole('searchbox', { name: 'Search products' }).fill('beeswax');
    await page.getByText('Products with “beeswax” in their name').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Beeswax candle']);
    for (let count = 0; count < 2; count += 1)
      await page.getByRole('button', { name: 'Add Beeswax candle to the basket' }).click();

    await goTo(page, 'Basket');
    await page.getByRole('button', { name: 'Place the order' }).click();
    await headline(page, /^Order /);
    await confirm(page);
    await page.getByRole('status').getByText('is confirmed').waitFor();
    await page.getByText('Getting ready to ship').waitFor();
    await page.getByText('$14.50').waitFor();

    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('button', { name: 'Yes, cancel it' }).click();
    await page.getByText('cancelled by the customer').waitFor();

    await goTo(page, 'Orders');
    await ordersOf(page).first().waitFor();
    expect(await ordersOf(page).allTextContents()).toEqual([expect.stringContaining('Cancelled$14.50')]);

    await page.getByRole('button', { name: 'Log out' }).click();
    await headline(page, 'Log in');
    await page.getByLabel('E-mail address').fill(customer.email);
    await page.getByLabel('Password').fill(customer.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await headline(page, 'Catalogue');
  });

  it('says what is wrong, at the field or as a sentence', async () => {
    const page = await shop.visit();
    await page.getByRole('link', { name: 'Register' }).first().click();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail address').fill('ada');
    await page.getByLabel('Password').fill('x'.repeat(129));
    await page.getByRole('button', { name: 'Register' }).click();
    const described = async (label: string) => {
      const field = page.getByLabel(label);
      await page.locator('[aria-invalid]').first().waitFor();
      return page.locator(`[id="${await field.getAttribute('aria-describedby')}"]`).textContent();
    };
    expect(await described('Password')).toBe('The password must have at most 128 characters.');
    expect(await described('E-mail address')).toMatch(/mail/i);

    await page.getByRole('navigation').getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('E-mail address').fill('nobody@example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
  });

  it('a double click places one order', async () => {
    const page = await shop.visit();
    await register(page);
    await put(page, 'Sea salt');
    await goTo(page, 'Basket');
    await page.getByRole('button', { name: 'Place the order' }).dblclick();
    await headline(page, /^Order /);
    await goTo(page, 'Orders');
    await ordersOf(page).first().waitFor();
    expect(await ordersOf(page).count()).toBe(1);
  });

  it('an order whose answer was lost by a reload is placed once', async () => {
    const page = await shop.visit();
    await register(page);
    await put(page, 'Plum jam');
    await goTo(page, 'Basket');
    const arrived: number[] = [];
    await page.route('**/orders', async (route) => {
      if (route.request().method() !== 'POST' || arrived.length > 0) return route.continue();
      arrived.push((await route.fetch()).status()); // and the answer never reaches the page
    });
    await page.getByRole('button', { name: 'Place the order' }).click();
    while (arrived.length === 0) await page.waitForTimeout(20);
    await page.reload();
    await page.getByText('It has arrived at the store.').waitFor();
    await page.getByText('Your basket is empty.').waitFor();
    await page.getByRole('link', { name: 'See the order' }).click();
    await headline(page, /^Order /);
    expect(arrived).toEqual([201]);
    await goTo(page, 'Orders');
    await ordersOf(page).first().waitFor();
    expect(await ordersOf(page).count()).toBe(1);
  });

  it('the end of the session elsewhere leads to the log-in', async () => {
    const page = await shop.visit();
    await register(page);
    await page.evaluate(`fetch('${shop.gatewayUrl}/auth/logout', { credentials: 'include' })`);
    await headline(page, 'Log in');
    await page.getByText('Your session has ended. Log in again.').waitFor();
  });
});
