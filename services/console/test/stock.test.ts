import type { Browser, Page } from 'playwright-core';
import { chromiumPath, openBrowser } from '../../../tests/kit/chromium.ts';
import { catalogueOf } from './_catalogue.ts';
import { fakeService, logIn, Reply, testConsole } from './_console.ts';

(chromiumPath ? describe : describe.skip)('what is typed on the page of the stock', () => {
  let browser: Browser;
  let page: Page;
  let catalogue: Awaited<ReturnType<typeof fakeService>>;
  let console: ReturnType<typeof testConsole>;
  let isDown = false;

  beforeAll(async () => {
    const answer = catalogueOf('4.5');
    catalogue = await fakeService((method, ...rest) =>
      isDown && method === 'PUT' ? new Reply(503, { detail: 'The inventory is away.' }) : answer(method, ...rest),
    );
    console = testConsole({ product: catalogue.url, inventory: catalogue.url });
    await console.ready;
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([console.close(), catalogue.close()]);
  });

  beforeEach(async () => {
    isDown = false;
    page = await browser.newPage();
    await page.goto(`${console.origin()}/console/#/stock`);
    await logIn(page);
    await page.getByLabel('Stock of Tea').waitFor();
    catalogue.asked.length = 0;
  });

  afterEach(() => page.close());

  const sent = () => catalogue.asked.filter(({ method }) => method === 'PUT').map(({ body }) => body);
  const amount = () => page.getByLabel('Stock of Tea');
  const type = async (text: string) => {
    await amount().fill('');
    await amount().pressSequentially(text);
  };

  it.each([
    ['Enter', '123', () => amount().press('Enter')],
    ['leaving the field', '234', () => page.getByRole('heading', { name: 'Stock' }).click()],
    ['a pause', '345', () => Promise.resolve()],
  ])('is sent once, as it is when typing ends: %s', async (_, text, end) => {
    await type(text);
    await end();
    await page.getByText(`Set to ${text}.`).waitFor();
    // Nothing follows: neither the pause after Enter, nor leaving the field after the pause.
    await page.getByLabel('Name of a product').focus();
    await page.waitForResponse(/api\/products/);
    expect(sent()).toEqual([{ available: Number(text) }]);
    expect(await amount().inputValue()).toBe(text);
  });

  it('stays with the failure beside it, and is sent again with Enter once it was typed again', async () => {
    isDown = true;
    await type('456');
    await amount().press('Enter');
    const row = page.getByRole('row', { name: /Tea/ });
    await row.locator('.problem').waitFor();
    await page.waitForResponse(/api\/products/);
    expect(await amount().inputValue()).toBe('456');
    await type('-1');
    await amount().press('Enter');
    await row.getByText('Type a whole number').waitFor();
    isDown = false;
    await type('457');
    await page.getByText('Set to 457.').waitFor();
    expect(sent()).toEqual([{ available: 456 }, { available: 457 }]);
  });

  it('is sought once', async () => {
    const sought: (string | null)[] = [];
    page.on('request', (request) => sought.push(new URL(request.url()).searchParams.get('search')));
    await page.getByLabel('Name of a product').pressSequentially('green tea');
    await page.waitForRequest(/search=green\+tea/);
    expect([...new Set(sought)].filter(Boolean)).toEqual(['green tea']);
  });
});
