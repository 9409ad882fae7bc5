import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { sendExpecting } from '../../kit/http.ts';
import { put, register, show } from '../_customer.ts';
import { addProducts, setStock, sharedShop } from '../_shop.ts';

const shop = await sharedShop();

/** Marks the products of this file, because other tests share the store. */
const word = randomUUID().slice(0, 8);
const [toys, games] = [`Toys ${word}`, `Games & more ${word}`];
const images = ['top', 'side'].map((name) => ({ url: `https://images.example.com/${name}.svg`, alt: `A ${name}` }));
const description = 'Of beech.\n<b>For the table.</b>';
const { ids, seller } = await addProducts(shop, [
  { name: `Top ${word}`, price: 3, unit: 'piece', category: toys, description, images },
  { name: `Kite ${word}`, price: 9, unit: 'piece', category: toys },
  { name: `Chess ${word}`, price: 20, unit: 'set', category: games },
]);

const idOf = (name: string) => ids.get(`${name} ${word}`);
await setStock(shop, idOf('Top'), 3);
await setStock(shop, idOf('Kite'), 0);

async function visit(): Promise<Page> {
  const page = await shop.visit();
  const image = { contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
  await page.route('https://images.example.com/top.svg', (route) => route.fulfill(image));
  await page.route('https://images.example.com/side.svg', (route) => route.fulfill({ status: 404 }));
  await register(page);
  return page;
}

describe('a product in the shop', () => {
  const card = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: `${name} ${word}` });
  const isShown = (alt: string) =>
    `[...document.images].some(({ alt, naturalWidth }) => alt === '${alt}' && naturalWidth > 0)`;

  it('shows how few are left, and cannot be bought when sold out', async () => {
    const page = await visit();
    await show(page, `?q=${word}`);
    await card(page, 'Top').getByText('3 left').waitFor();
    await card(page, 'Kite').getByText('Sold out').waitFor();
    // The page may still show products of others, from before the search.
    const own = page.getByRole('listitem').filter({ hasText: word });
    expect(await own.getByText(/left|Sold out/).count()).toBe(2);
    expect(await card(page, 'Kite').getByRole('button').isDisabled()).toBe(true);
    await card(page, 'Top').getByRole('button').click();
    await card(page, 'Top').getByText('1 in basket').waitFor();
  });

  it('is found by its category, which has its own address', async () => {
    const page = await visit();
    const names = page.locator('.product h2');
    const expectToys = async () => {
      await card(page, 'Kite').waitFor();
      await card(page, 'Chess').waitFor({ state: 'hidden' });
      expect((await names.allTextContents()).sort()).toEqual([`Kite ${word}`, `Top ${word}`]);
    };
    await page.getByLabel('Category').selectOption(games);
    await card(page, 'Chess').waitFor();
    await page.getByLabel('Category').selectOption(toys);
    await expectToys();
    await page.reload();
    await expectToys();
    await page.getByRole('searchbox').fill('kite');
    await card(page, 'Top').waitFor({ state: 'hidden' });
    expect(await names.allTextContents()).toEqual([`Kite ${word}`]);
    await page.getByLabel('Category').selectOption('');
    await page.getByRole('searchbox').fill(word);
    await card(page, 'Chess').waitFor();
  });

  it('has a page with its pictures and its description as written', async () => {
    const page = await visit();
    await put(page, `Top ${word}`);
    await page.getByRole('link', { name: `Top ${word}` }).click();
    await page.getByRole('heading', { level: 1, name: `Top ${word}` }).waitFor();
    await page.waitForFunction(isShown('A top'));
    expect(await page.locator('.description').textContent()).toBe(description);
    await page.getByText('$3.00 piece').waitFor();
    await page.getByText('3 left').waitFor();
    await page.getByRole('button', { name: `Add Top ${word} to the basket` }).click();
    await page.getByText('2 in basket').waitFor();
    await page.getByRole('link', { name: toys }).click();
    await card(page, 'Kite').waitFor();
    await card(page, 'Kite').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: `Kite ${word}` }).waitFor();
    expect(await page.getByRole('button', { name: /^Add/ }).isDisabled()).toBe(true);
    await show(page, `products/${randomUUID()}`);
    await page.getByText('There is no such product.').waitFor();
  });

  it('links back to the search and category it was found by, also in another tab', async () => {
    const page = await visit();
    const query = new URLSearchParams({ q: word, sort: 'name,asc', category: toys });
    await show(page, `?${query}`);
    await card(page, 'Kite').waitFor();
    await card(page, 'Kite').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: `Kite ${word}` }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: '← Catalogue' }).click();
    await card(page, 'Kite').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/?${query}`);
    expect(await page.getByRole('searchbox').inputValue()).toBe(word);
    expect(await page.getByLabel('Category').inputValue()).toBe(toys);
  });

  it('keeps the search of an address that it goes to while it waits whether the customer types on', async () => {
    const page = await visit();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const hash = `#/?${new URLSearchParams({ q: word })}`;
    for (let afterMs = 200; afterMs <= 300; afterMs += 5) {
      await show(page, '');
      await page.clock.runFor(1_000);
      await page.getByRole('searchbox').fill('Chess');
      await page.clock.runFor(afterMs);
      await show(page, `?${new URLSearchParams({ q: word })}`);
      // Too short to apply what the search box says by then.
      await page.clock.runFor(200);
      expect(new URL(page.url()).hash).toBe(hash);
    }
  });

  it('shows the current price and stock, on a page that stays open and on a list that the customer returns to', async () => {
    const page = await visit();
    await page.clock.install();
    await page.reload();
    await show(page, `?${new URLSearchParams({ q: `Chess ${word}` })}`);
    await card(page, 'Chess').getByText('$20.00').waitFor();
    const change = async (price: number, available: number) => {
      const body = { name: `Chess ${word}`, price, unit: 'set', category: games };
      await sendExpecting(200, seller.send, 'PUT', `/products/${idOf('Chess')}`, body);
      await setStock(shop, idOf('Chess'), available);
    };
    await change(21, 7);
    await page.clock.runFor(61_000);
    await card(page, 'Chess').getByText('$21.00').waitFor();
    await card(page, 'Chess').getByText('7 left').waitFor();

    await show(page, 'orders');
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    await change(22, 6);
    await page.goBack();
    await card(page, 'Chess').getByText('$22.00').waitFor();
    await card(page, 'Chess').getByText('6 left').waitFor();

    await card(page, 'Chess').getByRole('link').click();
    await page.getByText('$22.00').waitFor();
    await change(23, 5);
    await page.clock.runFor(61_000);
    await page.getByText('$23.00').waitFor();
    await page.getByText('5 left').waitFor();
  });
});
