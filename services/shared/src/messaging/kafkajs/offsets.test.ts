import { type Clock, install } from '@sinonjs/fake-timers';
import { createLog } from '../../observability/log.ts';
import { createOffsets } from './offsets.ts';

const log = createLog('test', 'silent');
let clock: Clock;

beforeEach(() => {
  clock = install();
});
afterEach(() => {
  clock.uninstall();
});

/** Offsets of a client whose first commits fail, and what it has committed. */
function startOffsets({ failures = 0 } = {}) {
  const taken: string[] = [];
  const offsets = createOffsets(log);
  let remaining = failures;
  const commit: Parameters<typeof offsets.done>[2] = async (given) => {
    remaining -= 1;
    if (remaining >= 0) throw new Error('The broker is unavailable');
    const places = given?.topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => `${topic === 'events' ? '' : `${topic} `}${partition}:${offset}`),
    );
    taken.push(places?.join() ?? '');
  };
  const done = (partition: number, offset: string, topic = 'events') =>
    offsets.done({ topic, partition }, offset, commit);
  return { ...offsets, done, taken };
}

it('commits the offsets of several partitions and topics at once', async () => {
  const offsets = startOffsets();
  offsets.done(0, '7');
  offsets.done(1, '3');
  offsets.done(0, '8');
  offsets.done(0, '3', 'others');
  await clock.tickAsync(1_000);
  expect(offsets.taken).toEqual(['0:9,1:4,others 0:4']);
});

it('commits again what was not committed, although no further message comes', async () => {
  const offsets = startOffsets({ failures: 2 });
  offsets.done(0, '7');
  await clock.tickAsync(10_000);
  expect(offsets.taken).toEqual(['0:8']);
});

it('commits the newest offset, if messages are finished during a failed commit', async () => {
  const offsets = startOffsets({ failures: 1 });
  offsets.done(0, '7');
  await clock.tickAsync(200);
  offsets.done(0, '8');
  await clock.tickAsync(10_000);
  expect(offsets.taken).toEqual(['0:9']);
});

it('does not commit again what another member has after a rebalance', async () => {
  const offsets = startOffsets({ failures: 1 });
  offsets.done(0, '7');
  await clock.tickAsync(200);
  offsets.clear();
  await clock.tickAsync(10_000);
  expect(offsets.taken).toEqual([]);
});

it('commits once more at the end, and not after that', async () => {
  const offsets = startOffsets({ failures: 1 });
  offsets.done(0, '7');
  await offsets.end();
  await clock.tickAsync(10_000);
  expect(offsets.taken).toEqual([]);
});
