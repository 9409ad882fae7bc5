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

/** Commits of a client that fails the first ones. */
function commits({ failures = 0 } = {}) {
  const taken: string[] = [];
  let remaining = failures;
  const commit = async (offsets?: { topics: { partitions: { partition: number; offset: string }[] }[] }) => {
    remaining -= 1;
    if (remaining >= 0) throw new Error('The broker is unavailable');
    const partitions = offsets?.topics.flatMap((topic) => topic.partitions) ?? [];
    taken.push(partitions.map(({ partition, offset }) => `${partition}:${offset}`).join());
  };
  return { taken, commit };
}

it('commits the offsets of several partitions at once', async () => {
  const { taken, commit } = commits();
  const offsets = createOffsets('events', log);
  for (const [partition, offset] of [
    [0, '7'],
    [1, '3'],
    [0, '8'],
  ] as const)
    offsets.done(partition, offset, commit);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(taken).toEqual(['0:9,1:4']);
});

it('commits again what was not committed, although no further message comes', async () => {
  const { taken, commit } = commits({ failures: 2 });
  const offsets = createOffsets('events', log);
  offsets.done(0, '7', commit);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(taken).toEqual(['0:8']);
});

it('commits the newest offset, if messages are finished during a failed commit', async () => {
  const { taken, commit } = commits({ failures: 1 });
  const offsets = createOffsets('events', log);
  offsets.done(0, '7', commit);
  await jest.advanceTimersByTimeAsync(200);
  offsets.done(0, '8', commit);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(taken).toEqual(['0:9']);
});

it('does not commit again what another member has after a rebalance', async () => {
  const { taken, commit } = commits({ failures: 1 });
  const offsets = createOffsets('events', log);
  offsets.done(0, '7', commit);
  await jest.advanceTimersByTimeAsync(200);
  offsets.clear();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(taken).toEqual([]);
});

it('commits once more at the end, and not after that', async () => {
  const { taken, commit } = commits({ failures: 1 });
  const offsets = createOffsets('events', log);
  offsets.done(0, '7', commit);
  await offsets.end();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(taken).toEqual([]);
});
