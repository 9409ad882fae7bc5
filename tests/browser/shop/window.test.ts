import type { Page } from 'playwright-core';
import { chromiumPath } from '../../kit/chromium.ts';
import { logIn, startRegistration } from '../_customer.ts';
import { addProducts, startShop, type TestShop } from '../_shop.ts';
import { someWares } from '../_wares.ts';

(chromiumPath ? describe : describe.skip)('a catalogue that is open to everybody', () => {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop({ env: { PUBLIC_CATALOGUE: 'true' } });
    await addProducts(shop, someWares);
  }, 180_000);
  afterAll(() => shop?.stop(), 60_000);

  const [ware] = someWares;
  const name = ware?.name ?? '';
  const add = (page: Page) => page.getByRole('button', { name: `Add ${name} to the basket` }).click();
  const lines = (page: Page) => page.locator('.line h2').allTextContents();

  it('is shown without a login; the basket asks for one, and is kept over it', async () => {
    const page = await shop.visit();
    await add(page);
    await page.getByText(`${name}: 1 in your basket.`).waitFor();
    await page.reload();
    await page.getByText('1 in basket').waitFor();
    await page.getByRole('link', { name: /^Basket/ }).click();
    await page.getByText('Log in, or register, to order. Your basket is kept.').waitFor();
    const account = await startRegistration(page);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Basket' }).waitFor();
    expect(await lines(page)).toEqual([name]);

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await add(page);
    await page.getByText(`${name}: 1 in your basket.`).waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await logIn(page, account);
    await page.getByRole('heading', { name: 'Basket' }).waitFor();
    expect(await lines(page)).toEqual([name]);
    expect(await page.locator('.line input').inputValue()).toBe('2');
  });

  it('shows nothing of a customer to whoever has not logged in', async () => {
    const page = await shop.visit();
    await page.getByRole('link', { name: 'Catalogue' }).waitFor();
    expect(await page.getByRole('link', { name: 'Orders' }).count()).toBe(0);
    await page.evaluate("location.hash = '#/orders'");
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });
});
