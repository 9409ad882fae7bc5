import { entireStore, useShop } from '../_shop.ts';
import { tellStory } from '../operator/_story.ts';

/** All except those that a login needs: while auth is down, services do not learn which sessions have ended (contract 4.11). */
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

  it('see orders confirmed after the redrive of their failed payments', async () => {
    await tellStory(shop, { killed, rounds: 4 });
  }, 900_000);
});
