import type { Page, Route } from 'playwright-core';
import { catalogueOf } from './_catalogue.ts';
import { describePages, fillLogin, logIn, useConsole } from './_console.ts';

describePages('the answer to a page', (open) => {
  const console = useConsole(() => {
    const catalogue = catalogueOf('4.5');
    return { product: catalogue, inventory: catalogue };
  });
  let page: Page;
  const tea = () => page.getByRole('row', { name: /Tea/ });
  /** Holds back requests. @returns function that releases them */
  async function hold(path: string): Promise<() => void> {
    const held = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      await held.promise;
      await route.continue();
    });
    return held.resolve;
  }

  beforeEach(async () => {
    page = await open();
  });

  it('shows as loading until it comes, and stays until the next answer comes', async () => {
    const letFirst = await hold('**/api/products*');
    await logIn(page, console, '#/stock');
    await page.getByRole('status').getByText('Loading…').waitFor();
    letFirst();
    await tea().waitFor();
    const letSecond = await hold('**/api/products?search=*');
    await page.getByLabel('Name of a product').fill('green');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Loading…').waitFor();
    expect(await tea().count()).toBe(1);
    letSecond();
    await page.getByText('Loading…').waitFor({ state: 'detached' });
    expect(await tea().count()).toBe(1);
  });

  it('stays next to a later failure, and is requested again', async () => {
    await logIn(page, console, '#/stock');
    await tea().waitFor();
    const refuse = (route: Route) => route.fulfill({ status: 503, json: { detail: 'The catalogue is away.' } });
    await page.route('**/api/products*', refuse);
    await page.getByRole('alert').getByText('The catalogue is away.').waitFor();
    expect(await tea().count()).toBe(1);
    await page.unroute('**/api/products*', refuse);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await tea().count()).toBe(1);
  });

  it('does not end the next session if it comes late and refuses the session before', async () => {
    await logIn(page, console, '#/stock');
    await tea().waitFor();
    const late = Promise.withResolvers<void>();
    await page.route('**/api/products*', async (route) => {
      await late.promise;
      await route.fulfill({ status: 401, json: { detail: 'Your session has ended.' } });
    });
    const answered = page.waitForResponse('**/api/products*');
    await page.waitForRequest('**/api/products*');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    await page.evaluate("location.hash = '#/now'");
    await fillLogin(page);
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    late.resolve();
    await answered;
    // The page would show the login in the frames after the answer.
    await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
    await page.getByRole('button', { name: 'Log out' }).waitFor({ timeout: 5_000 });
    expect(await page.getByLabel('Token').count()).toBe(0);
  });

  it('is dropped when the operator logs out', async () => {
    await logIn(page, console, '#/stock');
    await tea().waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    await hold('**/api/products*');
    await fillLogin(page);
    await page.getByRole('status').getByText('Loading…').waitFor();
    expect(await tea().count()).toBe(0);
  });
});
