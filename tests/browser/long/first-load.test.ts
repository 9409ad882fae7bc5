import { useShop } from '../_shop.ts';
import { someWares } from '../_wares.ts';
import { customerOf, load } from '../shop/_first-load.ts';

const tries = 3;

// Only in the long form, which runs alone: other tests would take the CPU time that this test measures.
describe('the first load of the shop', () => {
  const components = ['gateway', 'auth', 'account', 'product', 'order'];
  const shop = useShop({ components }, [...someWares, ...someWares]);

  it('takes at most 1.5 s until the customer can buy something', async () => {
    const newPage = await customerOf(shop);
    const times: number[] = [];
    for (let turn = 0; turn < tries; turn += 1) {
      const page = await newPage();
      times.push((await load(page, shop.url)).ms);
      await page.context().close();
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(1500);
  });
});
