import type { Page } from 'playwright-core';
import { sendExpecting } from '../../kit/http.ts';
import { countOrders, logIn, put, register, show } from '../_customer.ts';
import { addProducts, sharedShop } from '../_shop.ts';

/** Products whose prices change. */
const changing = [
  { name: 'Bath towel', price: 18, unit: 'piece' },
  { name: 'Wild rice', price: 3.6, unit: '500 g' },
  { name: 'Walnut oil', price: 11.9, unit: '0.75 l' },
];

const shop = await sharedShop();
const { ids, seller } = await addProducts(shop, changing);

describe('an order without a response, or whose price has changed', () => {
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const basket = async (page: Page) => {
    await show(page, 'basket');
    return page.locator('.line h2').allTextContents();
  };
  const placedBy = (page: Page) => countOrders(page, shop);
  /** Collects the orders that the page sends from now on. */
  function sent(page: Page): string[] {
    const posts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/orders')) posts.push(request.postData() ?? '');
    });
    return posts;
  }
  /** Presses the button while the browser is offline. It stays offline until the shop reports the failure. */
  async function orderOffline(page: Page): Promise<void> {
    await show(page, 'basket');
    await page.context().setOffline(true);
    await button(page, 'Place the order').click();
    await button(page, 'One moment…').waitFor();
    await button(page, 'Place the order').waitFor();
    await page.getByText('The store does not respond.').waitFor();
    await page.context().setOffline(false);
  }
  const missing = (page: Page) => page.getByText('It has not arrived at the store. Nothing is sent unless you say so.');
  const customerWith = async (...names: string[]) => {
    const page = await shop.visit();
    const customer = await register(page);
    for (const name of names) await put(page, name);
    return { page, customer };
  };
  const change = (name: string, price: number | undefined) => {
    const path = `/products/${ids.get(name)}`;
    return price === undefined
      ? sendExpecting(204, seller.send, 'DELETE', path)
      : sendExpecting(200, seller.send, 'PUT', path, { name, price, unit: 'piece' });
  };

  it('is not sent by a reload: the shop asks, and then tries again or forgets it', async () => {
    const { page } = await customerWith('Green tea');
    await orderOffline(page);
    await button(page, 'Remove Green tea').click();
    const posts = sent(page);
    await page.reload();
    await missing(page).waitFor();
    await page.getByText('1 × Green tea, $4.95').waitFor();
    expect([posts, await placedBy(page)]).toEqual([[], 0]);

    await button(page, 'Forget it').click();
    await page.getByText('That order is forgotten.').waitFor();
    await page.reload();
    await page.getByText('Your basket is empty.').waitFor();
    expect([await missing(page).count(), posts, await placedBy(page)]).toEqual([0, [], 0]);
  });

  it('is looked up again without a click if the store did not answer after a reload', async () => {
    const { page } = await customerWith('Green tea');
    await orderOffline(page);
    const sentences = {
      '**/accounts': 'Logging in is not possible at the moment.',
      '**/orders?*': 'The store does not respond.',
    };
    for (const [path, sentence] of Object.entries(sentences)) {
      await page.route(path, (route) => route.abort('internetdisconnected'));
      await page.reload();
      await page.getByText(sentence).first().waitFor();
      await page.unroute(path);
      await missing(page).waitFor();
    }
  });

  it('is one order when tried again, and only its own lines leave the basket', async () => {
    const { page } = await customerWith('Green tea', 'Plum jam');
    await orderOffline(page);
    await page.reload();
    await missing(page).waitFor();
    await put(page, 'Green tea');
    await put(page, 'Sea salt');
    await button(page, 'Try again for $10.10').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    expect(await basket(page)).toEqual(['Green tea', 'Sea salt']);
    await page.getByText('2 pieces', { exact: true }).waitFor();
    expect(await placedBy(page)).toBe(1);
  });

  it('is one order when the button is pressed again without a reload; for other products the shop asks the store first', async () => {
    const { page } = await customerWith('Green tea');
    await show(page, 'basket');
    let arrived = 0;
    await page.route('**/orders', async (route) => {
      if (route.request().method() !== 'POST' || arrived > 0) return route.fallback();
      arrived = (await route.fetch()).status();
      await route.abort('connectionreset');
      await page.context().setOffline(true);
    });
    await button(page, 'Place the order').click();
    await page.getByText('The store does not respond.').waitFor();
    expect(arrived).toBe(201);
    await page.context().setOffline(false);
    await put(page, 'Plum jam');
    // The catalogue has already told the shop that it arrived.
    await page.getByText('It has arrived at the store.').waitFor();
    expect(await basket(page)).toEqual(['Plum jam']);
    await button(page, 'Place the order').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    expect(await placedBy(page)).toBe(2);
  });

  it('is forgotten after 24 hours, even while it is shown', async () => {
    const { page } = await customerWith('Green tea');
    await orderOffline(page);
    await page.reload();
    await missing(page).waitFor();
    const posts = sent(page);
    await page.clock.setFixedTime(Date.now() + 24 * 3_600_000);
    await button(page, /^Try again for/).click();
    await page.getByText('more than a day old').waitFor();
    expect(await missing(page).count()).toBe(0);
    await page.reload();
    await button(page, 'Place the order').waitFor();
    expect([await missing(page).count(), posts, await placedBy(page)]).toEqual([0, [], 0]);
  });

  it('belongs to its account, like the basket', async () => {
    const { page, customer } = await customerWith('Green tea');
    await orderOffline(page);
    await button(page, 'Log out').click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await register(page, 'Bob');
    await show(page, 'basket');
    await page.getByText('Your basket is empty.').waitFor();
    expect(await missing(page).count()).toBe(0);
    await button(page, 'Log out').click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await logIn(page, customer);
    await missing(page).waitFor();
    expect(await basket(page)).toEqual(['Green tea']);
  });

  it('is not sent again for the next customer who logs in', async () => {
    const { page, customer } = await customerWith('Green tea');
    const posts = sent(page);
    await page.route('**/orders', (route) => (route.request().method() === 'POST' ? route.abort() : route.fallback()));
    await show(page, 'basket');
    await button(page, 'Place the order').click();
    await button(page, 'One moment…').waitFor();
    await button(page, 'Log out').click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await register(page, 'Bob');
    await page.unroute('**/orders');
    const before = posts.length;
    // Longer than the client retries a request (shop/store.ts).
    await page.waitForTimeout(10_000);
    expect([posts.length - before, await placedBy(page)]).toEqual([0, 0]);
    await button(page, 'Log out').click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await logIn(page, customer);
    await missing(page).waitFor();
  });

  it("shows a product's current price before ordering, in the basket and at the last moment", async () => {
    const { page } = await customerWith('Bath towel', 'Wild rice');
    await change('Bath towel', 19);
    await show(page, 'basket');
    await page.getByText('Bath towel costs $19.00 now, not $18.00.').waitFor();
    await page.locator('.sum').getByText('$22.60').waitFor();
    await change('Bath towel', 190);
    await button(page, 'Place the order').click();
    await page.getByText('Bath towel costs $190.00 now, not $19.00.').waitFor();
    await page.getByText('Prices have changed, so nothing was ordered.').waitFor();
    await page.locator('.sum').getByText('$193.60').waitFor();
    expect(await placedBy(page)).toBe(0);

    await change('Wild rice', undefined);
    await button(page, 'Place the order').click();
    await page.getByText('Wild rice is no longer sold.').waitFor();
    await page.locator('.sum').getByText('$190.00').waitFor();
    expect(await placedBy(page)).toBe(0);
    await button(page, 'Place the order').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    await page.locator('.sum').getByText('$190.00').waitFor();
  });

  it('shows what another attempt would cost now, and asks again', async () => {
    const { page } = await customerWith('Walnut oil');
    await orderOffline(page);
    await change('Walnut oil', 50);
    await page.reload();
    await button(page, 'Try again for $11.90').click();
    await page.getByText('It would cost $50.00 now, not $11.90. Nothing was ordered.').waitFor();
    expect(await placedBy(page)).toBe(0);
    await button(page, 'Try again for $50.00').click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    expect(await placedBy(page)).toBe(1);
  });
});
