import type { Page } from 'playwright-core';
import { findings } from '../../../tests/kit/axe.ts';
import { isWiderThanScreen } from '../../../tests/kit/page-width.ts';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { samplesIn } from '../src/watch/replicas-client.ts';
import { catalogueOf, details, productId } from './_catalogue.ts';
import { ann, describePages, logIn, Reply, token, useConsole } from './_console.ts';

const changesIn = ({ asked }: ReturnType<typeof useConsole>) =>
  asked.filter(({ method }) => method === 'PUT').map(({ body }) => body);

describePages('the login with the keyboard', (open) => {
  const console = useConsole();

  it('is readable by everybody, keeps the focus where it is refused, and leads it into the page where it is not', async () => {
    const page = await open();
    await page.goto(`${console.origin}/console/`);
    const button = page.getByRole('button', { name: 'Use the token' });
    await button.waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Your name').fill('ann');
    await page.getByLabel('Token').fill(`${token}x`);
    await button.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Use the token');
    await page.getByLabel('Token').fill(token);
    await button.press('Enter');
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
  });
});

describePages('an address that names no page', (open) => {
  const console = useConsole();

  it.each(['nowhere', 'constructor', 'now/here/there', 'dead%E0letters'])('says so: %s', async (path) => {
    const page = await logIn(await open(), console, `#/${path}`);
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    expect(await page.title()).toBe('No such page – Store console');
    await page.getByRole('link', { name: 'To what happens now' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
  });

  it('is not one whose filter nobody can decode, nor one without a page', async () => {
    const page = await logIn(await open(), console, '#/dead-letters?100%');
    await page.getByLabel('Filter').waitFor();
    expect(await page.getByLabel('Filter').inputValue()).toBe('100%');
    await page.evaluate(`location.hash = ''`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
  });
});

describePages('a browser that lets no page keep anything', (open) => {
  const console = useConsole();

  it('shows the console', async () => {
    const page = await open();
    await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
      Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`);
    await logIn(page, console);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
  });
});

describePages('a chart of the console', (open) => {
  const points = 61;
  const last = Date.parse('2026-05-04T12:00:00Z');
  const lagAt = (point: number) =>
    samplesIn(`consumer_lag_messages{group="order-group",partition="0"} ${1_000 + point}`);
  const history = createHistory();
  const console = useConsole(undefined, { history });

  beforeAll(() => {
    const order = { service: 'order', address: '10.1.2.3:8080', state: 'UP' as const, waitingFor: [] };
    for (let point = 0; point < points; point += 1)
      history.add(last - (points - 1 - point) * everyMs, [{ ...order, samples: lagAt(point) }]);
  });

  it('says what its lines are now, and what they were where the pointer is', async () => {
    const page = await logIn(await open(), console);
    const chart = page.getByRole('region', { name: 'Lag per group' });
    const legend = () => chart.locator('.legend dd').allTextContents();
    await chart.locator('.u-over').waitFor();
    expect(await legend()).toEqual(['now', '1,060']);

    const { width = 0, height = 0 } = (await chart.locator('.u-over').boundingBox()) ?? {};
    await chart.locator('.u-over').hover({ position: { x: width / 2, y: height / 2 } });
    await chart.getByText('11:57:30 UTC').waitFor();
    expect((await legend())[1]).toBe('1,030');

    await page.getByRole('heading', { level: 1 }).hover();
    await chart.getByText('now').waitFor();
    expect((await legend())[1]).toBe('1,060');
  });
});

describePages('products on a phone', (open) => {
  const console = useConsole(() => {
    const catalogue = catalogueOf('4.5');
    return { product: catalogue, inventory: catalogue };
  });
  let page: Page;

  beforeEach(async () => {
    page = await logIn(await open({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' }), console);
    await page.getByRole('link', { name: 'Stock' }).click();
  });

  const changeOf = async (by: string, fields: object) => {
    const cookie = await console.login(by);
    const path = `/api/products/${productId}`;
    const { body: seen } = await console.read(path, cookie);
    await console.send('put', path, cookie).send({ ...seen, ...fields });
  };
  const sent = () => changesIn(console);

  it('the form of a new one has the focus as it appears, so that nothing typed lands in another field', async () => {
    await page.getByRole('button', { name: 'New product' }).waitFor();
    const focused = await page.evaluate(`(async () => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'New product');
      button.click();
      for (let turn = 0; turn < 20; turn += 1) await null;
      return document.activeElement.getAttribute('aria-label');
    })()`);
    expect(focused).toBe('Name of new product');
  });

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
    expect(log.map(({ by }) => by)).toEqual([ann, 'ben (shared token)', ann]);
  });
});

describePages('what is typed on the page of the stock', (open) => {
  let isDown = false;
  const console = useConsole(() => {
    const answer = catalogueOf('4.5');
    const catalogue: typeof answer = (method, ...rest) =>
      isDown && method === 'PUT' ? new Reply(503, { detail: 'The inventory is away.' }) : answer(method, ...rest);
    return { product: catalogue, inventory: catalogue };
  });
  let page: Page;

  beforeEach(async () => {
    isDown = false;
    page = await logIn(await open(), console, '#/stock');
    await page.getByLabel('Stock of Tea').waitFor();
    console.asked.length = 0;
  });

  const sent = () => changesIn(console);
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
    const sought = new Set<string | null>();
    page.on('request', (request) => sought.add(new URL(request.url()).searchParams.get('search')));
    await page.getByLabel('Name of a product').pressSequentially('green tea');
    await page.waitForRequest(/search=green\+tea/);
    expect([...sought].filter(Boolean)).toEqual(['green tea']);
  });
});
