import type { Page } from 'playwright-core';
import { lookAt } from '../../../tests/kit/looks.ts';
import { until } from '../../../tests/kit/until.ts';
import { catalogueOf, details, initialStock, productId } from './_catalogue.ts';
import { type Answer, ann, describePages, logIn, useConsole } from './_console.ts';

type Console = ReturnType<typeof useConsole>;
const changesIn = ({ asked }: Console) => asked.filter(({ method }) => method === 'PUT').map(({ body }) => body);

/** Answers of product and inventory with a single product, Tea. @param change applied to inventory's answers */
function storeOf(change: (answer: Answer) => Answer = (answer) => answer) {
  const catalogue = catalogueOf('4.5');
  return { product: catalogue, inventory: change(catalogue) };
}
const onPhone = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const;

describePages('the form of a product', (open) => {
  const console = useConsole(() => storeOf());
  let page: Page;
  const form = (name: string) => page.getByRole('region', { name });
  const search = async (text: string) => {
    await page.getByLabel('Name of a product').fill(text);
    await page.keyboard.press('Enter');
  };
  const changeOf = async (by: string, fields: object) => {
    const cookie = await console.login(by);
    const path = `/api/products/${productId}`;
    const { body: seen } = await console.read(path, cookie);
    await console
      .send('put', path, cookie)
      .send({ ...seen, ...fields })
      .expect(204);
  };
  const sent = () => changesIn(console);

  beforeEach(async () => {
    page = await logIn(await open(onPhone), console, '#/stock');
    await page
      .getByRole('link', { name: 'Change Tea' })
      .or(page.getByRole('link', { name: /^Change / }))
      .waitFor();
    console.asked.length = 0;
  });

  it('has the focus when it appears, has every field of a product, and is accessible', async () => {
    await page.getByRole('link', { name: 'New product' }).click();
    await form('New product').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Name of new product');
    await page.goBack();
    await page.getByRole('link', { name: 'Change Tea' }).click();
    await page.getByLabel('Name of Tea').fill('Green tea');
    await page.getByLabel('Price of Tea').fill('4,75');
    await page.getByLabel('Tax of Tea').fill('6');
    await page.getByLabel('Description of Tea').fill('Second harvest.');
    await page.getByRole('button', { name: 'Add a picture' }).click();
    await page.getByLabel('Address of picture 1').fill('https://images.example.com/tea.jpg');
    await page.getByLabel('What picture 1 shows').fill('A cup');
    await page.getByRole('button', { name: 'Save Tea' }).click(); // the browser refuses a comma
    await page.getByLabel('SKU of Tea').fill(' TEA-2 ');
    expect(await lookAt(page, 'console-product')).toEqual([]);
    await page.setViewportSize(onPhone.viewport);
    await page.getByLabel('Price of Tea').fill('4.75');
    await page.getByLabel('Unit of Tea').press('Enter');
    await page.getByRole('status').getByText('Green tea was saved.').waitFor();
    await page.getByText('$4.75 per kg').waitFor();
    const images = [{ url: 'https://images.example.com/tea.jpg', alt: 'A cup' }];
    const own = { description: 'Second harvest.', category: 'Drinks', taxPermille: 60, sku: 'TEA-2', images };
    expect(sent()).toEqual([{ name: 'Green tea', price: 4.75, unit: 'kg', ...own }]);
    await changeOf('ann', { name: 'Tea', price: '4.5', ...details });
  });

  it('keeps typed text when its row leaves the list, when a search starts, and while other pages are open', async () => {
    await page.getByRole('link', { name: 'Change Tea' }).click();
    await page.getByLabel('Name of Tea').fill('Green tea');
    await page.route('**/api/products?*', (route) => route.fulfill({ json: { products: [], next: null } }));
    await search('coffee');
    await page.getByText('No product was found.').waitFor();
    expect(await page.getByLabel('Name of Tea').inputValue()).toBe('Green tea');
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.goBack();
    expect(await page.getByLabel('Name of Tea').inputValue()).toBe('Green tea');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Name of Tea').waitFor({ state: 'hidden' });
    await page.goto(`${console.origin}/console/#/stock/${productId}`);
    await page.getByLabel('Name of Tea').waitFor();
    expect(await page.getByLabel('Name of Tea').inputValue()).toBe('Tea');
    expect(sent()).toEqual([]);
  });

  it('shows the slower of two operators the current product, and lets them replace it', async () => {
    await page.getByRole('link', { name: 'Change Tea' }).click();
    await page.getByLabel('Price of Tea').fill('5');
    await changeOf('ben', { name: 'Black tea', taxPermille: 65 });
    await page.getByRole('button', { name: 'Save Tea' }).click();
    const told = 'Someone else has changed it. It is now name Black tea, price 4.5, tax 6.5. Do it again';
    await page.getByRole('alert').getByText(told).waitFor();
    await page.getByRole('button', { name: 'Save Tea' }).click();
    await page.getByRole('status').getByText('Tea was saved.').waitFor();
    expect(sent().slice(1)).toEqual([
      { ...details, name: 'Tea', price: 5, unit: 'kg' }, // refused, with the first version
      { ...details, name: 'Tea', price: 5, unit: 'kg' },
    ]);
    const log = console.logged.filter(({ msg }) => msg === 'A product was changed');
    expect(log.map(({ by }) => by).slice(-2)).toEqual(['ben (shared token)', ann]);
  });

  it("says in the service's words why it refuses a product that nobody else has changed", async () => {
    await page.getByRole('link', { name: 'Change Tea' }).click();
    await page.getByLabel('SKU of Tea').fill('TAKEN');
    await page.getByRole('button', { name: 'Save Tea' }).click();
    await page.getByRole('alert').getByText('Another product has this sku.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'New product' }).click();
    for (const [field, text] of Object.entries({ Name: 'Coffee', Price: '5', Unit: 'kg', SKU: 'TAKEN' }))
      await page.getByLabel(`${field} of new product`).fill(text);
    await page.getByRole('button', { name: 'Save new product' }).click();
    await page.getByRole('alert').getByText('Another product has this sku.', { exact: true }).waitFor();
  });

  it('asks before it deletes the product', async () => {
    await page.getByRole('link', { name: 'Change Tea' }).click();
    await page.getByRole('button', { name: 'Delete Tea' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Tea?' });
    await dialog.getByRole('button', { name: 'Back' }).click();
    expect(sent()).toEqual([]);
    await page.getByRole('button', { name: 'Delete Tea' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Tea was deleted.').waitFor();
    await page.getByText('No product was found.').waitFor();
  });
});

describePages('the stock of a product', (open) => {
  /** Delays the next changes. */
  let hangs: Promise<void> | undefined;
  const console = useConsole(
    () =>
      storeOf((answer) => async (method, ...rest) => {
        if (method === 'PUT') await hangs;
        return answer(method, ...rest);
      }),
    { tests: 'each' },
  );
  let page: Page;
  const sent = () => changesIn(console).map((body) => (body as { available: number }).available);
  const amount = (of = page) => of.getByLabel('Stock of Tea');
  const row = (of = page) => of.getByRole('row', { name: /Tea/ });
  const type = async (text: string, of = page) => {
    await amount(of).fill('');
    await amount(of).pressSequentially(text);
  };
  const openPage = async () => {
    const page = await logIn(await open(), console, '#/stock');
    await amount(page).waitFor();
    return page;
  };

  beforeEach(async () => {
    hangs = undefined;
    page = await openPage();
  });

  it('is the initial stock if it was never ordered', async () => {
    expect(await amount().inputValue()).toBe(String(initialStock));
  });

  it('is set once, by Enter or by leaving the field but not while typing, and can be undone', async () => {
    await page.clock.install();
    await type('1');
    await page.clock.runFor(10_000);
    expect(sent()).toEqual([]);
    await amount().pressSequentially('23');
    await amount().press('Enter');
    await row().getByText('Set to 123.').waitFor();
    await page.getByLabel('Name of a product').focus();
    await page.clock.runFor(10_000);
    expect(sent()).toEqual([123]);
    await type('234');
    await page.getByRole('heading', { name: 'Stock' }).click();
    await row().getByText('Set to 234.').waitFor();
    await page.getByRole('button', { name: 'Undo: Tea back to 123' }).click();
    await row().getByText('Set to 123.').waitFor();
    await type('99');
    await amount().press('Escape');
    await page.getByRole('heading', { name: 'Stock' }).click();
    expect(await amount().inputValue()).toBe('123');
    expect(sent()).toEqual([123, 234, 123]);
  });

  it('does not overwrite the stock of someone else, which is shown, unless the operator confirms', async () => {
    const other = await openPage();
    await type('7');
    await type('9', other);
    await amount(other).press('Enter');
    await row(other).getByText('Set to 9.').waitFor();
    await amount().press('Enter');
    await row().getByRole('alert').getByText('The stock is now 9, so it was not set.').waitFor();
    await row().getByText('It is 9 now. Press Enter to set 7 anyway').waitFor();
    expect(await amount().inputValue()).toBe('7');
    expect(sent()).toEqual([9]);
    await page.getByRole('heading', { name: 'Stock' }).click(); // does not confirm
    await amount().press('Enter');
    await row().getByText('Set to 7.').waitFor();
    expect(sent()).toEqual([9, 7]);
  });

  it('is unknown if inventory does not answer within 3 s, and is read again', async () => {
    const hung = Promise.withResolvers<void>();
    hangs = hung.promise;
    await type('7');
    await amount().press('Enter');
    await row().getByRole('status').getByText('Setting…').waitFor();
    await row()
      .getByRole('alert')
      .getByText('The inventory service did not answer within 3 s. The change may have been made')
      .waitFor({ timeout: 6_000 });
    expect(await amount().inputValue()).toBe('7');
    hung.resolve();
    await amount().press('Escape');
    await until('the stock is read again', async () => (await amount().inputValue()) === '7');
    expect(sent()).toEqual([7]);
  });

  it('has to be a number', async () => {
    await type('-1');
    await amount().press('Enter');
    await row().getByText('Type a whole number').waitFor();
    await type('457');
    await amount().press('Enter');
    await row().getByText('Set to 457.').waitFor();
    expect(sent()).toEqual([457]);
  });

  it('searches for a product once', async () => {
    const sought = new Set<string | null>();
    page.on('request', (request) => sought.add(new URL(request.url()).searchParams.get('search')));
    await page.getByLabel('Name of a product').pressSequentially('green tea');
    await page.waitForRequest(/search=green\+tea/);
    expect([...sought].filter(Boolean)).toEqual(['green tea']);
  });

  it('keeps what was searched for in the address, and the focus where one types', async () => {
    const field = page.getByLabel('Name of a product');
    await field.pressSequentially('green');
    await page.waitForRequest(/search=green/);
    await until('the address has the search', async () => page.url().endsWith('#/stock?search=green'));
    await field.pressSequentially(' tea');
    await page.waitForRequest(/search=green\+tea/);
    await page.reload();
    await page.waitForRequest(/search=green\+tea/);
    expect(await field.inputValue()).toBe('green tea');
    await page.getByRole('link', { name: 'Stock' }).click();
    await until('the field is empty', async () => (await field.inputValue()) === '');
  });
});
