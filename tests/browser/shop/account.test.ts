import { queryOnce } from '../../kit/postgres/database.ts';
import { register, visitAsCustomer } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

const shop = await sharedShop();

describe("a customer's own account", () => {
  it('is changed, and is not deleted by a wrong password', async () => {
    const page = await visitAsCustomer(shop);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Countess');
    await page.getByRole('button', { name: 'Change the name' }).click();
    await page.getByText('Your name is changed.').waitFor();
    const deleting = page.locator('form', { hasText: 'for ever' });
    await deleting.getByLabel('Current password').fill('wrong');
    await deleting.getByRole('button').click();
    await deleting.getByText('The current password is wrong.').waitFor();
  });

  it('gets mails in the language of the browser, until it chooses another', async () => {
    const page = await shop.visit({ locale: 'pt-BR' });
    const { email } = await register(page);
    const locale = async () =>
      (
        await queryOnce<{ locale: string }>(
          shop.store.databaseUrl('account'),
          `select locale from accounts where email = '${email}'`,
        )
      )[0]?.locale;
    expect(await locale()).toBe('pt');
    await page.getByRole('link', { name: 'Account' }).click();
    const choice = page.getByLabel('Language of mails');
    expect(await choice.inputValue()).toBe('pt');
    await choice.selectOption('en');
    await page.getByText('Mails to you are in English from now on.').waitFor();
    expect(await locale()).toBe('en');
    await page.reload();
    expect(await choice.inputValue()).toBe('en');
  });

  it('has a sentence for a link that is used, and a form again', async () => {
    const page = await shop.visit();
    await page.goto(`${shop.url}/#/reset/unknown`);
    await page.getByRole('textbox', { name: 'New password' }).fill('battery staple');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('This link is no longer valid.').waitFor();
    await page.goto(`${shop.url}/#/confirm/unknown`);
    await page.getByText('This link is no longer valid.').waitFor();
  });
});
