import { mailbox } from '../../e2e/_mailbox.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { logIn, register, startRegistration } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

const shop = await sharedShop();

describe("a customer's own account", () => {
  it('is changed, got back by a mail after the password was forgotten, and deleted', async () => {
    const page = await shop.visit();
    const account = await startRegistration(page);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Countess');
    await page.getByRole('button', { name: 'Change the name' }).click();
    await page.getByText('Your name is changed.').waitFor();

    const elsewhere = await shop.visit();
    await elsewhere.getByRole('link', { name: 'Forgotten password?' }).click();
    // The page before it has a field of this name, too.
    await elsewhere.getByRole('heading', { name: 'Forgotten password' }).waitFor();
    await elsewhere.getByLabel('E-mail address').fill(account.email);
    await elsewhere.getByRole('button', { name: 'Send a link' }).click();
    await elsewhere.getByText('If there is an account with this address').waitFor();
    const [customer] = await queryOnce<{ id: string }>(
      shop.store.databaseUrl('account'),
      `select id from accounts where email = '${account.email}'`,
    );
    const { link } = await mailbox(shop.store)(customer?.id, 'Set a new password');
    await elsewhere.goto(`${shop.url}/${link}`);
    await elsewhere.getByRole('textbox', { name: 'New password' }).fill('battery staple');
    await elsewhere.getByRole('button', { name: 'Set the password' }).click();
    await elsewhere.getByText('you are logged out everywhere').waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const changed = { ...account, password: 'battery staple' };
    await logIn(page, changed);
    await elsewhere.getByRole('link', { name: 'Log in' }).last().click();
    await logIn(elsewhere, changed);
    await elsewhere.getByRole('link', { name: 'Account' }).click();
    await elsewhere.getByRole('button', { name: 'End this session' }).first().click();
    await page.reload();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();

    const deleting = elsewhere.locator('form', { hasText: 'for ever' });
    await deleting.getByLabel('Current password').fill('wrong');
    await deleting.getByRole('button').click();
    await deleting.getByText('The current password is wrong.').waitFor();
    await deleting.getByLabel('Current password').fill(changed.password);
    await deleting.getByRole('button').click();
    await elsewhere.getByRole('heading', { name: 'Log in' }).waitFor();
    await elsewhere.getByLabel('E-mail address').fill(changed.email);
    await elsewhere.getByLabel('Password').fill(changed.password);
    await elsewhere.getByRole('button', { name: 'Log in' }).click();
    await elsewhere.getByText('The e-mail address or the password is wrong.').waitFor();
  }, 60_000);

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
