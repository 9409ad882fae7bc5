import { chromiumPath } from '../kit/chromium.ts';
import { addProducts, register, startShop, type TestShop } from './_shop.ts';
import { someWares } from './_wares.ts';

// As global.shop.enabled installs it: one origin with the API, which no other origin may read.
(chromiumPath ? describe : describe.skip)('the shop below /shop of the gateway', () => {
  let shop: TestShop;

  beforeAll(async () => {
    shop = await startShop({ components: ['gateway', 'auth', 'account', 'product', 'order'], behindGateway: true });
    await addProducts(shop, someWares);
  }, 180_000);

  afterAll(() => shop?.stop(), 60_000);

  it('takes an order, and its policy is never violated', async () => {
    const page = await shop.visit();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await register(page);
    await page.getByRole('button', { name: 'Add Olive oil to the basket' }).click();
    await page.getByRole('link', { name: /Basket/ }).click();
    await page.getByRole('button', { name: 'Place the order' }).click();
    await page.getByText('Confirming').waitFor();
    expect(complaints).toEqual([]);
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

  it('everything else of the gateway stays as it is', async () => {
    const status = async (path: string, init?: RequestInit) =>
      (await fetch(`${shop.gatewayUrl}${path}`, { redirect: 'manual', ...init })).status;
    expect(await status('/shop')).toBe(308);
    expect(await status('/shop/none')).toBe(404);
    expect(await status('/shop/', { method: 'POST' })).toBe(401);
    expect(await status('/shopping')).toBe(401);
    expect(await status('/products')).toBe(401);
  });
});
