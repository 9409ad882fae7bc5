import { startShop, type TestShop } from '../_shop.ts';
import { storeOfStory, tellStory } from './_story.ts';

describe('a customer whose catalogue is open and whose address has to be confirmed', () => {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop(storeOfStory);
  }, 180_000);

  afterAll(() => shop?.stop(), 60_000);

  it('comes, orders, forgets the password, leaves, and is forgotten in every table, topic and log', async () => {
    await tellStory(shop);
  }, 300_000);
});
