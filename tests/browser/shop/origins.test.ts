import type { Page } from 'playwright-core';
import { serve } from '../../kit/listen.ts';
import { visitAsCustomer } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

// CORS and the cookie in a real browser (contract 2.4, 3.3).
const shop = await sharedShop();

describe('a browser', () => {
  let page: Page;

  beforeAll(async () => {
    page = await visitAsCustomer(shop);
  }, 180_000);

  /** The status that a page gets, or the name of its error. */
  const statusFor = (at: Page, path: string, init: object) =>
    at.evaluate(
      `fetch('${shop.gatewayUrl}${path}', ${JSON.stringify(init)}).then((answer) => answer.status, (error) => error.name)`,
    );
  // A method and a media type that need a preflight.
  const write = {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    credentials: 'include',
  };

  it('hides the cookie from scripts and sends it only to the site', async () => {
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie, ...others] = await page.context().cookies(shop.gatewayUrl);
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ name: '__store_jwt_token', httpOnly: true, sameSite: 'Lax', secure: false });
  });

  it('sends a preflight before a write from the allowed origin, and the cookie with the write', async () => {
    // 404, not 401: the request passed the gateway with the cookie.
    expect(await statusFor(page, '/products/none', write)).toBe(404);
    expect(await statusFor(page, '/products/none', { ...write, credentials: 'omit' })).toBe(401);
    expect(await statusFor(page, '/accounts', { credentials: 'include' })).toBe(200);
    expect(await statusFor(page, '/accounts', { credentials: 'omit' })).toBe(401);
  });

  it('refuses pages of other origins, with and without the cookie', async () => {
    const other = await serve((_, response) => response.end('<!doctype html><title>elsewhere</title>'));
    const elsewhere = await page.context().newPage();
    await elsewhere.goto(other.replace('127.0.0.1', 'localhost'));
    expect(await statusFor(elsewhere, '/accounts', { credentials: 'include' })).toBe('TypeError');
    expect(await statusFor(elsewhere, '/health-check', {})).toBe('TypeError');
    expect(await statusFor(elsewhere, '/products/none', write)).toBe('TypeError');
  });

  it('sends no cookie from another site, even if CORS allows the site', async () => {
    const elsewhere = await page.context().newPage();
    await elsewhere.goto(shop.url.replace('localhost', '127.0.0.1'));
    expect(await statusFor(elsewhere, '/accounts', { credentials: 'include' })).toBe(401);
    expect(await statusFor(page, '/accounts', { credentials: 'include' })).toBe(200);
  });
});
