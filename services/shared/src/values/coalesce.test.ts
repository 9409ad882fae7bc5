import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../../tests/kit/until.ts';
import { coalesce } from './coalesce.ts';

/** Work whose runs end when the test ends them. Each returns its number. */
function heldWork() {
  const runs: { end(): void }[] = [];
  const call = coalesce((_: string[]) => {
    const number = runs.length;
    return new Promise<number>((resolve) => {
      runs.push({ end: () => resolve(number) });
    });
  });
  return { runs, call };
}

// The tests of the product client check that calls share a run that begins after each of them.
describe('coalesce', () => {
  it('starts the next run although the current one hangs', async () => {
    const { runs, call } = heldWork();
    const stuck = call('a');
    await wait();
    const later = call('b');
    await until('the next run has begun', () => runs.length === 2);
    runs[1]?.end();
    expect(await later).toBe(1);
    runs[0]?.end();
    expect(await stuck).toBe(0);
  });

  it.each(['rejects', 'throws'])('fails only the calls of a run that %s', async (how) => {
    let runs = 0;
    const call = coalesce((items: number[]) => {
      runs += 1;
      if (runs > 1) return Promise.resolve(items);
      if (how === 'throws') throw new Error('broken');
      return Promise.reject(new Error('broken'));
    });
    const [first, second] = [call(1), call(2)];
    await expect(first).rejects.toThrow('broken');
    await expect(second).rejects.toThrow('broken');
    expect(await call(3)).toEqual([3]);
  });

  it('waits for calls to gather, and begins no run before they have', async () => {
    const runs: number[][] = [];
    const call = coalesce(async (items: number[]) => void runs.push(items), 100);
    const first = call(1);
    await wait(10);
    const second = call(2);
    expect(runs).toEqual([]);
    await Promise.all([first, second]);
    await call(3);
    expect(runs).toEqual([[1, 2], [3]]);
  });

  it('runs in the trace of the first call', async () => {
    const trace = new AsyncLocalStorage<string>();
    const call = coalesce(async (_: number[]) => trace.getStore());
    const calls = [1, 2].map((n) => trace.run(`trace ${n}`, () => call(n)));
    expect(await Promise.all(calls)).toEqual(['trace 1', 'trace 1']);
    expect(await trace.run('trace 3', () => call(3))).toBe('trace 3');
  });
});
