import { createSend, sendExpecting } from '../../kit/http.ts';
import { put, visitAsCustomer } from '../_customer.ts';
import { addProducts, entireStore, useShop } from '../_shop.ts';
import { tellStory } from './_story.ts';

describe('a customer and two operators', () => {
  const shop = useShop(entireStore);

  it('see an order confirmed after the redrive of its failed payment, while services are killed', async () => {
    await tellStory(shop, { killed: ['order', 'console'], rounds: 1 });
  }, 300_000);

  it('see which products were missing on an order that was cancelled for lack of stock', async () => {
    const { ids } = await addProducts(
      shop,
      ['Fig', 'Date', 'Plum'].map((name) => ({ name, price: 1, unit: 'piece' })),
    );
    const page = await visitAsCustomer(shop);
    for (const name of ids.keys()) await put(page, name);
    const inventory = createSend(shop.store.url('inventory'));
    for (const [name, available] of Object.entries({ Fig: 2, Date: 0 }))
      await sendExpecting(201, inventory, 'PUT', `/stock/${ids.get(name)}`, { available });
    // As if others had bought the rest between the stock check and the order.
    await page.route('**/products/availability*', (route) => route.fulfill({ status: 503, json: { status: 503 } }));
    await page.evaluate(`location.hash = '#/basket'`);
    await page.getByLabel('Quantity of Fig').last().fill('5');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Place the order' }).click();
    await page.getByText('out of stock').waitFor();
    const lines = await page.locator('.bought').allInnerTexts();
    expect(lines.map((line) => line.split(/\s*\n\s*/))).toEqual([
      ['Fig', '5 × $1.00', 'Only 2 were left.'],
      ['Date', '1 × $1.00', 'It was sold out.'],
      ['Plum', '1 × $1.00'],
    ]);
  });
});
