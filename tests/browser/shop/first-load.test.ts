import { addProducts, sharedShop } from '../_shop.ts';
import { customerOf, load } from './_first-load.ts';

interface Entry {
  name: string;
  startTime: number;
  responseEnd: number;
}

const shop = await sharedShop();

describe('the first load of the shop', () => {
  it('asks once whose session it is, before the script has loaded', async () => {
    const page = await shop.newPage();
    await load(page, shop.url, 'form button');
    const entries = (await page.evaluate(
      'performance.getEntriesByType("resource").map((entry) => entry.toJSON())',
    )) as Entry[];
    const asked = entries.filter(({ name }) => name.endsWith('/accounts'));
    const script = entries.find(({ name }) => name.endsWith('.js'));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.startTime).toBeLessThan(script?.responseEnd ?? 0);
    await page.context().close();
  });

  it('takes at most 100 KB', async () => {
    // A page of the catalogue.
    await addProducts(
      shop,
      Array.from({ length: 24 }, (_, n) => ({ name: `Plate ${n}`, price: 7, unit: 'piece' })),
    );
    const newPage = await customerOf(shop);
    expect((await load(await newPage(), shop.url)).bytes).toBeLessThanOrEqual(100_000);
  });
});
