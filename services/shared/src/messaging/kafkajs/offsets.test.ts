import { jest } from '@jest/globals';
import { createLog } from '../../observability/log.ts';
import { createOffsets } from './offsets.ts';

const log = createLog('test', 'silent');

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Offsets of a client whose first commits fail, and what it has committed. */
function startOffsets({ failures = 0 } = {}) {
  const taken: string[] = [];
  const offsets = createOffsets('events', log);
  let remaining = failures;
  const commit = async (given?: { topics: { partitions: { partition: number; offset: string }[] }[] }) => {
    remaining -= 1;
    if (remaining >= 0) throw new Error('The broker is unavailable');
    const partitions = given?.topics.flatMap((topic) => topic.partitions) ?? [];
    taken.push(partitions.map(({ partition, offset }) => `${partition}:${offset}`).join());
  };
  const done = (partition: number, offset: string) => offsets.done(partition, offset, commit);
  return { ...offsets, done, taken };
}

it('commits the offsets of several partitions at once', async () => {
  const offsets = startOffsets();
  offsets.done(0, '7');
  offsets.done(1, '3');
  offsets.done(0, '8');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(offsets.taken).toEqual(['0:9,1:4']);
});

it('commits again what was not committed, although no further message comes', async () => {
  const offsets = startOffsets({ failures: 2 });
  offsets.done(0, '7');
  await jest.advanceTimersByTimeAsync(10_000);
  expect(offsets.taken).toEqual(['0:8']);
});

it('commits the newest offset, if messages are finished during a failed commit', async () => {
  const offsets = startOffsets({ failures: 1 });
  offsets.done(0, '7');
  await jest.advanceTimersByTimeAsync(200);
  offsets.done(0, '8');
  await jest.advanceTimersByTimeAsync(10_000);
  expect(offsets.taken).toEqual(['0:9']);
});

it('does not commit again what another member has after a rebalance', async () => {
  const offsets = startOffsets({ failures: 1 });
  offsets.done(0, '7');
  await jest.advanceTimersByTimeAsync(200);
  offsets.clear();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(offsets.taken).toEqual([]);
});

it('commits once more at the end, and not after that', async () => {
  const offsets = startOffsets({ failures: 1 });
  offsets.done(0, '7');
  await offsets.end();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(offsets.taken).toEqual([]);
});
