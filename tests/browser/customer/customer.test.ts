import { useShop } from '../_shop.ts';
import { storeOfStory, tellStory } from './_story.ts';

describe('a customer of an open catalogue who must confirm their address', () => {
  const shop = useShop(storeOfStory);

  it('orders, resets the password, deletes the account, and leaves no trace in any table, topic or log', async () => {
    await tellStory(shop);
  }, 300_000);
});
