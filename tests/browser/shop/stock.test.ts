import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { countOrders, put, show, visitAsCustomer } from '../_customer.ts';
import { addProducts, setStock, sharedShop } from '../_shop.ts';

const shop = await sharedShop();

describe('a basket and the stock', () => {
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const names = (page: Page) => page.locator('.line h2').allTextContents();
  const quantities = (page: Page) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('.line input')].map(({ value }) => value)`);

  /** Products of this test only, by the first words of their names. */
  async function products<Name extends string>(stock: Record<Name, number>) {
    const word = randomUUID().slice(0, 8);
    const all = Object.keys(stock) as Name[];
    const { ids } = await addProducts(
      shop,
      all.map((name) => ({ name: `${name} ${word}`, price: 5, unit: 'piece' })),
    );
    const set = (name: Name, available: number) => setStock(shop, ids.get(`${name} ${word}`), available);
    for (const name of all) await set(name, stock[name]);
    return { named: (name: Name) => `${name} ${word}`, set };
  }

  it('holds no more than is in stock: when it opens, when a quantity changes, and before it is ordered', async () => {
    const page = await visitAsCustomer(shop);
    const { named, set } = await products({ Vase: 3, Lamp: 2 });
    await put(page, named('Lamp'));
    await put(page, named('Vase'));
    await page.getByText('3 left').waitFor();
    for (const quantity of [2, 3]) {
      await button(page, `Add ${named('Vase')} to the basket`).click();
      await page.getByText(`${quantity} in basket`).waitFor();
    }
    await button(page, `Add ${named('Vase')} to the basket`).click();
    await page.getByText(`Only 3 pieces of ${named('Vase')} are left. All are in your basket.`).waitFor();

    await set('Vase', 2);
    await show(page, 'basket');
    const left = `Only 2 pieces of ${named('Vase')} are left.`;
    await page.getByText(`${left} Your basket had 3, and has 2 now.`).waitFor();
    await page.getByText('3 pieces', { exact: true }).waitFor();
    await page
      .getByLabel(`Quantity of ${named('Vase')}`)
      .last()
      .fill('5');
    await page
      .getByLabel(`Quantity of ${named('Vase')}`)
      .last()
      .press('Tab');
    await page.getByText(left, { exact: true }).waitFor();
    expect(await quantities(page)).toEqual(['1', '2']);
    expect(await button(page, `One ${named('Vase')} more`).isDisabled()).toBe(true);

    await set('Lamp', 0);
    await button(page, 'Place the order').click();
    await page.getByText(`${named('Lamp')} is sold out, so it is no longer in your basket.`).waitFor();
    await page.getByText('nothing was ordered').waitFor();
    expect([await names(page), await countOrders(page, shop)]).toEqual([[named('Vase')], 0]);
    await button(page, 'Place the order').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
  });

  it('can be ordered if the store does not report the stock', async () => {
    const page = await visitAsCustomer(shop);
    const { named, set } = await products({ Vase: 3 });
    await put(page, named('Vase'));
    await page.route('**/products/availability*', (route) => route.fulfill({ status: 503, json: { status: 503 } }));
    await set('Vase', 0);
    await show(page, 'basket');
    await button(page, 'Place the order').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
  });

  it('keeps what is reserved for its own order whose response was lost', async () => {
    const page = await visitAsCustomer(shop);
    const { named, set } = await products({ Vase: 1 });
    await put(page, named('Vase'));
    await show(page, 'basket');
    await page.route('**/orders', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await button(page, 'Place the order').click();
    await page.getByText('The store does not respond.').waitFor({ timeout: 20_000 });
    await set('Vase', 0);
    await page.unroute('**/orders');
    await button(page, 'Place the order').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    await page.getByRole('heading', { name: named('Vase') }).waitFor();
    expect(await countOrders(page, shop)).toBe(1);
  });

  it('gets back the available products of a cancelled order', async () => {
    const page = await visitAsCustomer(shop);
    const { named, set } = await products({ Vase: 9, Lamp: 9, Bowl: 9 });
    for (const name of ['Vase', 'Lamp', 'Bowl'] as const) await put(page, named(name));
    await button(page, `Add ${named('Bowl')} to the basket`).click();
    await page.getByText('2 in basket').waitFor();
    await show(page, 'basket');
    await button(page, 'Place the order').click();
    await button(page, 'Cancel the order').click();
    await button(page, 'Yes, cancel it').click();
    await page.getByText('cancelled by the customer').waitFor();
    await set('Lamp', 0);
    await set('Bowl', 1);
    const again = button(page, 'Put what is left back into the basket');
    await page.route('**/products/availability*', (route) => route.fulfill({ status: 404, json: { status: 404 } }));
    await again.click();
    await page.getByRole('alert').locator('.failure').waitFor();
    await page.unroute('**/products/availability*');
    await again.click();
    await page.getByText(`1 piece of ${named('Vase')} is in your basket.`).waitFor();
    await page.getByText(`${named('Lamp')} is sold out.`).waitFor();
    await page.getByText(`1 piece of ${named('Bowl')} is in your basket.`).waitFor();
    await page.getByRole('link', { name: 'Look at your basket' }).click();
    await button(page, 'Place the order').waitFor();
    expect([(await names(page)).sort(), await quantities(page)]).toEqual([
      [named('Bowl'), named('Vase')],
      ['1', '1'],
    ]);
  });
});
