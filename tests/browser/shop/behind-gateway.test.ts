import type { Page } from 'playwright-core';
import { sharedStore } from '../../e2e/_shared-store.ts';
import { changeOrder, confirmed, order, orderOn, register, visitAsCustomer } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

// As installed by global.shop.enabled: on the same origin as the API, which no other origin may read.
const shop = await sharedShop({ below: sharedStore().ports.of('gateway') });

describe('the shop below /shop of the gateway', () => {
  const change = (page: Page, columns: string) => changeOrder(shop, orderOn(page), columns);

  it('takes an order and shows its progress, without violating its content security policy', async () => {
    const page = await shop.visit();
    const complaints: string[] = [];
    const told = /Content Security Policy/;
    page.on('console', (message) => told.test(message.text()) && complaints.push(message.text()));
    await register(page);
    await order(page, 'Olive oil');
    await page.getByText('Confirming').waitFor();
    expect(complaints).toEqual([]);

    await change(page, confirmed);
    await page.getByText('Getting ready to ship').waitFor();
    await change(page, `shipped_at = now()`);
    await page.getByRole('status').getByText('is shipped').waitFor();
  });

  it('misses no change between reading an order and subscribing to its changes', async () => {
    const page = await visitAsCustomer(shop);
    await order(page, 'Olive oil');
    await page.getByText('Confirming').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/orders/events', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByText('Confirming').waitFor();
    await change(page, confirmed);
    held.resolve();
    await page.getByText('Getting ready to ship').waitFor();
  });

  it.each([
    ['/shop/', 'no-cache'],
    ['/shop/assets/', 'public, max-age=31536000, immutable'],
  ])('%s is served with a strict policy, without a token', async (path, caching) => {
    const page = await (await fetch(`${shop.gatewayUrl}/shop/`)).text();
    const file = path.endsWith('assets/') ? /\.(\/assets\/[\w-]+\.js)/.exec(page)?.[1] : '/';
    const { status, headers } = await fetch(`${shop.gatewayUrl}/shop${file}`);
    expect([status, headers.get('cache-control')]).toEqual([200, caching]);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; .*connect-src 'self'; .*frame-ancestors 'none'$/,
    );
  });

  it('serves its page and scripts precompressed by the build, and its already compressed fonts as they are', async () => {
    const page = await (await fetch(`${shop.gatewayUrl}/shop/`)).text();
    const fileOf = (ending: string) => new RegExp(`\\.(/assets/[\\w-]+\\.${ending})`).exec(page)?.[1] ?? '';
    const style = await (await fetch(`${shop.gatewayUrl}/shop${fileOf('css')}`)).text();
    const font = `/assets/${/[\w-]+\.woff2/.exec(style)?.[0]}`;
    const encodingOf = async (path: string, taken: string) => {
      const { status, headers } = await fetch(`${shop.gatewayUrl}/shop${path}`, {
        headers: { 'accept-encoding': taken },
      });
      expect([status, headers.get('vary')?.toLowerCase()]).toEqual([200, expect.stringContaining('accept-encoding')]);
      return headers.get('content-encoding');
    };
    for (const path of ['/', fileOf('js'), fileOf('css')]) {
      expect(await encodingOf(path, 'gzip, br')).toBe('br');
      expect(await encodingOf(path, 'gzip')).toBe('gzip');
      expect(await encodingOf(path, 'identity')).toBeNull();
    }
    expect(await encodingOf(font, 'gzip, br')).toBeNull();
  });

  it('leaves all other paths of the gateway unchanged', async () => {
    const status = async (path: string, init?: RequestInit) =>
      (await fetch(`${shop.gatewayUrl}${path}`, { redirect: 'manual', ...init })).status;
    expect(await status('/shop')).toBe(308);
    expect(await status('/shop/none')).toBe(404);
    expect(await status('/shop/', { method: 'POST' })).toBe(401);
    expect(await status('/shopping')).toBe(401);
    expect(await status('/products')).toBe(401);
  });
});
