import { overviewOf } from '../src/watch/overview.ts';
import type { PrometheusAlert } from '../src/watch/prometheus-client.ts';
import type { Point, ReplicaState } from '../src/watch/schemas.ts';

const rates = { placed: 0, confirmed: 0, rejected: 0, timedOut: 0, refused: 0, failed: 0 };
const zeros: Point = {
  ...{ at: 0, rates, p50: null, p95: null },
  ...{ lag: { a: 0 }, outbox: { order: 0 }, letters: 0, stuck: 0 },
};
const replica = (service: string, state: ReplicaState['state'] = 'UP'): ReplicaState => ({
  ...{ service, state, address: '10.1.2.3:8080', waitingFor: [], since: 0, sinceIsLowerBound: true },
});
const textsOf = ({ items }: ReturnType<typeof overviewOf>) => items.map(({ text }) => text);
const deadLetters: PrometheusAlert = {
  ...{ name: 'StoreDeadLetters', severity: 'critical', summary: 'It is broken', since: 7 },
  runbookUrl: 'docs/runbooks/store.md',
};
const zeroTexts = [
  'Processes that are not ready: 0 of 1',
  'Open dead letters: 0',
  'Stuck orders: 0',
  'Lag in messages: 0',
  'Age of the oldest event in an outbox: 0',
];

describe('the overview without Prometheus', () => {
  const look = (point: Point | undefined, ...replicas: ReplicaState[]) => overviewOf(null, point, replicas);

  it('says that facts are unknown before the first look', () => {
    const overview = look(undefined);
    expect(overview).toMatchObject({ tone: 'note', verdict: expect.stringContaining('nobody evaluates alert rules') });
    expect(textsOf(overview)).toEqual([
      'Processes that are not ready: unknown',
      'Open dead letters: unknown',
      'Stuck orders: unknown',
      'Lag in messages: unknown',
      'Age of the oldest event in an outbox: unknown',
    ]);
  });

  it('says that a fact is unknown if nobody has told it', () => {
    const silent = { ...zeros, lag: {}, outbox: {}, letters: null, stuck: null };
    expect(textsOf(look(silent, replica('order'))).filter((text) => text.endsWith('unknown'))).toHaveLength(4);
  });

  it('has zeros without runbooks, and does not say that all is well', () => {
    const overview = look(zeros, replica('order'));
    expect(overview.tone).toBe('note');
    expect(textsOf(overview)).toEqual(zeroTexts);
    expect(overview.items.map(({ runbook }) => runbook)).toEqual(Array(5).fill(null));
  });

  it('has numbers with runbooks and pages, the highest of each kind first', () => {
    const point = {
      ...zeros,
      ...{ lag: { a: 2, b: 1_234, c: 0 }, outbox: { order: 75 }, letters: 20_000, stuck: 10_000 },
    };
    const { items } = look(point, replica('order'), replica('payment', 'GONE'), replica('status', 'DOWN'));
    expect(items.map(({ text, runbook, page }) => [text, runbook, page])).toEqual([
      ['Processes that are not ready: 2 of 3 (payment GONE, status DOWN)', 'StoreComponentUnavailable', null],
      ['Open dead letters: 20,000', 'StoreDeadLetters', 'dead-letters'],
      ['Stuck orders: at least 10,000', 'StoreOrdersStuck', 'orders'],
      ['Lag in messages: b 1,234, a 2', 'StoreConsumerLag', null],
      ['Age of the oldest event in an outbox: order 75.0 s', 'StoreOutboxAge', null],
    ]);
  });
});

describe('the overview with Prometheus', () => {
  const answered = { firing: [], evaluated: 3, problem: null };

  it('is good only if rules of the store are evaluated and nothing fires', () => {
    expect(overviewOf(answered, undefined, [])).toEqual({
      tone: 'good',
      verdict: 'Prometheus evaluates 3 alert rules of the store, and no alert fires.',
      items: [],
    });
  });

  it('has what fires, without facts', () => {
    const crash = { ...deadLetters, name: 'KubePodCrashLooping', runbookUrl: 'https://docs.test/crash' };
    const overview = overviewOf({ ...answered, firing: [deadLetters, crash] }, zeros, [replica('order')]);
    const verdict = 'Prometheus evaluates 3 alert rules of the store. Alerts that fire: 2';
    expect(overview).toMatchObject({ tone: 'bad', verdict });
    const item = { text: 'It is broken', severity: 'critical', since: 7 };
    expect(overview.items).toEqual([
      { ...item, name: deadLetters.name, page: 'dead-letters', runbook: deadLetters.name, runbookUrl: null },
      { ...item, name: crash.name, page: null, runbook: null, runbookUrl: crash.runbookUrl },
    ]);
  });

  it.each([
    ['it has a problem', { ...answered, problem: 'Prometheus is away.' }, 'Prometheus is away.'],
    [
      'it has no rules of the store',
      { ...answered, evaluated: 0 },
      'Prometheus evaluates no alert rules of the store. The console sees these numbers.',
    ],
  ])('is bad and has facts if %s, also while nothing fires', (_, answer, verdict) => {
    const silent = overviewOf(answer, zeros, [replica('order')]);
    expect(silent).toMatchObject({ tone: 'bad', verdict });
    expect(textsOf(silent)).toEqual(zeroTexts);
    const loud = overviewOf({ ...answer, firing: [deadLetters] }, zeros, [replica('order')]);
    expect(textsOf(loud)).toEqual(['It is broken', ...zeroTexts]);
  });
});
