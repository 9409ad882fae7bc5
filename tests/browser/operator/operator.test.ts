import { chromiumPath } from '../../kit/chromium.ts';
import { entireStore, startShop, type TestShop } from '../_shop.ts';
import { tellStory } from './_story.ts';

(chromiumPath ? describe : describe.skip)('a customer and two operators', () => {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop(entireStore);
  }, 180_000);

  afterAll(() => shop?.stop(), 60_000);

  it('an order whose payment failed is confirmed after its redrive, while services are killed', async () => {
    await tellStory(shop, { killed: ['order', 'console'], rounds: 1 });
  }, 300_000);
});
