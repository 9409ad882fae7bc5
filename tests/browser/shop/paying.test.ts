import type { Page } from 'playwright-core';
import { queryOnce } from '../../kit/postgres/database.ts';
import { changeOrder, confirmed, orderOn, put, show, visitAsCustomer } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

const shop = await sharedShop();

describe('a customer who pays with a card', () => {
  let page: Page;

  beforeEach(async () => {
    page = await visitAsCustomer(shop);
  });
  afterEach(() => page?.context().close());

  async function orderWith(card: string): Promise<string> {
    await put(page, 'Green tea');
    await show(page, 'basket');
    await page.getByLabel('Card').selectOption({ label: card });
    await page.getByRole('button', { name: 'Place the order' }).click();
    await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
    return orderOn(page);
  }
  /** Calls the order service as payment does. */
  async function asPayment(method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${shop.store.credential}`, 'content-type': 'application/json' };
    const url = `${shop.store.url('order')}/internal/orders/${path}`;
    return fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }
  const tokenOf = async (id: string) => (await asPayment('GET', `${id}/payment-token`)).json();

  it('goes to the bank if it asks, comes back, and sees the order go on', async () => {
    const id = await orderWith('A card whose bank asks first');
    expect(await tokenOf(id)).toEqual({ token: 'card-action' });
    const url = `${shop.url}/?bank=asks`;
    const told = await asPayment('PUT', `${id}/payment`, {
      status: 'action-required',
      nextAction: { type: 'redirect', url },
    });
    expect(told.status).toBe(204);
    await page.getByText('Waiting for you').waitFor();
    await page.getByRole('link', { name: 'Go to your bank' }).click();
    await page.waitForURL(({ search }) => search === '?bank=asks');
    await page.goto(`${shop.url}/#/orders/${id}`);
    await page.getByText('Waiting for you').waitFor();
    await asPayment('PUT', `${id}/payment`, { status: 'pending', nextAction: null });
    await page.getByText('Stock is reserved, then your payment is taken.').waitFor();
    await changeOrder(shop, id, confirmed);
    await page.getByText('Getting ready to ship').waitFor();
  });

  it('reads that a card was declined, and puts the products back into the basket', async () => {
    const id = await orderWith('A card that is declined');
    expect(await tokenOf(id)).toEqual({ token: 'card-declined' });
    await changeOrder(shop, id, `status = 'CANCELLED', cancelled_at = now(), cancel_reason = 'payment failed'`);
    await page.getByText('Your payment was declined').waitFor();
    await page.getByText('Nothing was taken.').waitFor();
    await page.getByRole('button', { name: 'Put what is left back into the basket' }).click();
    await page.getByRole('link', { name: 'Look at your basket' }).click();
    await page.getByRole('heading', { name: 'Green tea' }).waitFor();
    expect(await page.getByLabel('Card').inputValue()).toBe('');
  });

  it('sees what was returned', async () => {
    const id = await orderWith('A card that pays');
    await changeOrder(shop, id, `${confirmed}, refunded = 0.5, payment_changes = 1`);
    await page.getByText('Returned to you').waitFor();
    await page.getByText('$0.50').waitFor();
    await changeOrder(shop, id, `status = 'CANCELLED', cancelled_at = now(), cancel_reason = 'cancelled by the store'`);
    await page.getByText('Your payment is being returned.').waitFor();
    await changeOrder(shop, id, 'refunded = total_amount, payment_changes = 2');
    await page.getByText('Your payment is being returned.').waitFor({ state: 'hidden' });
  });

  it('orders without a card if none is chosen', async () => {
    const id = await orderWith('No card');
    expect((await asPayment('GET', `${id}/payment-token`)).status).toBe(404);
    const sql = `select has_payment_details from orders where id = '${id}'`;
    expect(await queryOnce(shop.store.databaseUrl('order'), sql)).toEqual([{ has_payment_details: false }]);
  });
});
