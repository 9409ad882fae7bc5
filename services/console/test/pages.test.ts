import type { Page } from 'playwright-core';
import { findings } from '../../../tests/kit/axe.ts';
import { lookAt } from '../../../tests/kit/looks.ts';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { createPrometheusAlerts } from '../src/watch/prometheus-client.ts';
import { samplesIn } from '../src/watch/replicas-client.ts';
import { describePages, fakeService, logIn, token, useConsole } from './_console.ts';
import { alert, rule, rulesAnswer } from './_prometheus.ts';

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

describePages('an address that changes in the moment in which the console opens', (open) => {
  const console = useConsole();

  it('is shown', async () => {
    const page = await logIn(await open(), console);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.reload();
    await page.evaluate(`location.hash = '#/audit'`);
    await page.clock.runFor(1_000);
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
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

const aProcess = { service: 'payment', address: '10.1.2.3:8080', state: 'UP' as const, waitingFor: [], samples: [] };
const alertsOn = (page: Page) => page.getByRole('region', { name: 'Alerts' });

describePages('the console without Prometheus', (open) => {
  const history = createHistory();
  const console = useConsole(undefined, { history });

  it('knows nothing before the first look, and does not say that all is well', async () => {
    const page = await logIn(await open(), console);
    await alertsOn(page).getByText('PROMETHEUS_URL names no Prometheus').waitFor();
    await page.getByText('The console has not looked at any process yet.').waitFor();
    const texts = await alertsOn(page).getByRole('listitem').allTextContents();
    expect(texts.map((text) => text.trim().split(': ')[1])).toEqual(Array(5).fill('unknown'));
    expect(await page.locator('.good').count()).toBe(0);
  });

  it('shows numbers, with a runbook as HTML instead of Markdown', async () => {
    history.add(Date.now(), [aProcess], { letters: 2, stuck: 0, problems: [] });
    const page = await logIn(await open(), console);
    await alertsOn(page).getByText('Open dead letters: 2').waitFor();
    await page.getByText('Runbook StoreDeadLetters').click();
    const runbook = page.locator('.runbook');
    await runbook.locator('strong').getByText('Fix.').first().waitFor();
    expect(await runbook.locator('code').count()).toBeGreaterThan(0);
    const text = await runbook.textContent();
    expect(text).not.toMatch(/\*\*|```|\]\(/);
    expect(await lookAt(page, 'console-runbook')).toEqual([]);
  });
});

describePages('the console with Prometheus', (open) => {
  let answer: unknown;
  const history = createHistory();
  let alerts: ReturnType<typeof createPrometheusAlerts>;
  const console = useConsole(undefined, {
    history,
    alerts: { last: () => alerts.last(), ask: () => alerts.ask() },
  });

  beforeAll(async () => {
    const url = await fakeService(() => answer);
    alerts = createPrometheusAlerts({ PROMETHEUS_URL: url, PROMETHEUS_NAMESPACE: 'shop' });
    history.add(Date.now(), [aProcess], { letters: 2, stuck: 0, problems: [] });
  });

  /** Opens the page while Prometheus answers so. */
  async function showing(answered: unknown): Promise<Page> {
    answer = answered;
    await alerts.ask();
    const page = await logIn(await open(), console);
    await alertsOn(page).waitFor();
    return page;
  }

  it('shows what fires, with its runbook', async () => {
    const link = { annotations: { summary: 'A pod restarts', runbook_url: 'https://docs.test/crash' } };
    const page = await showing(
      rulesAnswer(
        rule('StoreDeadLetters', { alerts: [alert({ severity: 'critical' })] }),
        rule('StoreSlow', { alerts: [alert({}, { state: 'pending', annotations: { summary: 'It is slow' } })] }),
        rule('KubePodCrashLooping', { alerts: [alert({}, link)] }),
      ),
    );
    const shown = alertsOn(page).locator('> ul > li');
    expect(await shown.locator('> .badge, > strong').allTextContents()).toEqual([
      ...['critical', 'It is broken'],
      ...['warning', 'A pod restarts'],
    ]);
    await shown
      .first()
      .getByText(/^StoreDeadLetters, since 2026-05-04 12:00:00 UTC \(\d+ days\)$/)
      .waitFor();
    await shown.first().getByRole('link', { name: 'Show the dead letters' }).waitFor();
    await shown.first().getByText('Runbook StoreDeadLetters').click();
    await shown.first().locator('.runbook strong').getByText('Diagnose.').waitFor();
    const elsewhere = shown.nth(1).getByRole('link', { name: 'Runbook KubePodCrashLooping' });
    expect(await elsewhere.getAttribute('href')).toBe('https://docs.test/crash');
    expect(await lookAt(page, 'console-alerts')).toEqual([]);
  });

  it('says that nothing fires if rules of the store are evaluated', async () => {
    const page = await showing(rulesAnswer(rule('StoreDeadLetters'), rule('StoreSlow')));
    await alertsOn(page)
      .locator('.good')
      .getByText('Prometheus evaluates 2 alert rules of the store, and no alert fires.')
      .waitFor();
    expect(await alertsOn(page).getByRole('listitem').count()).toBe(0);
  });

  it('shows its numbers if Prometheus answers nonsense', async () => {
    const page = await showing('nonsense');
    await alertsOn(page).locator('.bad').getByText('Prometheus does not answer with a list of rules.').waitFor();
    await alertsOn(page).getByText('Open dead letters: 2').waitFor();
    expect(await alertsOn(page).locator('.good').count()).toBe(0);
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
