import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { createServices } from '../src/services-client.ts';
import { rules } from '../src/watch/alerts.ts';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { askReplicas, type Replica, samplesIn } from '../src/watch/replicas-client.ts';
import { quantile } from '../src/watch/sample.ts';
import { countAt } from '../src/watch/watch.ts';
import { fakeService } from './_console.ts';

const metrics = (placed: number, confirmed: number, lag = 3) => `# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{le="1",method="POST",route="/orders",status="201"} ${placed}
http_request_duration_seconds_count{method="POST",route="/orders",status="201"} ${placed}
http_request_duration_seconds_count{method="GET",route="/orders",status="200"} 99
order_confirmation_seconds_bucket{le="1"} ${confirmed / 2}
order_confirmation_seconds_bucket{le="2.5"} ${confirmed}
order_confirmation_seconds_bucket{le="+Inf"} ${confirmed}
order_confirmation_seconds_count ${confirmed}
consumer_lag_messages{group="order-group",partition="0"} ${lag}
consumer_lag_messages{group="order-group",partition="1"} 1
outbox_oldest_unsent_seconds 2.5
nodejs_heap_size_total_bytes 7
`;
const replica = (address: string, text: string, more: Partial<Replica> = {}) => ({
  service: 'order',
  address,
  state: 'UP' as const,
  waitingFor: [],
  samples: samplesIn(text),
  ...more,
});

describe('the history', () => {
  it('counts increases between two looks, over replicas and restarts', () => {
    const history = createHistory();
    history.add(0, [replica('a', metrics(100, 50)), replica('b', metrics(7, 1))]);
    expect(history.points()[0]).toMatchObject({ rates: { placed: 0, confirmed: 0 }, p50: null });
    history.add(5_000, [replica('a', metrics(120, 60, 8)), replica('b', metrics(2, 0))]); // b has restarted
    expect(history.points()[1]).toMatchObject({
      rates: { placed: (20 + 2) / 5, confirmed: 10 / 5 },
      p50: 1, // half are within the first bucket
      p95: 2.35,
      lag: { 'order-group': 9 }, // the highest of each partition, not the sum over replicas
      outbox: { order: 2.5 },
    });
    history.add(10_000, [replica('c', metrics(1_000, 500))]); // new: its earlier counts are ignored
    expect(history.points()[2]?.rates.placed).toBe(0);
    history.add(15_000, [replica('c', '', { state: 'GONE' })]);
    history.add(20_000, [replica('c', metrics(1_010, 500))]);
    expect(history.points()[4]?.rates.placed).toBe(2);
  });

  it('keeps the counts of services, with gaps if a service does not answer', () => {
    const history = createHistory();
    history.add(0, [], { letters: 3, stuck: 7, problems: [] });
    history.add(5_000, [], { letters: null, stuck: 8, problems: ['The payment service did not answer within 3 s.'] });
    expect(history.points()).toMatchObject([
      { letters: 3, stuck: 7 },
      { letters: null, stuck: 8 },
    ]);
    expect(history.problems()).toEqual(['The payment service did not answer within 3 s.']);
  });

  it('counts open letters over all groups that answer, and stuck orders', async () => {
    const fake = await fakeService((_, path) =>
      path === '/internal/dead-letters/count' ? { group: 'g', open: 2 } : { total: 9, orders: [], next: null },
    );
    const addresses = ['order', 'payment', 'inventory'].map((name) => [name, fake] as const);
    const services = createServices(new Map([...addresses, ['invoice', 'http://127.0.0.1:1'] as const]), undefined);
    expect(await countAt(services, ['payment', 'inventory', 'invoice'])).toEqual({
      letters: 4,
      stuck: 9,
      problems: [expect.stringContaining('invoice')],
    });
  });

  it('keeps 15 minutes', () => {
    const history = createHistory();
    for (let look = 0; look < 200; look += 1) history.add(look * 5_000, []);
    expect(history.points()).toHaveLength(180);
  });

  it('says since when a process has been in its state, and whether it saw the change', () => {
    const history = createHistory();
    history.add(0, [replica('a', '')]);
    expect(history.states()).toMatchObject([{ state: 'UP', since: 0, sinceIsLowerBound: true }]);
    history.add(5_000, [replica('a', '', { state: 'DOWN', waitingFor: ['kafka'] })]);
    history.add(10_000, [replica('a', '', { state: 'DOWN', waitingFor: ['database'] })]);
    expect(history.states()).toEqual([
      {
        service: 'order',
        address: 'a',
        state: 'DOWN',
        waitingFor: ['database'],
        since: 5_000,
        sinceIsLowerBound: false,
      },
    ]);
  });

  it('gives the reason if a process does not answer', async () => {
    const [gone] = await askReplicas('http://127.0.0.1:1', 'http://127.0.0.1:1');
    expect(gone).toEqual({ address: '127.0.0.1:1', state: 'GONE', waitingFor: ['ECONNREFUSED'], samples: [] });
    for (const url of ['http://[::1]:1', 'http://no.invalid:1'])
      expect(await askReplicas(url, url)).toMatchObject([{ state: 'GONE', waitingFor: [expect.stringMatching(/^E/)] }]);
  });

  it('estimates quantiles from counts by upper bound', () => {
    expect(quantile(0.5, new Map([[1, 0]]))).toBeUndefined();
    expect(quantile(0.5, new Map([1, 2].map((bound) => [bound, 2 * bound])))).toBe(1);
    expect(quantile(1, new Map([1, Number.POSITIVE_INFINITY].map((bound, count) => [bound, count + 1])))).toBe(1);
  });
});

