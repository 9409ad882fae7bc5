import { useShop } from '../_shop.ts';
import { storeOfStory, tellStory } from './_story.ts';

describe('a customer whose catalogue is open and whose address has to be confirmed', () => {
  const shop = useShop(storeOfStory);

  it('comes, orders, forgets the password, leaves, and is forgotten in every table, topic and log', async () => {
    await tellStory(shop);
  }, 300_000);
});
