import { createLog } from '../observability/log.ts';
import { polling } from './polling.ts';

const jobs: { stop(): unknown }[] = [];
afterEach(() => Promise.all(jobs.splice(0).map((job) => job.stop())));

function start(work: (limit: number) => Promise<number>, delayMs?: number) {
  const job = polling({ name: 'test', sentence: 'Done', work, delayMs }).start(createLog('test', 'silent'));
  jobs.push(job);
  return job;
}

/** Resolves with the `count`-th call of the work. */
function calls(count: number, work: (call: number, limit: number) => number) {
  let made = 0;
  return new Promise<void>((resolve) => {
    start(async (limit) => {
      made += 1;
      if (made === count) resolve();
      return work(made, limit);
    });
  });
}

describe('polling', () => {
  it('goes on at once while there is more, and looks again later', async () => {
    // With a pause after each, this would exceed the test's time-out.
    await calls(200, (call, limit) => (call < 200 ? limit : 0));
    await calls(2, () => 0);
  });

  it('continues after a failure', async () => {
    await calls(2, (call) => {
      if (call === 1) throw new Error('unavailable');
      return 0;
    });
  });

  it('stops at once, without having looked, during its delay', async () => {
    let hasLooked = false;
    const job = start(async () => {
      hasLooked = true;
      return 0;
    }, 3_600_000);
    await job.stop();
    expect(hasLooked).toBe(false);
  });

  it('stops after the batch in flight', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isDone = false;
    const job = start(async (limit) => {
      await released;
      isDone = true;
      return limit;
    });
    const stopped = job.stop();
    release();
    await stopped;
    expect(isDone).toBe(true);
  });
});
