import type { Browser, Page } from 'playwright-core';
import { chromiumPath, openBrowser } from '../../../tests/kit/chromium.ts';
import { testConsole, token } from './_console.ts';

(chromiumPath ? describe : describe.skip)('the login with the keyboard', () => {
  const console = testConsole();
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    await console.ready;
    browser = await openBrowser();
    page = await browser.newPage();
  });

  afterAll(async () => {
    await browser?.close();
    await console.close();
  });

  it('keeps the focus where it is refused, and leads it into the page where it is not', async () => {
    await page.goto(`${console.origin()}/console/`);
    await page.getByLabel('Your name').fill('ann');
    await page.getByLabel('Token').fill(`${token}x`);
    const button = page.getByRole('button', { name: 'Log in' });
    await button.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Log in');
    await page.getByLabel('Token').fill(token);
    await button.press('Enter');
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
  });
});
