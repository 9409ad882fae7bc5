import { randomUUID } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import { until } from '../../../../../tests/kit/until.ts';
import { createLog } from '../../observability/log.ts';
import type { OrderEvent } from '../events.ts';
import type { Outcome } from './process.ts';
import { createSharedChunks } from './shared-chunks.ts';

const anEvent = () => ({ id: randomUUID() }) as OrderEvent;
const events = (count: number) => Array.from({ length: count }, anEvent);

/** Shared chunks whose processing a test can delay or fail, and the events of each call. */
function startChunks({ chunkSize = 100 } = {}) {
  const calls: OrderEvent[][] = [];
  const fake = { accept: async (_events: OrderEvent[]): Promise<void> => undefined };
  const process = async (chunk: OrderEvent[]) => {
    calls.push(chunk);
    await fake.accept(chunk);
    return chunk.map((): Outcome => ({ result: 'processed' }));
  };
  const together = createSharedChunks({ chunkSize, process, log: createLog('test', 'silent') });
  const lost = new AbortController();
  const submit = (part: OrderEvent[], signal: AbortSignal = new AbortController().signal) =>
    together(part, signal).then((outcomes) => part.every((event) => outcomes.has(event)));
  return { calls, fake, lost, submit };
}

it('shares a chunk among the partitions of a fetch, in order', async () => {
  const { calls, submit } = startChunks();
  const parts = [events(3), events(1), events(2)];
  expect(await Promise.all(parts.map((part) => submit(part)))).toEqual([true, true, true]);
  expect(calls).toEqual([parts.flat()]);
});

it('gathers events that arrive during a chunk for the next', async () => {
  const { calls, fake, submit } = startChunks();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  fake.accept = () => released;
  const parts = [events(2), events(2), events(2)] as const;
  const first = submit(parts[0]);
  await until('the first chunk is in flight', () => calls.length === 1);
  const others = [submit(parts[1]), submit(parts[2])];
  release();
  await Promise.all([first, ...others]);
  expect(calls).toEqual([parts[0], [...parts[1], ...parts[2]]]);
});

it('begins a full chunk at once, and never a larger one', async () => {
  const { calls, fake, submit } = startChunks({ chunkSize: 4 });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  fake.accept = () => released;
  const all = [events(3), events(3), events(1), events(2)].map((part) => submit(part));
  await immediate();
  expect(calls).toHaveLength(2);
  release();
  await Promise.all(all);
  expect(calls.map((chunk) => chunk.length)).toEqual([3, 4, 2]);
});

it('begins the next chunk although one hangs', async () => {
  const { calls, fake, submit } = startChunks();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  fake.accept = () => (calls.length === 1 ? released : Promise.resolve());
  const hanging = submit(events(2));
  await until('the first chunk is in flight', () => calls.length === 1);
  expect(await submit(events(2))).toBe(true);
  release();
  expect(await hanging).toBe(true);
});

it('leaves a single event, and the events of a failed chunk, to be handled alone', async () => {
  const { calls, fake, submit } = startChunks();
  expect(await submit(events(1))).toBe(false);
  expect(calls).toEqual([]);
  fake.accept = () => Promise.reject(new Error('broken'));
  const parts = [events(2), events(1)];
  expect(await Promise.all(parts.map((part) => submit(part)))).toEqual([false, false]);
  expect(calls).toEqual([parts.flat()]);
});

it('does not begin the events of a partition that was lost while they waited', async () => {
  const { calls, fake, lost, submit } = startChunks();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  fake.accept = () => released;
  const first = submit(events(2));
  await until('the first chunk is in flight', () => calls.length === 1);
  const others = [submit(events(2), lost.signal), submit(events(2))];
  lost.abort();
  release();
  expect(await Promise.all([first, ...others])).toEqual([true, false, true]);
  expect(calls.map((chunk) => chunk.length)).toEqual([2, 2]);
});
