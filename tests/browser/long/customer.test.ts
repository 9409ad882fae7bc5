import { startShop, type TestShop } from '../_shop.ts';
import { storeOfStory, tellStory } from '../customer/_story.ts';

/** All but those by which a customer registers, logs in and leaves. */
const killed = ['order', 'notification', 'payment', 'console', 'invoice', 'inventory', 'product', 'order-worker'];

describe('a customer whose services are killed in turn', () => {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop(storeOfStory);
  }, 180_000);

  afterAll(() => shop?.stop(), 60_000);

  it('is served, and forgotten, all the same', async () => {
    await tellStory(shop, killed);
  }, 900_000);
});
