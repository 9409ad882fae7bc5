import { mock } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { loop } from './loop.ts';

const loops: { stop(): Promise<void> }[] = [];
const log = { warn: () => undefined };
afterEach(() => Promise.all(loops.splice(0).map(({ stop }) => stop())));

function start(work: () => Promise<unknown>, options: { delayMs?: number; everyMs?: number } = {}) {
  const started = loop({ name: 'test', ...options }, work).start(log);
  loops.push(started);
  return started;
}

/** Resolves with the `count`-th round. */
function rounds(count: number, work: (round: number) => unknown, everyMs?: number) {
  let made = 0;
  return new Promise<void>((resolve) => {
    start(
      async () => {
        made += 1;
        if (made === count) resolve();
        return work(made);
      },
      { everyMs },
    );
  });
}

describe('loop', () => {
  it('repeats at once while there is more to do, and later checks again', async () => {
    // With a pause after each round, this would exceed the test's time-out.
    await rounds(200, (round) => round < 200);
    await rounds(2, () => false);
  });

  it('continues after a failure', async () => {
    await rounds(2, (round) => {
      if (round === 1) throw new Error('unavailable');
    });
  });

  it('begins a round when woken during a pause or another round', async () => {
    const made: number[] = [];
    const second = new Promise<void>((resolve) => {
      const woken = start(
        async () => {
          made.push(made.length + 1);
          if (made.length === 2) woken.wake();
          if (made.length === 3) resolve();
        },
        { everyMs: 3_600_000 },
      );
      setTimeout(woken.wake, 20);
    });
    await second;
    expect(made).toEqual([1, 2, 3]);
  });

  it.each([
    ['its delay', { delayMs: 3_600_000 }, 0],
    ['a pause', { everyMs: 3_600_000 }, 1],
  ])('stops at once during %s', async (_, options, rounds) => {
    const work = mock.fn(async () => undefined);
    const { stop } = start(work, options);
    await immediate();
    await stop();
    expect(work.mock.callCount()).toBe(rounds);
  });

  it('stops after the round in flight', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let isDone = false;
    const started = start(async () => {
      await released;
      isDone = true;
      return true;
    });
    const stopped = started.stop();
    release();
    await stopped;
    expect(isDone).toBe(true);
  });
});
