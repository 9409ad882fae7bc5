import { createPrometheusAlerts } from '../src/watch/prometheus-client.ts';
import { type Answer, fakeService, Reply, useConsole } from './_console.ts';
import { alert, at, rule, rulesAnswer } from './_prometheus.ts';

/** @returns what the console knows after asking a Prometheus that answers so */
async function askedOf(
  answer: Answer | string,
  own: { PROMETHEUS_NAMESPACE?: string } = { PROMETHEUS_NAMESPACE: 'shop' },
) {
  const url = typeof answer === 'string' ? answer : await fakeService(answer);
  const alerts = createPrometheusAlerts({ PROMETHEUS_URL: url, ...own });
  await alerts.ask();
  return alerts.last();
}
const answering = (...rules: object[]) => askedOf(() => rulesAnswer(...rules));
const firing = (name: string, ...alerts: object[]) => rule(name, { alerts });
const namesIn = (last: Awaited<ReturnType<typeof askedOf>>) => last?.firing.map(({ name }) => name);

describe('the alerts of Prometheus', () => {
  it('are null without a Prometheus, and unknown until it has been asked', () => {
    const none = createPrometheusAlerts({});
    expect(none.last()).toBeNull();
    const unasked = createPrometheusAlerts({ PROMETHEUS_URL: 'http://127.0.0.1:1', PROMETHEUS_NAMESPACE: 'shop' });
    expect(unasked.last()).toEqual({ firing: [], evaluated: 0, problem: 'Prometheus has not been asked yet.' });
  });

  it('are asked for at one path', async () => {
    const paths: string[] = [];
    await askedOf((method, path) => {
      paths.push(`${method} ${path}`);
      return rulesAnswer();
    });
    expect(paths).toEqual(['GET /api/v1/rules?type=alert']);
  });

  it('have name, severity, summary, time and runbook', async () => {
    const annotations = { summary: 'payment-group has open dead letters: 2', runbook_url: 'https://docs.test/a.md#b' };
    expect(await answering(firing('StoreDeadLetters', alert({ severity: 'critical' }, { annotations })))).toEqual({
      firing: [
        {
          name: 'StoreDeadLetters',
          severity: 'critical',
          summary: annotations.summary,
          since: Date.parse('2026-05-04T12:00:00.123Z'),
          runbookUrl: annotations.runbook_url,
        },
      ],
      evaluated: 1,
      problem: null,
    });
  });

  it('begin with critical ones, then the oldest', async () => {
    const late = { activeAt: '2026-05-04T14:00:00+02:00' };
    const last = await answering(
      firing('StoreA', alert({ severity: 'info' })),
      firing('StoreB', alert(), alert({}, { activeAt: '2026-05-04T11:00:00Z' })),
      firing('StoreC', alert({ severity: 'critical' }, late)),
    );
    expect(last?.firing.map(({ name, since }) => [name, new Date(since).toISOString().slice(11, 16)])).toEqual([
      ['StoreC', '12:00'],
      ['StoreB', '11:00'],
      ['StoreB', '12:00'],
      ['StoreA', '12:00'],
    ]);
  });

  it.each<[string, object]>([
    ['are pending', alert({}, { state: 'pending' })],
    ['are of another namespace', alert({ namespace: 'monitoring' })],
    ['are for Alertmanager only, such as Watchdog', alert({ severity: 'none' })],
  ])('lack those that %s', async (_, other) => {
    expect(await answering(firing('StoreSlow', other))).toEqual({ firing: [], evaluated: 1, problem: null });
  });

  it('include other alerts of the namespace, and of no namespace', async () => {
    const { namespace: _, ...ofCluster } = alert().labels;
    const last = await answering(
      firing('KubePodCrashLooping', alert()),
      firing('NodeDown', { ...alert(), labels: ofCluster }),
    );
    expect(namesIn(last)).toEqual(['KubePodCrashLooping', 'NodeDown']);
    expect(last?.evaluated).toBe(0); // none of these rules is the store's
  });

  it('are those of all namespaces if the console does not know its own', async () => {
    const rules = rulesAnswer(rule('StoreSlow', { namespace: 'other', alerts: [alert({ namespace: 'other' })] }));
    expect(await askedOf(() => rules, {})).toMatchObject({ firing: [{ name: 'StoreSlow' }], evaluated: 1 });
  });

  it('link to web pages only', async () => {
    const links = ['docs/runbooks/store.md#a', 'javascript:alert(1)', 'http://docs.test/'];
    const withLink = (runbook_url: string) => alert({}, { annotations: { runbook_url } });
    const last = await answering(firing('StoreSlow', ...links.map(withLink)));
    expect(last?.firing.map(({ runbookUrl }) => runbookUrl)).toEqual([null, null, 'http://docs.test/']);
  });

  it('have a text without annotations and severity', async () => {
    const bare = { state: 'firing', labels: {}, annotations: {}, activeAt: at, value: '1' };
    expect((await answering(firing('Bare', bare)))?.firing).toMatchObject([
      { name: 'Bare', summary: 'Bare', severity: 'unknown severity', runbookUrl: null },
    ]);
  });

  it("count evaluated rules of the store only, and name the store's rules that fail", async () => {
    const last = await answering(
      rule('StoreSlow'),
      rule('StoreLagUnknown', { health: 'err' }),
      rule('StoreConsumerLag', { health: 'unknown' }),
      rule('StoreSlow', { namespace: 'other', health: 'err' }),
      rule('KubePodCrashLooping', { health: 'err' }),
      { type: 'recording', name: 'store:requests:rate5m', query: 'sum(x{namespace="shop"})', health: 'ok' },
    );
    expect(last).toEqual({ firing: [], evaluated: 1, problem: 'Prometheus cannot evaluate StoreLagUnknown.' });
  });

  const page = new Reply(200, '<html>Log in</html>', { 'content-type': 'text/html' });
  const noList = 'Prometheus does not answer with a list of rules.';
  it.each<[string, Answer | string, string]>([
    ['is away', 'http://127.0.0.1:1', 'Prometheus cannot be reached (ECONNREFUSED).'],
    ['does not answer', () => new Promise(() => undefined), 'Prometheus has not answered within 2 s.'],
    ['needs a login', () => new Reply(401, ''), 'Prometheus answers with status 401.'],
    ['has another path', () => undefined, 'Prometheus answers with status 404.'],
    ['answers a page', () => page, noList],
    ['answers other JSON', () => ({ status: 'success', data: { alerts: [] } }), noList],
    ['answers an alert without labels', () => rulesAnswer(firing('StoreSlow', { state: 'firing' })), noList],
    ['answers an alert without a date', () => rulesAnswer(firing('StoreSlow', alert({}, { activeAt: 'now' }))), noList],
  ])('are a sentence if Prometheus %s', async (_, answer, problem) => {
    expect(await askedOf(answer)).toEqual({ firing: [], evaluated: 0, problem });
  });

  it('are forgotten once Prometheus fails, and come back', async () => {
    let answer: unknown = rulesAnswer(firing('StoreSlow', alert()));
    const url = await fakeService(() => answer);
    const alerts = createPrometheusAlerts({ PROMETHEUS_URL: url, PROMETHEUS_NAMESPACE: 'shop' });
    const outcomes: unknown[] = [];
    for (const next of [answer, new Reply(503, ''), answer]) {
      answer = next;
      await alerts.ask();
      outcomes.push([namesIn(alerts.last()), alerts.last()?.problem]);
    }
    const fires = [['StoreSlow'], null];
    expect(outcomes).toEqual([fires, [[], 'Prometheus answers with status 503.'], fires]);
  });
});

describe('the console', () => {
  const without = useConsole();
  const away = useConsole(undefined, { env: { PROMETHEUS_URL: 'http://127.0.0.1:1' } });

  it('says that it knows no Prometheus', async () => {
    const { body } = await without.read('/api/now').expect(200);
    expect(body.alerts.verdict).toMatch(/^PROMETHEUS_URL names no Prometheus/);
  });

  it('answers before Prometheus has been asked', async () => {
    const { body } = await away.read('/api/now').expect(200);
    expect(body).toMatchObject({ points: [], alerts: { tone: 'bad', verdict: 'Prometheus has not been asked yet.' } });
  });
});
