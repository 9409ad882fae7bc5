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
function startOffsets(failures: number) {
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

type Started = ReturnType<typeof startOffsets>;

it.each<[string, number, (offsets: Started) => unknown, string[]]>([
  [
    'the offsets of several partitions and topics at once',
    0,
    ({ done }) => {
      for (const [partition, offset] of [
        [0, '7'],
        [1, '3'],
        [0, '8'],
      ] as const)
        done(partition, offset);
      done(0, '3', 'others');
    },
    ['0:9,1:4,others 0:4'],
  ],
  ['again what was not committed, although no further message comes', 2, ({ done }) => done(0, '7'), ['0:8']],
  [
    'the newest offset, if messages are finished during a failed commit',
    1,
    async ({ done }) => {
      done(0, '7');
      await clock.tickAsync(200);
      done(0, '8');
    },
    ['0:9'],
  ],
  [
    'nothing again that another member has after a rebalance',
    1,
    async ({ done, clear }) => {
      done(0, '7');
      await clock.tickAsync(200);
      clear();
    },
    [],
  ],
  [
    'once more at the end, and not after that',
    1,
    ({ done, end }) => {
      done(0, '7');
      return end();
    },
    [],
  ],
])('commits %s', async (_, failures, work, taken) => {
  const offsets = startOffsets(failures);
  await work(offsets);
  await clock.tickAsync(10_000);
  expect(offsets.taken).toEqual(taken);
});
