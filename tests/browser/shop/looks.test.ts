import type { Locator } from 'playwright-core';
import { isWiderThanScreen } from '../../kit/page-width.ts';
import { put, register } from '../_customer.ts';
import { addProducts, sharedShop } from '../_shop.ts';
import { coloursAt, type Point } from './_pixels.ts';
import { walk } from './_walk.ts';

const good = { name: 'Looks good', price: 4.95, unit: 'piece' };
// As long as the store takes them.
const long = { name: `Looks${'W'.repeat(195)}`, price: 99_999_999.9999, unit: 'M'.repeat(32) };
const wordy = {
  name: `Looks ${'Donaudampfschifffahrtsgesellschaftskapitän '.repeat(4)}`.trim(),
  price: 12_345_678.5,
  unit: 'x',
};

/** Names of what is cut off, by the screen or by what it stands in, for those who see it. */
const cutTexts = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const around = node.parentElement;
    if (!around.checkVisibility() || around.closest('.unseen, .skip, [aria-hidden], option, legend')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, right } of range.getClientRects()) {
      const boxes = [{ left: 0, right: document.documentElement.clientWidth }];
      for (let box = around; box; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== 'visible') boxes.push(box.getBoundingClientRect());
      if (boxes.some((box) => left < box.left - 1 || right > box.right + 1)) found.push(node.textContent.slice(0, 20));
    }
  }
  return [...new Set(found)];
})()`;

const shop = await sharedShop();
await addProducts(shop, [good, wordy, long]);

describe('the shop can be read', () => {
  it.each([360, 1280])(
    'nothing is cut off however long it is, and no page is wider than the screen: %i px',
    async (width) => {
      const page = await shop.visit({ viewport: { width, height: 740 } });
      const cut: string[] = [];
      await walk(page, [wordy.name, long.name], async (name) => {
        for (const text of (await page.evaluate(cutTexts)) as string[]) cut.push(`${name}: ${text}`);
        if (await page.evaluate(isWiderThanScreen)) cut.push(`${name} is too wide`);
      });
      expect(cut).toEqual([]);
    },
  );

  it('states and edges are seen where colours are forced', async () => {
    const page = await shop.visit({ forcedColors: 'active', reducedMotion: 'reduce' });
    const unseen: string[] = [];
    /** Adds the name unless the point has another colour than the page. */
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
