import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { rules } from '../src/watch/alerts.ts';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { samplesIn } from '../src/watch/replicas-client.ts';

const secondsOf = (duration = '0s') => Number.parseInt(duration, 10) * (duration.endsWith('m') ? 60 : 1);

it('has the names, severities and delays of the rules that the chart ships', async () => {
  const file = new URL('../../../charts/store/files/alerts/store.yaml', import.meta.url);
  const shipped = parse(await readFile(file, 'utf8')).groups[0].rules as {
    alert: string;
    labels: { severity: string };
    for?: string;
  }[];
  const expected = shipped
    .filter(({ alert }) => alert !== 'StoreSlow') // of the gateway's metrics
    .map(({ alert, labels, for: delay }) => [alert, labels.severity, secondsOf(delay)]);
  expect(rules.map(({ name, severity, forSeconds }) => [name, severity, forSeconds]).sort()).toEqual(expected.sort());
});

const healthy = `consumer_lag_messages{group="g",partition="0"} 0
consumer_group_member{group="g"} 1
outbox_relay_active 1
outbox_oldest_unsent_seconds 0
`;
type State = 'UP' | 'GONE';
interface Story {
  /** As it is at that second. */
  metrics: (second: number) => string;
  state?: State;
}

/** @returns the names of the alerts that fire at that second, looking every five */
function firing({ metrics, state = 'UP' }: Story, until: number): string[] {
  const history = createHistory();
  for (let second = 0; second <= until; second += everyMs / 1_000) {
    history.add(second * 1_000, [
      { service: 'order', address: 'a', state, waitingFor: [], samples: samplesIn(metrics(second)) },
    ]);
  }
  return history.alerts().map(({ name }) => name);
}

const lagging = (lag: number, more: (second: number) => string = () => '') => ({
  metrics: (second: number) => healthy.replace(/(partition="0"}) 0/, `$1 ${lag}`) + more(second),
});
const from20 = (metric: string) => ({
  metrics: (second: number) => `${healthy}${metric} ${second < 20 ? 0 : 2}\n`,
});

it.each<[string, Story, string, number]>([
  ['nobody answers', { metrics: () => '', state: 'GONE' }, 'StoreComponentUnavailable', 120],
  [
    'ended sessions are accepted',
    { metrics: (s) => `${healthy}auth_stale_checks_total ${s}\n` },
    'StoreSessionsStale',
    125,
  ],
  ['letters are open', from20('dead_letters_open{group="g"}'), 'StoreDeadLetters', 20],
  ['orders time out', from20('orders_timed_out_total'), 'StoreOrdersTimedOut', 20],
  [
    'a group is far behind',
    lagging(1_001, (s) => `consumer_messages_total{group="g",result="processed"} ${s}\n`),
    'StoreConsumerLag',
    600,
  ],
  ['a group handles nothing', lagging(1), 'StoreConsumerStuck', 1_200],
  [
    'a process has left',
    { metrics: () => healthy.replace('member{group="g"} 1', 'member{group="g"} 0') },
    'StoreConsumerNotInGroup',
    180,
  ],
  ['Kafka does not answer', { metrics: () => healthy.replace(/consumer_lag.*/, '') }, 'StoreLagUnknown', 300],
  ['an outbox is old', { metrics: () => healthy.replace('seconds 0', 'seconds 61') }, 'StoreOutboxAge', 60],
  [
    'nobody publishes',
    { metrics: () => healthy.replace('relay_active 1', 'relay_active 0') },
    'StoreRelayInactive',
    120,
  ],
])('where %s, %3$s fires when it is due and not before', (_, story, name, at) => {
  expect(firing(story, at - 5)).not.toContain(name);
  expect(firing(story, at)).toContain(name);
});

it('is quiet while all is well, and once the cause has gone', () => {
  expect(firing({ metrics: () => healthy }, 1_800)).toEqual([]);
  const mended = { metrics: (s: number) => (s < 300 ? healthy.replace('relay_active 1', 'relay_active 0') : healthy) };
  expect(firing(mended, 295)).toEqual(['StoreRelayInactive']);
  expect(firing(mended, 300)).toEqual([]);
});
