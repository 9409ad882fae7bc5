import { chromiumPath } from '../../kit/chromium.ts';
import { createSend } from '../../kit/http.ts';
import { until } from '../../kit/until.ts';
import { logIn, startRegistration } from '../_customer.ts';
import { startShop, type TestShop } from '../_shop.ts';

(chromiumPath ? describe : describe.skip)("a customer's own account", () => {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop({ components: ['gateway', 'auth', 'account', 'product', 'order', 'notification'] });
  }, 180_000);
  afterAll(() => shop?.stop(), 60_000);

  /** The link of the next mail of a subject, in the shop of this test. */
  async function linkOf(subject: string): Promise<string> {
    const mails = createSend(shop.store.url('notification'));
    const find = async () =>
      (await mails('GET', '/internal/mails')).body.find((mail: { subject: string }) => mail.subject === subject)?.id;
    await until(`there is a mail: ${subject}`, async () => (await find()) !== undefined);
    const { text } = (await mails('GET', `/internal/mails/${await find()}`)).body;
    return `${shop.url}/${/#\/\S+$/.exec(text)?.[0]}`;
  }

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
    await elsewhere.getByLabel('E-mail address').fill(account.email);
    await elsewhere.getByRole('button', { name: 'Send a link' }).click();
    await elsewhere.getByText('If there is an account with this address').waitFor();
    await elsewhere.goto(await linkOf('Set a new password'));
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
