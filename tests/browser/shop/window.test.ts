import type { Page } from 'playwright-core';
import { startSharedGateway } from '../../e2e/_shared-store.ts';
import { logIn, put, show, startRegistration } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

const gateway = await startSharedGateway({ publicCatalogue: true });
const shop = await sharedShop({ below: gateway.port });

describe('a catalogue that is open to everybody', () => {
  const name = 'Green tea';
  const lines = (page: Page) => page.locator('.line h2').allTextContents();

  it('is shown without a login; the basket asks for one, and is kept over it', async () => {
    const page = await shop.visit();
    await put(page, name);
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
    await put(page, name);
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
    await show(page, 'orders');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });
});
