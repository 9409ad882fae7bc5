import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { until } from '../../e2e/_store.ts';
import { chromiumPath } from '../../kit/chromium.ts';
import { register } from '../_customer.ts';
import { addProducts, startShop, type TestShop } from '../_shop.ts';
import { someWares } from '../_wares.ts';

const orders = 10;

(chromiumPath ? describe : describe.skip)('a customer whose store is killed throughout', () => {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop();
    await addProducts(shop, someWares);
  }, 180_000);

  afterAll(() => shop?.stop(), 60_000);

  /** As a customer would: where the shop shows a sentence, the button is pressed again. */
  async function order(page: Page): Promise<void> {
    await page.goto(`${shop.url}/#/`);
    await page.getByRole('button', { name: 'Add Sea salt to the basket' }).click();
    await page.goto(`${shop.url}/#/basket`);
    const placed = page.getByRole('heading', { level: 1, name: /^Order / });
    const failed = page.getByRole('alert').locator('.failure');
    const button = page.getByRole('button', { name: 'Place the order' });
    for (;;) {
      await button.click();
      await page.getByRole('button', { name: 'One moment…' }).waitFor({ state: 'hidden' });
      await placed.or(failed).first().waitFor({ timeout: 90_000 });
      if (await placed.isVisible()) return;
      await sleep(500);
    }
  }

  it('places every order once, and sees each confirmed', async () => {
    const page = await shop.visit();
    await register(page);
    let stopped = false;
    let kills = 0;
    const isReady = (name: string) => () =>
      fetch(`${shop.store.url(name)}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    const killing = (async () => {
      for (; !stopped; kills += 1) {
        const name = ['order', 'product', 'order-worker'][kills % 3] ?? '';
        shop.store.component(name).kill('SIGKILL');
        await sleep(200);
        await until(`${name} is back`, isReady(name), 90_000);
        await sleep(1000);
      }
    })();
    try {
      for (let count = 0; count < orders; count += 1) await order(page);
    } finally {
      stopped = true;
      await killing;
    }
    expect(kills).toBeGreaterThanOrEqual(3);

    await page.goto(`${shop.url}/#/orders`);
    await page
      .getByText('Confirmed')
      .nth(orders - 1)
      .waitFor({ timeout: 120_000 });
    expect(await page.getByRole('link', { name: /^Order [0-9A-F]{8}/ }).count()).toBe(orders);
  }, 600_000);
});
