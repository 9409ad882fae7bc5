import { order, put, register, show, visitAsCustomer } from '../_customer.ts';
import { entireStore, useShop } from '../_shop.ts';
import { someWares } from '../_wares.ts';

// Services hang (SIGSTOP) while a customer uses the shop: it says so, and then continues.

describe('a customer while one service hangs', () => {
  const shop = useShop(entireStore, someWares);

  async function whileStopped(names: string[], work: () => Promise<void>): Promise<void> {
    for (const name of names) shop.store.component(name).kill('SIGSTOP');
    try {
      await work();
    } finally {
      for (const name of names) shop.store.component(name).kill('SIGCONT');
    }
  }

  it('orders without seeing the stock, and later reads what was missing', async () => {
    const page = await visitAsCustomer(shop);
    await put(page, 'Sea salt');
    await whileStopped(['inventory'], async () => {
      await show(page, 'basket');
      await page.getByRole('button', { name: 'Place the order' }).click();
      await page.getByText('Confirming').waitFor({ timeout: 10_000 });
    });
    await page.getByText('Getting ready to ship').waitFor({ timeout: 60_000 });
  }, 120_000);

  it('reads a sentence in place of the invoice, and gets the invoice by pressing a button', async () => {
    const page = await visitAsCustomer(shop);
    await order(page, 'Olive oil');
    await page.getByRole('link', { name: 'Printable invoice' }).waitFor({ timeout: 60_000 });
    await whileStopped(['invoice'], async () => {
      await page.getByRole('link', { name: 'Printable invoice' }).click();
      await page.getByText('The store does not respond.').waitFor({ timeout: 20_000 });
      await page.getByRole('navigation').getByRole('link', { name: 'Catalogue' }).waitFor();
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: /^Invoice \d+$/ }).waitFor({ timeout: 60_000 });
  }, 180_000);

  it('reads a sentence in place of the file with their data, and gets the file by pressing a button', async () => {
    const page = await shop.visit();
    await register(page);
    await show(page, 'account');
    await whileStopped(['notification'], async () => {
      await page.getByRole('button', { name: 'Save your data' }).click();
      await page.getByRole('alert').getByText('The store has a problem at the moment.').waitFor({ timeout: 60_000 });
    });
    const again = page.getByRole('button', { name: 'Try again' });
    const [saved] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), again.click()]);
    expect(saved.suggestedFilename()).toBe('account.json');
  }, 180_000);
});
