import type { Page } from 'playwright-core';
import { until } from '../../e2e/_store.ts';
import { countOrders, order, put, show, visitAsCustomer } from '../_customer.ts';
import { addProducts, sharedShop } from '../_shop.ts';

const odd = { name: 'Paper clip', price: 0.125, unit: 'piece' };
const many = Array.from({ length: 101 }, (_, n) => ({ name: `Button ${n}`, price: 1, unit: 'piece' }));

const shop = await sharedShop();
const { ids } = await addProducts(shop, [...many, odd]);

describe('a customer who buys', () => {
  let page: Page;

  beforeEach(async () => {
    page = await visitAsCustomer(shop);
  });

  afterEach(() => page?.context().close());

  const button = (name: string | RegExp, on = page) => on.getByRole('button', { name });
  const inBasket = async (name = 'Green tea') => {
    await put(page, name);
    await show(page, 'basket');
    await button('Place the order').waitFor();
  };
  const placed = () => countOrders(page, shop);
  /** Delays orders on their way to the store. */
  async function holdBack(then: 'abort' | 'continue', on = page) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sent = on.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/orders'));
    await on.route('**/orders', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await promise;
      await route[then]();
    });
    return { sent, letGo: () => resolve() };
  }

  it('enters an address, orders with Enter once it is complete, and finds it again at the next order', async () => {
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await inBasket();
    const address = { Name: 'Ada <b>', 'Street and number': '12 Rua Augusta', City: 'Lisbon' };
    await field('Name').fill(address.Name);
    await button('Place the order').click();
    await page.getByText('Enter your street and number.').waitFor();
    await page.getByText('Choose your country.').waitFor();
    await page.getByText('The address is not complete.').waitFor();
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Street and number');
    expect(await page.getByText('Enter your name.').count()).toBe(0);
    for (const [label, text] of Object.entries(address)) await field(label).fill(text);
    await page.getByLabel('Postal code').fill('1'.repeat(21));
    await field('Country').selectOption({ label: 'Portugal' });
    await button('Place the order').click();
    await page.getByText('The postal code must have 1 to 20 characters.').waitFor();
    expect(await placed()).toBe(0);
    await page.getByLabel('Postal code').fill('');

    await show(page, '');
    await page.getByRole('heading', { name: 'Catalogue' }).waitFor();
    await page.reload();
    await show(page, 'basket');
    expect(await field('Country').inputValue()).toBe('PT');
    await field('City').press('Enter');
    await page.getByText('Ada <b>\n12 Rua Augusta\nLisbon\nPortugal', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Green tea' }).waitFor();

    await inBasket();
    for (const [label, text] of Object.entries(address)) expect(await field(label).inputValue()).toBe(text);
    const hints = await page.evaluate(
      `[...document.querySelectorAll('.address :is(input, select)')].map(({ autocomplete }) => autocomplete).filter((hint) => hint !== 'off')`,
    );
    expect(hints).toEqual(
      ['name', 'address-line1', 'postal-code', 'address-level2', 'address-level1', 'country'].map(
        (hint) => `shipping ${hint}`,
      ),
    );
  });

  it('is told that an order failed after they left the basket', async () => {
    await inBasket();
    const orders = await holdBack('abort');
    await button('Place the order').click();
    await orders.sent;
    await show(page, '');
    await page.getByText('It is on its way to the store.').waitFor();
    orders.letGo();
    await page.getByText('It has not arrived at the store.').waitFor({ timeout: 40_000 });
    expect(await placed()).toBe(0);
  });

  it('stays on the page they went to while an order is placed, with a link to the order', async () => {
    await inBasket();
    const orders = await holdBack('continue');
    await button('Place the order').click();
    await orders.sent;
    await show(page, '?q=tea');
    await page.getByText('It is on its way to the store.').waitFor();
    orders.letGo();
    await page.getByText('It has arrived at the store.').waitFor();
    await page.getByText('Products with “tea” in their name').waitFor();
    await page.getByRole('link', { name: 'See the order' }).click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    expect(await placed()).toBe(1);
  });

  it('orders nothing after leaving the basket while another tab was ordering', async () => {
    await inBasket();
    const other = await page.context().newPage();
    await other.goto(`${shop.url}/#/basket`);
    const orders = await holdBack('abort', other);
    await button('Place the order', other).click();
    await orders.sent;
    await button('Place the order').click();
    await show(page, '');
    await page.getByRole('heading', { name: 'Catalogue' }).waitFor();
    orders.letGo();
    await page.getByText('You left the basket before your order was sent, so nothing was ordered.').waitFor();
    expect(await placed()).toBe(0);
  });

  it('buys once if two tabs order the same basket at once', async () => {
    await inBasket();
    const other = await page.context().newPage();
    await other.goto(`${shop.url}/#/basket`);
    await button('Place the order', other).waitFor();
    const tabs = [page, other];
    // At the same moment, which two clicks by Playwright are not.
    const press = `setTimeout(() => document.querySelector('form button.main').click(), ${Date.now() + 1_000} - Date.now())`;
    await Promise.all(tabs.map((tab) => tab.evaluate(press)));
    await Promise.all(tabs.map((tab) => button('Place the order', tab).waitFor({ state: 'hidden' })));
    await until('both have an answer', async () => (await button('One moment…', other).count()) === 0);
    expect(await placed()).toBe(1);
  });

  it('places one order with a double click', async () => {
    await inBasket();
    await button('Place the order').dblclick();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    expect(await placed()).toBe(1);
  });

  it('sees no failure for an order that arrived', async () => {
    await inBasket();
    await page.route('**/orders', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await button('Place the order').click();
    const failure = page.getByText('The store does not respond.');
    await failure.waitFor({ timeout: 40_000 });
    const other = await page.context().newPage();
    await other.goto(`${shop.url}/#/orders`);
    await other.getByText('It has arrived at the store.').waitFor();
    await page.getByText('Your basket is empty.').waitFor();
    expect(await failure.count()).toBe(0);
  });

  it('sees the catalogue as soon as the network is back', async () => {
    await page.context().setOffline(true);
    await page.getByRole('searchbox').fill('tea');
    await page.getByText('The store does not respond.').waitFor({ timeout: 40_000 });
    await page.context().setOffline(false);
    await page.getByText('Products with “tea” in their name').waitFor();
  });

  it('reads after a minute that an order takes longer and need not be placed again', async () => {
    const words = page.getByText('Do not order again');
    await order(page, 'Green tea');
    await page.getByText('Stock is reserved, then your payment is taken.').waitFor();
    await page.clock.setFixedTime(Date.now() + 61_000);
    await words.waitFor();
  });

  it.each([
    [1, '$0.12'],
    [3, '$0.38'],
    [5, '$0.62'],
  ])('%i times $0.125 is %s in the basket and in the order', async (quantity, total) => {
    await inBasket('Paper clip');
    await page.getByLabel('Quantity of Paper clip').last().fill(String(quantity));
    await page.getByLabel('Quantity of Paper clip').last().blur();
    await page.locator('.sum').getByText(total).waitFor();
    await button('Place the order').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    await page.locator('.sum').getByText(total).waitFor();
  });

  it('reads a sentence when adding the 101st product, and loses none', async () => {
    await inBasket('Button 0');
    const lines = many.slice(0, 100).map((product) => ({ ...product, id: ids.get(product.name), quantity: 1 }));
    await page.evaluate(`
      for (const name of Object.keys(localStorage).filter((name) => name.startsWith('shop.basket')))
        localStorage.setItem(name, JSON.stringify(${JSON.stringify(lines)}));
    `);
    await page.reload();
    await put(page, 'Button 100');
    await page.getByText('An order has at most 100 different products.').waitFor();
    await show(page, 'basket');
    await page.getByText('Button 99', { exact: true }).waitFor();
    expect(await page.locator('.line h2').allTextContents()).toHaveLength(100);
    await button('Place the order').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    await page.locator('.sum').getByText('$100.00').waitFor();
  });
});
