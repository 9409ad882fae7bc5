import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { createSend, sendExpecting } from '../../kit/http.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { addProducts, entireStore, useShop } from '../_shop.ts';
import { someWares } from '../_wares.ts';
import { breakPayments, repairPayments } from '../operator/_cause.ts';
import { findLetters, openConsole } from '../operator/_console.ts';

// The console during an incident: hung processes (SIGSTOP), stuck orders, dead letters, facts.

const phone = { width: 360, height: 640 };

describe('the console during an incident', () => {
  const shop = useShop(entireStore);
  let page: Page;
  let products: Map<string, string>;

  beforeAll(async () => {
    products = (await addProducts(shop, someWares)).ids;
    page = await openConsole(shop, 'Ann');
  }, 180_000);

  async function place(name = 'Sea salt'): Promise<string> {
    const body = { items: [{ productId: products.get(name), quantity: 1 }] };
    const send = createSend(shop.store.url('order'));
    return (await sendExpecting(201, send, 'POST', '/orders', body, { 'id-account': randomUUID() })).body.id;
  }

  async function paused(names: string[], work: () => Promise<void>): Promise<void> {
    for (const name of names) shop.store.component(name).kill('SIGSTOP');
    try {
      await work();
    } finally {
      for (const name of names) shop.store.component(name).kill('SIGCONT');
    }
  }

  const showOrder = async (id: string) => {
    await page.goto('about:blank');
    await page.goto(`${shop.store.url('console')}/console/#/orders/${id}`);
  };
  const step = (text: string) =>
    page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: text }).first();
  const order = () => page.getByRole('region', { name: 'Order', exact: true });

  it('shows numbers first, and on a phone the first number on the first screen', async () => {
    await page.setViewportSize(phone);
    await page.getByRole('link', { name: 'Now', exact: true }).click();
    const first = page.getByRole('list', { name: 'Numbers' }).getByRole('listitem').first();
    await first.getByText('Orders per second').waitFor();
    const box = await first.boundingBox();
    expect((box?.y ?? phone.height) + (box?.height ?? 0)).toBeLessThanOrEqual(phone.height);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phone.width);
    await page.setViewportSize({ width: 1280, height: 860 });
  }, 60_000);

  it('names a hung process in one row that opens, and Now keeps updating', async () => {
    await paused(['inventory'], async () => {
      const row = page.getByText(/^1 of \d+ processes are not ready: inventory\.$/);
      await row.waitFor({ timeout: 30_000 });
      await row.click();
      await page.getByRole('row', { name: /inventory.*GONE.*no answer within 3 s/ }).waitFor();
      await page.getByText('The inventory service did not answer within 3 s.').waitFor();
    });
    await page.getByText(/^All \d+ processes are ready\.$/).waitFor({ timeout: 30_000 });
  }, 90_000);

  it('counts stuck orders on the first page and lists them with status and age, oldest first', async () => {
    const ids: string[] = [];
    await paused(['inventory'], async () => {
      for (const age of ['1 hour', '26 hours', '3 hours']) {
        const id = await place();
        ids.push(id);
        await queryOnce(
          shop.store.databaseUrl('order'),
          `update orders set created_at = now() - interval '${age}' where id = '${id}'`,
        );
      }
      await page.getByRole('link', { name: 'Now', exact: true }).click();
      const number = page
        .getByRole('list', { name: 'Numbers' })
        .getByRole('listitem')
        .filter({ hasText: 'Stuck orders' });
      await number.getByText('3', { exact: true }).waitFor({ timeout: 30_000 });
      await number.getByRole('link').click();
      const rows = page.getByRole('region', { name: 'Stuck orders' }).getByRole('row');
      await rows.nth(3).waitFor();
      const texts = await rows.allTextContents();
      expect(texts.slice(1)).toEqual([
        expect.stringMatching(new RegExp(`${ids[1]}[\\da-f]{8}PENDING26 h`)),
        expect.stringMatching(new RegExp(`${ids[2]}[\\da-f]{8}PENDING3 h`)),
        expect.stringMatching(new RegExp(`${ids[0]}[\\da-f]{8}PENDING60 min`)),
      ]);
    });
  }, 90_000);

  it('says that a redrive would fail again, and shows a discarded letter on its order', async () => {
    await breakPayments(shop.store);
    const id = await place('Linen towel');
    const letters = await findLetters(page, id);
    expect(await letters.count()).toBe(1);
    await page.getByRole('checkbox', { name: /^Select all / }).check();
    await page.getByRole('checkbox', { name: 'Dry run' }).check();
    await page.getByRole('button', { name: /^Redrive 1 letter/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Try to redrive 1 letter?' }).waitFor();
    await dialog.getByRole('button', { name: 'Try' }).click();
    await page.getByText('would fail again: ').waitFor();
    await page.getByRole('checkbox', { name: 'Dry run' }).uncheck();
    await page.getByRole('button', { name: /^Discard 1 letter/ }).click();
    await page.getByLabel('Reason').fill('The customer was told');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('There are no dead letters here.').waitFor();

    await showOrder(id);
    await order()
      .getByText(
        'Ann (shared token) discarded StockReserved, so that payment-group never handles it: The customer was told',
      )
      .waitFor();
    await order()
      .getByText(/^Its cancellation, once it has been PENDING/)
      .waitFor();
    await step('payment-group made StockReserved a dead letter').waitFor();
    await step('Ann (shared token) discarded StockReserved').waitFor();
    await repairPayments(shop.store);
  }, 120_000);

  it('shows open dead letters as a fact with its runbook', async () => {
    await page.getByRole('link', { name: 'Now', exact: true }).click();
    const fact = page.getByRole('region', { name: 'Alerts' }).getByRole('listitem').filter({ hasText: 'dead letters' });
    await fact.getByText(/^Open dead letters: [1-9]\d*$/).waitFor({ timeout: 30_000 });
    await fact.getByText('Runbook StoreDeadLetters').click();
    await fact.locator('.runbook strong').getByText('Diagnose.').waitFor();
  }, 60_000);

  it("uses one clock: all times are in UTC, and ages are relative to the server's clock", async () => {
    const other = await openConsole(shop, 'Ben', { timezoneId: 'Pacific/Auckland' });
    await other.clock.install({ time: Date.now() + 3 * 3_600_000 });
    const id = await place();
    await other.goto(`${shop.store.url('console')}/console/#/orders/${id}`);
    await other.reload();
    await other.getByText(/placed [0-9]{1,2} s ago/).waitFor();
    const times = await other
      .locator('time')
      .evaluateAll((all) => all.map((time) => [time.getAttribute('datetime')?.slice(11, 19), time.textContent]));
    expect(times.length).toBeGreaterThan(2);
    for (const [utc, shown] of times) expect(shown).toContain(utc);
    await other.context().close();
  }, 60_000);
});
