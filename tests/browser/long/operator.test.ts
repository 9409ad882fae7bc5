import { entireStore, useShop } from '../_shop.ts';
import { tellStory } from '../operator/_story.ts';

/** All but those that a login needs: without auth nobody knows for some seconds whose sessions have ended (contract 4.11). */
const killed = [
  'order',
  'payment',
  'console',
  'inventory',
  'product',
  'order-worker',
  'notification',
  'invoice',
  'analytics',
];

describe('a customer and two operators, while every group is killed', () => {
  const shop = useShop(entireStore);

  it('orders whose payments failed are confirmed after their redrive', async () => {
    await tellStory(shop, { killed, rounds: 4 });
  }, 900_000);
});
