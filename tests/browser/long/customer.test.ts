import { useShop } from '../_shop.ts';
import { storeOfStory, tellStory } from '../customer/_story.ts';

/** All but those by which a customer registers, logs in and leaves. */
const killed = ['order', 'notification', 'payment', 'console', 'invoice', 'inventory', 'product', 'order-worker'];

describe('a customer whose services are killed in turn', () => {
  const shop = useShop(storeOfStory);

  it('is served, and forgotten, all the same', async () => {
    await tellStory(shop, killed);
  }, 900_000);
});
