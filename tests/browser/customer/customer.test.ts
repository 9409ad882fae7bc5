import { entireStore, startShop, type TestShop } from '../_shop.ts';
import { tellStory } from './_story.ts';

describe('a customer whose catalogue is open and whose address has to be confirmed', () => {
  let shop: TestShop;

  beforeAll(async () => {
    const env = { ...entireStore.env, EMAIL_CONFIRMATION: 'required', PUBLIC_CATALOGUE: 'true' };
    shop = await startShop({ ...entireStore, env });
  }, 180_000);

  afterAll(() => shop?.stop(), 60_000);

  it('comes, orders, forgets the password, leaves, and is forgotten in every table, topic and log', async () => {
    await tellStory(shop);
  }, 300_000);
});
