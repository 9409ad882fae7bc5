import type { BrowserContext, Page } from 'playwright-core';
import { until } from '../e2e/_store.ts';
import { changeOrder, confirmed, order, register, visitAsCustomer } from './_customer.ts';
import { useShop } from './_shop.ts';
import { someWares } from './_wares.ts';

// A browser opens at most six connections to an origin (HTTP/1.1), and an account ten streams (contract 2.5).
describe('the tabs of a browser', () => {
  const shop = useShop({ components: ['gateway', 'auth', 'account', 'product', 'order'] }, someWares);
  let tab: Page;

  beforeEach(async () => {
    await until('no stream is open', async () => (await streams()) === 0);
    tab = await visitAsCustomer(shop);
  });

  afterEach(() => tab?.context().close());

  async function streams(): Promise<number> {
    const metrics = await (await fetch(`${shop.store.metricsUrl('order')}/metrics`)).text();
    return Number(/^order_streams_open (\d+)$/m.exec(metrics)?.[1]);
  }
  const untilStreams = (count: number, timeoutMs = 30_000) =>
    until(`${count} streams are open`, async () => (await streams()) === count, timeoutMs);
  async function another(context: BrowserContext, path = ''): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${shop.url}/#/${path}`);
    return page;
  }
  const change = (id: string, columns: string) => changeOrder(shop, id, columns);
  const confirm = (id: string) => change(id, confirmed);
  const announced = (page: Page, words: string) => page.getByRole('status').getByText(words).waitFor();

  it('all work, eleven of them, and share one stream', async () => {
    const tabs = [tab];
    while (tabs.length < 11) {
      const next = await another(tab.context());
      await next.getByRole('button', { name: 'Add Sea salt to the basket' }).waitFor({ timeout: 15_000 });
      tabs.push(next);
    }
    await tab.getByRole('searchbox', { name: 'Search products' }).fill('tea');
    await tab.getByText('Products with “tea” in their name').waitFor({ timeout: 15_000 });
    await untilStreams(1);

    const id = await order(tabs[5] as Page, 'Sea salt');
    await confirm(id);
    await Promise.all(tabs.map((each) => announced(each, 'is confirmed')));
    expect(await streams()).toBe(1);
  });

  it.each([
    ['is closed', (page: Page) => page.close()],
    ['crashes', (page: Page) => page.goto('chrome://crash', { timeout: 15_000 })],
  ])('lose no change when the tab that reads the stream %s', async (_, end) => {
    await untilStreams(1);
    const other = await another(tab.context());
    // Announced when no other sentence can take its place: the other tab has then received a change.
    await confirm(await order(other, 'Sea salt'));
    await announced(other, 'is confirmed');
    const id = await order(other, 'Sea salt');

    const isConfirmed = Promise.withResolvers<void>();
    const requests: string[] = [];
    await tab.context().route('**/orders/events', async (route) => {
      requests.push((await route.request().allHeaders())['last-event-id'] ?? 'none');
      await isConfirmed.promise;
      await route.continue();
    });
    void end(tab).catch(() => undefined);
    await until('the other tab asks for the stream', async () => requests.length > 0);
    await confirm(id);
    isConfirmed.resolve();
    await announced(other, `Order ${id.slice(0, 8).toUpperCase()} is confirmed`);
    await other.getByText('Getting ready to ship').waitFor();
    expect(requests).toEqual([expect.not.stringMatching('none')]);
    expect(await streams()).toBe(1);
  });

  it('close the stream after all have been hidden for a minute, and read again when one becomes visible', async () => {
    const see = (page: Page, state: 'hidden' | 'visible') =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { configurable: true, value: ${state === 'hidden'} });
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    const id = await order(tab, 'Sea salt');
    const other = await another(tab.context(), `orders/${id}`);
    await other.getByText('Confirming').waitFor();
    await Promise.all([see(tab, 'hidden'), see(other, 'hidden')]);
    expect(await streams()).toBe(1);
    await untilStreams(0, 90_000);

    await confirm(id);
    await see(other, 'visible');
    await other.getByText('Getting ready to ship').waitFor();
    await untilStreams(1);
    await change(id, `status = 'CANCELLED', cancelled_at = now()`);
    await announced(other, 'is cancelled');
  }, 180_000);

  it('say so if the account has too many streams elsewhere', async () => {
    const id = await order(tab, 'Sea salt');
    const [cookie] = await tab.context().cookies(shop.gatewayUrl);
    await tab.goto('about:blank');
    await untilStreams(0);
    const elsewhere = new AbortController();
    const headers = { cookie: `${cookie?.name}=${cookie?.value}` };
    // Kept, because fetch ends the stream of a response that is garbage collected.
    const open: Response[] = [];
    while (open.length < 10) {
      open.push(await fetch(`${shop.gatewayUrl}/orders/events`, { headers, signal: elsewhere.signal }));
      expect(open.at(-1)?.status).toBe(200);
    }
    await tab.goto(`${shop.url}/#/orders/${id}`);
    await announced(tab, 'Live updates paused: your account is open in too many places');
    expect(open).toHaveLength(10);

    elsewhere.abort();
    await tab.getByText('Live updates paused').waitFor({ state: 'hidden', timeout: 90_000 });
    await confirm(id);
    await announced(tab, 'is confirmed');
  }, 180_000);

  it('follow the customer who logs in', async () => {
    const other = await another(tab.context(), 'orders');
    await other.getByText('You have not ordered anything yet.').waitFor();
    await tab.getByRole('button', { name: 'Log out' }).click();
    await other.getByText('Your session has ended. Log in again').waitFor();

    await register(tab, 'Grace');
    await other.getByRole('heading', { name: 'Catalogue' }).waitFor();
    await confirm(await order(tab, 'Sea salt'));
    await announced(other, 'is confirmed');
    expect(await streams()).toBe(1);
  });

  it('poll if the tab whose turn it is to read the stream is suspended', async () => {
    const id = await order(tab, 'Sea salt');
    await untilStreams(1);
    const suspended = await tab.context().newPage();
    await suspended.goto(`${shop.url}/health`);
    await suspended.evaluate(`navigator.locks.query().then(({ held: [lock] }) => {
      void navigator.locks.request(lock.name, () => new Promise(() => {}));
    })`);
    await tab.close();
    const other = await another(suspended.context(), `orders/${id}`);
    await announced(other, 'Live updates paused. This page refreshes every 10 seconds.');
    await confirm(id);
    await other.getByText('Getting ready to ship').waitFor();
    await suspended.close();
    await other.getByText('Live updates paused').waitFor({ state: 'hidden' });
  });

  it('poll if the browser has no Web Locks, as on a host without HTTPS', async () => {
    await tab.context().addInitScript('delete Navigator.prototype.locks');
    await tab.reload();
    const id = await order(tab, 'Sea salt');
    await announced(tab, 'Live updates need HTTPS');
    await confirm(id);
    await tab.getByText('Getting ready to ship').waitFor();
    expect(await streams()).toBe(0);
  });
});
