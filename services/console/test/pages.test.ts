import { findings } from '../../../tests/kit/axe.ts';
import { lookAt } from '../../../tests/kit/looks.ts';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { samplesIn } from '../src/watch/replicas-client.ts';
import { describePages, logIn, token, useConsole } from './_console.ts';

describePages('the login with the keyboard', (open) => {
  const console = useConsole();

  it('is accessible, keeps the focus if it is refused, and moves it to the page if it succeeds', async () => {
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

describePages('an address without a page', (open) => {
  const console = useConsole();

  it.each(['nowhere', 'constructor', 'now/here/there', 'dead%E0letters'])('says so: %s', async (path) => {
    const page = await logIn(await open(), console, `#/${path}`);
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    expect(await page.title()).toBe('No such page – Store console');
    await page.getByRole('link', { name: 'Go to the page Now' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
  });

  it('differs from an address with an undecodable filter, and from an empty one', async () => {
    const page = await logIn(await open(), console, '#/dead-letters?100%');
    await page.getByLabel('Filter').waitFor();
    expect(await page.getByLabel('Filter').inputValue()).toBe('100%');
    await page.evaluate(`location.hash = ''`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
  });
});

describePages('a browser without storage', (open) => {
  const console = useConsole();

  it('shows the console', async () => {
    const page = await open();
    await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
      Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`);
    await logIn(page, console);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
  });
});

describePages('an alert of the console', (open) => {
  const history = createHistory();
  const console = useConsole(undefined, { history });

  it('shows its runbook as HTML instead of Markdown', async () => {
    const payment = { service: 'payment', address: '10.1.2.3:8080', state: 'UP' as const, waitingFor: [] };
    history.add(Date.now(), [{ ...payment, samples: samplesIn('dead_letters_open{group="payment-group"} 2') }]);
    const page = await logIn(await open(), console);
    await page.getByText('Runbook StoreDeadLetters').click();
    const runbook = page.locator('.runbook');
    await runbook.locator('strong').getByText('Fix.').first().waitFor();
    expect(await runbook.locator('code').count()).toBeGreaterThan(0);
    const text = await runbook.textContent();
    expect(text).not.toMatch(/\*\*|```|\]\(/);
    expect(await lookAt(page, 'console-runbook')).toEqual([]);
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

  it('shows the current values of its lines, and the values at the pointer', async () => {
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
