import type { Browser, Page } from 'playwright-core';
import { chromiumPath, openBrowser } from '../../../tests/kit/chromium.ts';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { samplesIn } from '../src/watch/replicas-client.ts';
import { logIn, testConsole } from './_console.ts';

const points = 61;
const lagAt = (point: number) => samplesIn(`consumer_lag_messages{group="order-group",partition="0"} ${1_000 + point}`);
const last = Date.parse('2026-05-04T12:00:00Z');

(chromiumPath ? describe : describe.skip)('a chart of the console', () => {
  const history = createHistory();
  const console = testConsole({}, {}, history);
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const order = { service: 'order', address: '10.1.2.3:8080', state: 'UP' as const, waitingFor: [] };
    for (let point = 0; point < points; point += 1)
      history.add(last - (points - 1 - point) * everyMs, [{ ...order, samples: lagAt(point) }]);
    await console.ready;
    browser = await openBrowser();
    page = await browser.newPage();
    await page.goto(`${console.origin()}/console/`);
    await logIn(page);
  });

  afterAll(async () => {
    await browser?.close();
    await console.close();
  });

  it('says what its lines are now, and what they were where the pointer is', async () => {
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
