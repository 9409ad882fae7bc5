import type { Browser, Page } from 'playwright-core';
import { findings } from '../../../tests/kit/axe.ts';
import { chromiumPath, openBrowser } from '../../../tests/kit/chromium.ts';
import { isWiderThanScreen } from '../../../tests/kit/page-width.ts';
import { catalogueOf, details, productId } from './_catalogue.ts';
import { fakeService, logIn, testConsole } from './_console.ts';

(chromiumPath ? describe : describe.skip)('products on a phone', () => {
  let browser: Browser;
  let catalogue: Awaited<ReturnType<typeof fakeService>>;
  let console: ReturnType<typeof testConsole>;
  let page: Page;

  beforeAll(async () => {
    catalogue = await fakeService(catalogueOf('4.5'));
    console = testConsole({ product: catalogue.url, inventory: catalogue.url });
    await console.ready;
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([console.close(), catalogue.close()]);
  });

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
    await page.goto(console.origin());
    await logIn(page);
    await page.getByRole('link', { name: 'Stock' }).click();
  });

  afterEach(() => page.close());

  const changeOf = async (by: string, fields: object) => {
    const cookie = await console.login(by);
    const path = `/api/products/${productId}`;
    const { body: seen } = await console.read(path, cookie);
    await console.send('put', path, cookie).send({ ...seen, ...fields });
  };
  const sent = () => catalogue.asked.filter(({ method }) => method === 'PUT').map(({ body }) => body);

  it('one is changed, and everybody can read and reach the form', async () => {
    await page.getByRole('button', { name: 'Change Tea' }).click();
    await page.getByLabel('Name of Tea').fill('Green tea');
    await page.getByLabel('Price of Tea').fill('4,75');
    await page.getByRole('button', { name: 'Save Tea' }).click(); // the browser refuses a comma
    expect(await page.evaluate(isWiderThanScreen)).toBe(false);
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Price of Tea').fill('4.75');
    await page.getByLabel('Unit of Tea').press('Enter');
    await page.getByRole('status').getByText('Saved.').waitFor();
    await page.getByText('4.75 per kg').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Change Green tea');
    expect(sent()).toEqual([{ ...details, name: 'Green tea', price: 4.75, unit: 'kg' }]);
  });

  it('whoever is slower is told what it is now, and may replace that', async () => {
    await page.getByRole('button', { name: 'Change Green tea' }).click();
    await page.getByLabel(/^Price of /).fill('5');
    await changeOf('ben', { name: 'Black tea' });
    await page.getByRole('button', { name: /^Save / }).click();
    await page.getByRole('alert').getByText('Somebody else was faster. It is now Black tea, 4.75 per kg.').waitFor();
    await page.getByRole('button', { name: /^Save / }).click();
    await page.getByRole('status').getByText('Saved.').waitFor();
    expect(sent().slice(1)).toEqual([
      { ...details, name: 'Black tea', price: 4.75, unit: 'kg' },
      { ...details, name: 'Green tea', price: 5, unit: 'kg' }, // with the first version, which was refused
      { ...details, name: 'Green tea', price: 5, unit: 'kg' },
    ]);
    const log = console.logged.filter(({ msg }) => msg === 'A product was changed');
    expect(log.map(({ by }) => by)).toEqual(['ann', 'ben', 'ann']);
  });
});
