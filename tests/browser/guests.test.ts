import { put, register, show } from './_customer.ts';
import { useShop } from './_shop.ts';
import { someWares } from './_wares.ts';

const sentence = 'Logging in is not possible at the moment.';

// Concerns clients with a token: without a token the gateway does not ask auth.
describe('an open catalogue while auth hangs', () => {
  const shop = useShop(
    { components: ['gateway', 'auth', 'account', 'product'], env: { PUBLIC_CATALOGUE: 'true' } },
    someWares,
  );

  it('shows products and a basket, and recognises the customer again without a reload', async () => {
    const page = await shop.visit();
    await register(page);
    const auth = shop.store.component('auth');
    auth.kill('SIGSTOP');
    try {
      await page.reload();
      await page.getByRole('heading', { name: 'Sea salt' }).waitFor({ timeout: 8_000 });
      await page.getByRole('status').getByText(sentence).waitFor();
      await put(page, 'Green tea');
      await page.getByRole('link', { name: 'Green tea', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Green tea' }).waitFor();
      await show(page, 'basket');
      await page.locator('.line').getByRole('heading', { name: 'Green tea' }).waitFor();
      // Pages that need a login say what is wrong.
      await show(page, 'orders');
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
      await show(page, 'basket');
    } finally {
      auth.kill('SIGCONT');
    }
    // The shop asks again every 10 s.
    await page.getByRole('button', { name: 'Log out' }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Place the order' }).waitFor();
    await page.locator('.line').getByRole('heading', { name: 'Green tea' }).waitFor();
    expect(await page.getByText(sentence).isVisible()).toBe(false);
  }, 120_000);
});
