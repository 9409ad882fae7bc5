import { createServices } from '../src/services-client.ts';
import { createHistory } from '../src/watch/history.ts';
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
