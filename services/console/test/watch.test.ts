import { createServices } from '../src/services-client.ts';
import { counting } from '../src/watch/counts.ts';
import { createHistory } from '../src/watch/history.ts';
import { askReplicas, type Replica, samplesIn } from '../src/watch/replicas-client.ts';
import { quantile } from '../src/watch/sample.ts';
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

it('counts what rose between two looks, over replicas and restarts', () => {
  const history = createHistory();
  history.add(0, [replica('a', metrics(100, 50)), replica('b', metrics(7, 1))]);
  expect(history.points()[0]).toMatchObject({ rates: { placed: 0, confirmed: 0 }, p50: null });
  history.add(5_000, [replica('a', metrics(120, 60, 8)), replica('b', metrics(2, 0))]); // b has restarted
  expect(history.points()[1]).toMatchObject({
    rates: { placed: (20 + 2) / 5, confirmed: 10 / 5 },
    p50: 1, // half of them are within the first bucket
    p95: 2.35,
    lag: { 'order-group': 9 }, // the highest of each partition, not the sum over replicas
    outbox: { order: 2.5 },
  });
  history.add(10_000, [replica('c', metrics(1_000, 500))]); // new: what it counted before is not of now
  expect(history.points()[2]?.rates.placed).toBe(0);
  history.add(15_000, [replica('c', '', { state: 'GONE' })]);
  history.add(20_000, [replica('c', metrics(1_010, 500))]);
  expect(history.points()[4]?.rates.placed).toBe(2);
});

it('keeps what services count themselves, with gaps where nobody answers', () => {
  const history = createHistory();
  history.add(0, [], { letters: 3, stuck: 7, problems: [] });
  history.add(5_000, [], { letters: null, stuck: 8, problems: ['The payment service has not answered within 3 s.'] });
  expect(history.points().map(({ letters, stuck }) => [letters, stuck])).toEqual([
    [3, 7],
    [null, 8],
  ]);
  expect(history.problems()).toEqual(['The payment service has not answered within 3 s.']);
});

it('counts open letters over all groups that answer, and stuck orders', async () => {
  const fake = await fakeService((_, path) =>
    path === '/internal/dead-letters/count' ? { group: 'g', open: 2 } : { total: 9, orders: [], next: null },
  );
  const addresses = ['order', 'payment', 'inventory'].map((name) => [name, fake.url] as const);
  const services = createServices(new Map([...addresses, ['invoice', 'http://127.0.0.1:1'] as const]), undefined);
  expect(await counting(services, ['payment', 'inventory', 'invoice'])()).toEqual({
    letters: 4,
    stuck: 9,
    problems: [expect.stringContaining('invoice')],
  });
  await fake.close();
});

it('keeps 15 minutes', () => {
  const history = createHistory();
  for (let look = 0; look < 200; look += 1) history.add(look * 5_000, []);
  expect(history.points()).toHaveLength(180);
});

it('says since when a process has been as it is, and whether it has seen that begin', () => {
  const history = createHistory();
  history.add(0, [replica('a', '')]);
  expect(history.states()).toMatchObject([{ state: 'UP', since: 0, orBefore: true }]);
  history.add(5_000, [replica('a', '', { state: 'DOWN', waitingFor: ['kafka'] })]);
  history.add(10_000, [replica('a', '', { state: 'DOWN', waitingFor: ['database'] })]);
  expect(history.states()).toEqual([
    { service: 'order', address: 'a', state: 'DOWN', waitingFor: ['database'], since: 5_000, orBefore: false },
  ]);
});

it('names what does not answer', async () => {
  const [gone] = await askReplicas('http://127.0.0.1:1', 'http://127.0.0.1:1');
  expect(gone).toEqual({ address: '127.0.0.1:1', state: 'GONE', waitingFor: ['ECONNREFUSED'], samples: [] });
  const [alsoGone] = await askReplicas('http://[::1]:1', 'http://[::1]:1');
  expect(alsoGone).toMatchObject({ address: '[::1]:1', state: 'GONE', waitingFor: [expect.stringMatching(/^E/)] });
  const [unknown] = await askReplicas('http://no.invalid:1', 'http://no.invalid:1');
  expect(unknown).toMatchObject({ state: 'GONE', waitingFor: [expect.stringMatching(/^E/)] });
});

test.each([
  [
    0.5,
    [
      [1, 0],
      [2, 0],
    ],
    undefined,
  ],
  [
    0.5,
    [
      [1, 2],
      [2, 4],
    ],
    1,
  ],
  [
    1,
    [
      [1, 1],
      [Number.POSITIVE_INFINITY, 2],
    ],
    1,
  ],
])('the quantile %d of %j is %d', (share, buckets, expected) => {
  expect(quantile(share, new Map(buckets as [number, number][]))).toBe(expected);
});