const secondsOf = (duration = '0s') => Number.parseInt(duration, 10) * (duration.endsWith('m') ? 60 : 1);

const healthy = `consumer_lag_messages{group="g",partition="0"} 0
consumer_group_member{group="g"} 1
outbox_relay_active 1
outbox_oldest_unsent_seconds 0
`;
type State = 'UP' | 'GONE';
interface Story {
  /** At that second. */
  metrics: (second: number) => string;
  state?: State;
  stuck?: (second: number) => number;
}

/** @returns names of the alerts that fire at that second, with a look every five seconds */
function firing({ metrics, state = 'UP', stuck = () => 0 }: Story, until: number): string[] {
  const history = createHistory();
  for (let second = 0; second <= until; second += everyMs / 1_000) {
    const replica = { service: 'order', address: 'a', state, waitingFor: [], samples: samplesIn(metrics(second)) };
    history.add(second * 1_000, [replica], { letters: null, stuck: stuck(second), problems: [] });
  }
  return history.alerts().map(({ name }) => name);
}

const lagging = (lag: number, more: (second: number) => string = () => '') => ({
  metrics: (second: number) => healthy.replace(/(partition="0"}) 0/, `$1 ${lag}`) + more(second),
});
const unlike = (metric: string | RegExp, other: string) => ({ metrics: () => healthy.replace(metric, other) });
const from20 = (metric: string) => ({
  metrics: (second: number) => `${healthy}${metric} ${second < 20 ? 0 : 2}\n`,
});

describe('the alerts', () => {
  it('have the names, severities and delays of the rules in the chart', async () => {
    const file = new URL('../../../charts/store/files/alerts/store.yaml', import.meta.url);
    const shipped = parse(await readFile(file, 'utf8')).groups[0].rules as {
      alert: string;
      labels: { severity: string };
      for?: string;
    }[];
    const expected = shipped
      .filter(({ alert }) => alert !== 'StoreSlow') // uses the gateway's metrics
      .map(({ alert, labels, for: delay }) => [alert, labels.severity, secondsOf(delay)]);
    expect(rules.map(({ name, severity, forSeconds }) => [name, severity, forSeconds]).sort()).toEqual(expected.sort());
  });

  it.each<[string, Story, number]>([
    ['StoreComponentUnavailable', { metrics: () => '', state: 'GONE' }, 120],
    ['StoreSessionsStale', { metrics: (s) => `${healthy}auth_stale_checks_total ${s}\n` }, 125],
    ['StoreDeadLetters', from20('dead_letters_open{group="g"}'), 20],
    ['StoreOrdersTimedOut', from20('orders_timed_out_total'), 20],
    ['StoreOrdersStuck', { metrics: () => healthy, stuck: (s) => (s < 20 ? 0 : 2) }, 20],
    ['StoreMailsNotSent', { metrics: (s) => `${healthy}mails_total{result="postponed"} ${s}\n` }, 905],
    ['StoreConsumerLag', lagging(1_001, (s) => `consumer_messages_total{group="g",result="processed"} ${s}\n`), 600],
    ['StoreConsumerStuck', lagging(1), 1_200],
    ['StoreBatchUndecodable', from20('consumer_undecodable_batches{group="g",topic="t",partition="0"}'), 20],
    ['StoreConsumerNotInGroup', unlike('member{group="g"} 1', 'member{group="g"} 0'), 180],
    ['StoreLagUnknown', unlike(/consumer_lag.*/, ''), 300],
    ['StoreOutboxAge', unlike('seconds 0', 'seconds 61'), 60],
    ['StoreRelayInactive', unlike('relay_active 1', 'relay_active 0'), 120],
  ])('%s fires when due and not before', (name, story, at) => {
    expect(firing(story, at - 5)).not.toContain(name);
    expect(firing(story, at)).toContain(name);
  });

  it.each([
    [7, ['Orders are PENDING for longer than a minute: 7']],
    [10_000, ['Orders are PENDING for longer than a minute: at least 10000']],
    [0, []],
    [null, []],
  ])('report stuck orders as the first page counts them: %j', (stuck, summaries) => {
    const history = createHistory();
    history.add(0, [], { letters: 0, stuck, problems: [] });
    expect(history.alerts().map(({ summary }) => summary)).toEqual(summaries);
    history.add(5_000, [], { letters: 0, stuck: 0, problems: [] });
    expect(history.alerts()).toEqual([]);
  });

  it('are silent while all is well and after the cause has gone', () => {
    expect(firing({ metrics: () => healthy }, 1_800)).toEqual([]);
    const mended = {
      metrics: (s: number) => (s < 300 ? healthy.replace('relay_active 1', 'relay_active 0') : healthy),
    };
    expect(firing(mended, 295)).toEqual(['StoreRelayInactive']);
    expect(firing(mended, 300)).toEqual([]);
  });
});
