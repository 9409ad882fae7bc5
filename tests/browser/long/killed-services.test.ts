import { until } from '../../e2e/_store.ts';
import { order, visitAsCustomer } from '../_customer.ts';
import { killThroughout } from '../_kills.ts';
import { allComponents, useShop } from '../_shop.ts';
import { someWares } from '../_wares.ts';

/** One order right after each kill, so that every component is killed once. */
const orders = 10;

describe('a customer of a store whose processes are killed throughout', () => {
  // The last order may be placed minutes after the first, which would be shipped by then.
  const shop = useShop({ env: { SHIP_AFTER_SECONDS: 'never' } }, someWares);

  it('places every order once, and sees each confirmed', async () => {
    const page = await visitAsCustomer(shop);
    const kills = killThroughout(shop.store, allComponents);
    try {
      for (let count = 0; count < orders; count += 1) {
        await until('the next component is killed', async () => kills.count() > count, 120_000);
        await order(page, 'Sea salt');
      }
    } finally {
      expect(await kills.stop()).toBeGreaterThanOrEqual(allComponents.length);
    }

    await page.goto(`${shop.url}/#/orders`);
    await page
      .getByText('Confirmed')
      .nth(orders - 1)
      .waitFor({ timeout: 120_000 });
    expect(await page.getByRole('link', { name: /^Order [0-9A-F]{8}/ }).count()).toBe(orders);
  }, 600_000);

  it.each(['inventory', 'payment', 'order-worker'])(
    'sees an order confirmed once %s continues',
    async (name) => {
      const page = await visitAsCustomer(shop);
      shop.store.component(name).kill('SIGSTOP');
      try {
        await order(page, 'Sea salt');
        await page.getByText('Confirming').waitFor();
      } finally {
        shop.store.component(name).kill('SIGCONT');
      }
      await page.getByText('Getting ready to ship').waitFor({ timeout: 120_000 });
      await page.context().close();
    },
    240_000,
  );
});
