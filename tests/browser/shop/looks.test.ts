import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { root } from '../../../tools/paths.ts';
import { lookAt } from '../../kit/looks.ts';
import { logIn, put, register, show } from '../_customer.ts';
import { addProducts, setStock, sharedShop } from '../_shop.ts';
import { coloursAt, type Point } from './_pixels.ts';
import { walk } from './_walk.ts';

const good = { name: 'Looks good', price: 4.95, unit: 'piece' };
// The longest that the store accepts.
const long = {
  name: `Looks${'W'.repeat(195)}`,
  price: 99_999_999.9999,
  unit: 'M'.repeat(32),
  category: `Looks ${'Kategorie '.repeat(9)}`.trim(),
};
const hebrew = { name: '\u05ea\u05d4 \u05d9\u05e8\u05d5\u05e7 3', price: 3, unit: 'x' };
const wordy = {
  name: `Looks ${'Donaudampfschifffahrtsgesellschaftskapitän '.repeat(4)}`.trim(),
  price: 12_345_678.5,
  unit: 'x',
};

const shop = await sharedShop();
const { ids } = await addProducts(shop, [good, wordy, long, hebrew]);
await setStock(shop, ids.get(long.name), 1_000_000);

describe('the shop is readable', () => {
  it('on every page with the longest texts, on a phone and a wide screen, light and dark, and axe finds nothing', async () => {
    const page = await shop.visit();
    const flaws: string[] = [];
    const seen: string[] = [];
    const look = async (name: string) => {
      seen.push(name);
      flaws.push(...(await lookAt(page, `shop-${name}`)));
    };
    await walk(shop, page, [wordy.name, long.name], look, 10_000);
    expect(flaws).toEqual([]);
    const pages = await readdir(join(root, 'examples/shop/src/pages'));
    const unseen = pages
      .map((file) => file.replace('.tsx', ''))
      .filter((file) => !seen.some((name) => name.startsWith(file)));
    expect(unseen).toEqual([]);
  }, 600_000);

  it('with the catalogue header in one row despite a long category, and one arrow on each select', async () => {
    const page = await shop.visit();
    await register(page);
    const category = page.getByLabel('Category');
    await category.selectOption(long.category);
    await page.getByText('$99,999,999.9999').waitFor();
    const boxes = await Promise.all(
      [page.getByRole('heading', { level: 1 }), page.getByRole('search')].map((one) => one.boundingBox()),
    );
    const [title, search] = boxes.map((box) => ({ top: box?.y ?? 0, bottom: (box?.y ?? 0) + (box?.height ?? 0) }));
    expect(search?.top).toBeLessThan(title?.bottom ?? 0);
    expect(search?.bottom).toBeLessThan((title?.bottom ?? 0) + 20);
    await show(page, 'account');
    await page.getByText('Here', { exact: true }).waitFor();
    const arrows = `[...document.querySelectorAll('select')].map((one) => getComputedStyle(one).appearance)`;
    expect(await page.evaluate(arrows)).toEqual(['none']);
  });

  it('with each session in words on a phone, not in a column of letters', async () => {
    const page = await shop.visit({ viewport: { width: 360, height: 740 } });
    const customer = await register(page);
    const other = await shop.visit();
    await logIn(other, customer);
    await show(page, 'account');
    await page.getByRole('button', { name: 'End this session' }).waitFor();
    expect(await lookAt(page, 'shop-account-two-sessions')).toEqual([]);
  });

  it('with right-to-left names that do not reverse the text around them', async () => {
    const page = await shop.visit();
    await register(page);
    await put(page, hebrew.name);
    await page.getByText(`\u2068${hebrew.name}\u2069: 1 in your basket.`).waitFor();
    const ways = (selector: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).direction)`,
      );
    expect(await ways('.product h2')).toEqual(['rtl']);
    await page.getByRole('link', { name: hebrew.name }).click();
    await page.locator('.product-page').waitFor();
    expect(await ways('h1')).toEqual(['rtl']);
    await show(page, 'basket');
    await page.locator('.line').waitFor();
    expect(await ways('.line h2')).toEqual(['rtl']);
    await page.getByRole('button', { name: 'Place the order' }).click();
    await page.locator('.line h3').waitFor();
    expect(await ways('.line h3')).toEqual(['rtl']);
  });

  it('with visible states and edges in forced colours', async () => {
    const page = await shop.visit({ forcedColors: 'active', reducedMotion: 'reduce' });
    const unseen: string[] = [];
    /** Adds the name if the point has the same colour as the page. */
    async function mustShow(
      name: string,
      of: Locator,
      pick: (box: Point & { width: number; height: number }) => Point,
    ) {
      await of.scrollIntoViewIfNeeded();
      const box = await of.boundingBox();
      if (!box) throw new Error(`There is no ${name}.`);
      const { x, y } = pick(box);
      const [ground, there] = await coloursAt(page, [
        { x: 2, y: 500 },
        { x: Math.floor(x), y: Math.floor(y) },
      ]);
      if (ground === there) unseen.push(name);
    }
    const leftEdge = ({ x, y, height }: Point & { height: number }) => ({ x: x + 0.5, y: y + height / 2 });

    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('[aria-invalid]').first().waitFor();
    const widths = `[...document.querySelectorAll('input')].map((input) => getComputedStyle(input).borderLeftWidth)`;
    expect(new Set((await page.evaluate(widths)) as string[])).toEqual(new Set(['3px']));
    await page.getByLabel('E-mail address').fill('nobody@example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('.failure').waitFor();
    await mustShow('failure', page.locator('.failure'), leftEdge);

    await register(page);
    await put(page, 'Looks good');
    await mustShow('announcement', page.locator('.announcement p'), leftEdge);
    await mustShow('count', page.locator('.count'), leftEdge);
    await mustShow('product', page.locator('.product').last(), leftEdge);
    await mustShow('arrow of the order', page.getByLabel('Order of the products'), ({ x, y, width, height }) => ({
      x: x + width - 22,
      y: y + height / 2 + 2,
    }));
    await page.getByRole('link', { name: /^Basket/ }).click();
    await page.getByRole('button', { name: 'Place the order' }).click();
    await page.getByText('Confirming').waitFor();
    await mustShow('status', page.locator('.status'), leftEdge);
    const step = (state: string) => page.locator(`.steps .${state}`);
    const marker = ({ x, y }: Point) => ({ x: x + 7, y: y + 12 });
    await mustShow('done', step('done'), marker);
    await mustShow('line to the next', step('done'), ({ x, y }) => ({ x: x + 7, y: y + 30 }));
    await mustShow('now', step('now'), ({ x, y }) => ({ x: x + 1, y: y + 12 }));
    expect(unseen).toEqual([]);
    await mustShow('now is not filled', step('now'), marker);
    await mustShow('later is not filled', step('later'), marker);
    expect(unseen).toEqual(['now is not filled', 'later is not filled']);

    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('button', { name: 'Yes, cancel it' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('cancelled by the customer').waitFor();
    await mustShow('cancelled', step('ended'), marker);
    await mustShow('dot of the status', page.locator('.status'), ({ x, y, height }) => ({
      x: x + 17,
      y: y + height / 2,
    }));
    expect(unseen).toEqual(['now is not filled', 'later is not filled']);
  });
});
