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

/** Offsets of a client whose first `failures` commits fail, and the offsets that it has committed after a while. */
function startOffsets({ failures = 0 } = {}) {
  const taken: string[] = [];
  const offsets = createOffsets(log);
  let remaining = failures;
  const commit: Parameters<typeof offsets.done>[2] = async (given) => {
    remaining -= 1;
    if (remaining >= 0) throw new Error('The broker is unavailable');
    const places = given?.topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => `${topic} ${partition}:${offset}`),
    );
    taken.push(places?.join() ?? '');
  };
  return {
    ...offsets,
    done: (partition: number, offset: string, topic = 'events') => offsets.done({ topic, partition }, offset, commit),
    async committed() {
      await clock.tickAsync(10_000);
      return taken;
    },
  };
}

it('commits the offsets of several partitions and topics at once', async () => {
  const { done, committed } = startOffsets();
  done(0, '7');
  done(1, '3');
  done(0, '8');
  done(0, '3', 'others');
  expect(await committed()).toEqual(['events 0:9,events 1:4,others 0:4']);
});

it('retries a failed commit even if no further message comes', async () => {
  const { done, committed } = startOffsets({ failures: 2 });
  done(0, '7');
  expect(await committed()).toEqual(['events 0:8']);
});

it('commits the newest offset if messages are finished after a failed commit', async () => {
  const { done, committed } = startOffsets({ failures: 1 });
  done(0, '7');
  await clock.tickAsync(200);
  done(0, '8');
  expect(await committed()).toEqual(['events 0:9']);
});

it('does not retry a commit after a rebalance, when another member may own the partition', async () => {
  const { done, clear, committed } = startOffsets({ failures: 1 });
  done(0, '7');
  await clock.tickAsync(200);
  clear();
  expect(await committed()).toEqual([]);
});

it('tries one commit at the end, and none after it', async () => {
  const { done, end, committed } = startOffsets({ failures: 1 });
  done(0, '7');
  await end();
  expect(await committed()).toEqual([]);
});
