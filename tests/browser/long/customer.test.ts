import { useShop } from '../_shop.ts';
import { storeOfStory, tellStory } from '../customer/_story.ts';

/** All services except those with which a customer registers, logs in and deletes the account. */
const killed = ['order', 'notification', 'payment', 'console', 'invoice', 'inventory', 'product', 'order-worker'];

describe('a customer whose services are killed in turn', () => {
  const shop = useShop(storeOfStory);

  it('is served, and leaves no trace', async () => {
    await tellStory(shop, killed);
  }, 900_000);
});
