import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { until } from '../../e2e/_store.ts';
import { logIn, order, register, show, startRegistration, visitAsCustomer } from '../_customer.ts';
import { addProducts, sharedShop } from '../_shop.ts';

const manyWares = Array.from({ length: 60 }, (_, index) => ({ name: `Mug ${index}`, price: 7, unit: 'piece' }));

const shop = await sharedShop();
await addProducts(shop, manyWares);

describe('a customer who browses', () => {
  const headline = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const goTo = (page: Page, name: RegExp) => page.getByRole('navigation').getByRole('link', { name }).click();
  /** The position of the link; Playwright's own click would scroll first. */
  async function press(page: Page, name: RegExp): Promise<void> {
    const box = await page.getByRole('navigation').getByRole('link', { name }).boundingBox();
    if (!box) throw new Error(`No link ${name} is on the screen.`);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }
  const products = (page: Page) => page.getByRole('heading', { level: 2 });
  const focused = (page: Page) => page.evaluate('document.activeElement.textContent');
  const isVisible = (page: Page, text: string) => page.getByText(text).isVisible();
  /** Ends all sessions at once, as another browser of the account would. */
  const endSession = (page: Page) =>
    page.evaluate(`fetch('${shop.gatewayUrl}/auth/logout', { credentials: 'include' })`);

  it('sees the page of an address that changes in the moment in which the shop opens', async () => {
    const page = await shop.visit();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.reload();
    await page.evaluate(`location.hash = '#/forgotten'`);
    await page.clock.runFor(1_000);
    await headline(page, 'Forgotten password');
  });

  it.each(['back', 'a link'])('finds the catalogue as they left it: by %s', async (way) => {
    const page = await visitAsCustomer(shop);
    let end = '';
    await until(
      () => `more than two pages are loaded: ${end}`,
      async () => {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        end = (await page.getByRole('main').textContent())?.slice(-300) ?? '';
        return (await products(page).count()) >= manyWares.length;
      },
    );
    await page.evaluate('scrollTo(0, 1800)');
    await page.getByRole('button', { name: 'Loading…' }).waitFor({ state: 'hidden' });
    const count = await products(page).count();
    await press(page, /^Basket/);
    await headline(page, 'Basket');
    expect(await page.evaluate('scrollY')).toBe(0);
    await (way === 'back' ? page.goBack() : press(page, /^Catalogue/));
    await headline(page, 'Catalogue');
    expect([await products(page).count(), await page.evaluate('scrollY')]).toEqual([count, 1800]);
  });

  it('finds a search as they left it, including what was still loading', async () => {
    const page = await visitAsCustomer(shop);
    const held = Promise.withResolvers<void>();
    const isLaterPage = ({ searchParams: query }: URL) => query.get('q') === 'mug' && query.has('after');
    await page.route(isLaterPage, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('searchbox').fill('mug');
    await page.getByText('Products with “mug” in their name').waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('button', { name: 'Loading…' }).waitFor();
    await goTo(page, /^Orders/);
    await headline(page, 'Orders');
    held.resolve();
    await page.goBack();
    await headline(page, 'Catalogue');
    await page.getByText('Products with “mug” in their name').waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await products(page).nth(30).waitFor();
    const names = await products(page).allTextContents();
    expect(new Set(names).size).toBe(names.length);
  });

  it('keeps the old list until the search result arrives', async () => {
    const page = await visitAsCustomer(shop);
    await products(page).first().waitFor();
    const before = await products(page).allTextContents();
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/products?*q=beeswax*', async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
    await page.getByRole('searchbox').fill('beeswax');
    await asked.promise;
    await page.getByText('Searching…').waitFor();
    expect(await products(page).allTextContents()).toEqual(before);
    held.resolve();
    await page.getByText('Products with “beeswax” in their name').waitFor();
    expect(await products(page).allTextContents()).toEqual(['Beeswax candle']);
  });

  it('reads above the old list that a search failed', async () => {
    const page = await visitAsCustomer(shop);
    await products(page).first().waitFor();
    await page.route('**/products?*q=beeswax*', (route) => route.fulfill({ status: 400, json: { status: 400 } }));
    await page.getByRole('searchbox').fill('beeswax');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    expect(await products(page).first().isVisible()).toBe(true);
    await page.unroute('**/products?*q=beeswax*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Products with “beeswax” in their name').waitFor();
    expect(await products(page).allTextContents()).toEqual(['Beeswax candle']);
  });

  it.each([
    ['', '**/products?*'],
    ['orders', '**/orders?*'],
    ['account', '**/accounts/*/sessions'],
  ])('sees that a list is loading: #/%s', async (path, requests) => {
    const page = await visitAsCustomer(shop);
    await show(page, 'basket');
    await headline(page, 'Basket');
    const held = Promise.withResolvers<void>();
    await page.route(requests, async (route) => {
      await held.promise;
      await route.continue();
    });
    await show(page, path === '' ? '?q=mug' : path);
    await page.getByText(/^(One moment|Searching)…$/).waitFor();
    held.resolve();
    await page.getByText(/^(One moment|Searching)…$/).waitFor({ state: 'hidden' });
  });

  it('causes only one request for an order that does not exist', async () => {
    const page = await visitAsCustomer(shop);
    await page.clock.install();
    const id = randomUUID();
    const asked: string[] = [];
    page.on('request', (request) => request.url().endsWith(id) && asked.push(request.method()));
    await show(page, `orders/${id}`);
    await page.getByText('There is no such order.').waitFor();
    const before = asked.length;
    await page.clock.runFor(60_000);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await goTo(page, /^Orders/);
    await page.getByText('You have not ordered anything yet.').waitFor();
    expect(asked.length).toBe(before);
  });

  it('finds the focus on the headline after cancelling an order', async () => {
    const page = await visitAsCustomer(shop);
    await order(page, 'Sea salt');
    await page.getByRole('button', { name: 'Cancel the order' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Yes, cancel it' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('cancelled by the customer').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused(page)).toMatch(/^Order [0-9A-F]{8}$/);
  });

  it('is told that the session ended until they log in, and then is back where they were', async () => {
    const ended = 'Your session has ended. Log in again to continue where you left off.';
    const page = await shop.visit();
    const customer = await register(page);
    const id = await order(page, 'Sea salt');
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.clock.install();
    await endSession(page);
    await headline(page, 'Log in');
    await page.getByText(ended).waitFor();
    expect(await focused(page)).toBe('Log in');
    expect(await page.getByRole('heading', { level: 1 }).getAttribute('aria-describedby')).toBe(
      await page.getByText(ended).getAttribute('id'),
    );

    await page.clock.runFor(60_000);
    expect(await isVisible(page, ended)).toBe(true);
    await page.reload();
    await page.getByText(ended).waitFor();
    await page.getByRole('link', { name: 'Register' }).first().click();
    await headline(page, 'Register');
    await goTo(page, /^Log in/);
    await headline(page, 'Log in');
    expect(await isVisible(page, ended)).toBe(true);

    await logIn(page, customer);
    await headline(page, /^Order /);
    expect(new URL(page.url()).hash).toBe(`#/orders/${id}`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await headline(page, 'Log in');
    expect(await isVisible(page, ended)).toBe(false);
  });

  it('starts at the catalogue when logging in to another account', async () => {
    const page = await visitAsCustomer(shop);
    await goTo(page, /^Basket/);
    await endSession(page);
    await headline(page, 'Log in');
    await register(page, 'Bea');
    await products(page).first().waitFor();
  });

  it.each(['while they register', 'after they have registered', 'after they have logged in again'])(
    'is not disturbed, %s, by a late answer to a request of the session before',
    async (moment) => {
      const page = await shop.visit();
      const customer = await register(page);
      await page
        .getByRole('button', { name: /^Add .* to the basket$/ })
        .first()
        .click();
      const ended = Promise.withResolvers<void>();
      const refused = Promise.withResolvers<number>();
      const late = Promise.withResolvers<void>();
      await page.route('**/products?id=*', async (route) => {
        await ended.promise;
        const response = await route.fetch();
        refused.resolve(response.status());
        await late.promise;
        await route.fulfill({ response });
      });
      const answered = page.waitForResponse('**/products?id=*');
      await Promise.all([page.waitForRequest('**/products?id=*'), goTo(page, /^Basket/)]);
      await page.getByRole('button', { name: 'Log out' }).click();
      await headline(page, 'Log in');
      ended.resolve();
      expect(await refused.promise).toBe(401);
      const letCome = async () => {
        late.resolve();
        await answered;
        // The shop would forget the customer in the frames after the answer.
        await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
      };
      if (moment === 'while they register') {
        await startRegistration(page, 'Bob');
        await letCome();
        await page.getByRole('button', { name: 'Register' }).click();
      } else {
        if (moment === 'after they have registered') await register(page, 'Bob');
        else await logIn(page, customer);
        await letCome();
      }
      await page.getByRole('button', { name: 'Log out' }).waitFor();
      expect(await isVisible(page, 'Your session has ended.')).toBe(false);
    },
  );

  it('reads at each field, in a sentence, what is wrong with it', async () => {
    const page = await shop.visit();
    await page.getByRole('link', { name: 'Register' }).first().click();
    await headline(page, 'Register');
    const labels = ['Name', 'E-mail address', 'Password'];
    // The notes are empty while the shop waits for the store.
    const notes = `document.querySelector('button[aria-disabled=true]') ? '' : JSON.stringify([...document.querySelectorAll('form input')].map((input) =>
      document.getElementById(input.getAttribute('aria-describedby'))?.textContent ?? ''))`;
    /** Returns the sentences at the fields once they have changed. */
    async function told(...values: string[]): Promise<unknown> {
      const before = await page.evaluate(notes);
      for (const [index, label] of labels.entries()) await page.getByLabel(label).fill(values[index] ?? '');
      await page.getByRole('button', { name: 'Register' }).click();
      await until('the sentences have changed', async () => !['', before].includes(await page.evaluate(notes)));
      return JSON.parse(await page.evaluate(notes));
    }
    expect(await told('', '', '')).toEqual(['Enter your name.', 'Enter your e-mail address.', 'Enter your password.']);
    expect(await focused(page)).toBe('');
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    expect(await told('Ada', 'ada', 'x'.repeat(129))).toEqual([
      '',
      'This is not an e-mail address. One looks like ada@example.com.',
      'The password must have at most 128 characters.',
    ]);
    expect(await told('x'.repeat(300), `${'a'.repeat(250)}@example.com`, 'long enough')).toEqual([
      expect.stringMatching(/^The name must have 1 to \d+ characters\.$/),
      'The e-mail address must have at most 254 characters.',
      '',
    ]);
    expect(await told(' ', 'ada@example.com', 'long enough')).toEqual(['Enter your name.', '', '']);
  });
});
