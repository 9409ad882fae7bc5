import { backoff, inTime, sleep, within } from './time.ts';

const never = new Promise<never>(() => {});

it('sleep ends with the signal, at once if it is already aborted', async () => {
  const stopping = new AbortController();
  const slept = sleep(60_000, stopping.signal);
  stopping.abort();
  await slept;
  await sleep(60_000, stopping.signal);
});

it.each([
  [1, 100],
  [2, 200],
  [5, 1_600],
  [6, 2_000],
  [5_000, 2_000],
])('backoff after %i failures is at most %i ms, and at least half of that', (failures, ms) => {
  for (let n = 0; n < 100; n++) {
    const pause = backoff(failures, { firstMs: 100, maxMs: 2_000 });
    expect(pause).toBeGreaterThanOrEqual(ms / 2);
    expect(pause).toBeLessThanOrEqual(ms);
  }
});

describe('within', () => {
  it('returns the outcome of the promise', async () => {
    expect(await within(60_000, Promise.resolve('done'))).toBe('done');
    await expect(within(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('returns the late outcome after its time', async () => {
    expect(await within(1, never)).toBeUndefined();
    expect(await within(1, never, () => 'late')).toBe('late');
    const late = () => {
      throw new Error('too late');
    };
    await expect(within(1, never, late)).rejects.toThrow('too late');
  });

  it('ignores a failure that comes later', async () => {
    const failing = sleep(20).then(() => Promise.reject(new Error('broken')));
    await within(1, failing);
    await sleep(40);
  });
});

describe('inTime', () => {
  const late = () => new Error('too late');

  it('returns the outcome of the work, and never aborts its signal afterwards', async () => {
    const signals: AbortSignal[] = [];
    const work = async (signal: AbortSignal) => {
      signals.push(signal);
      return 'done';
    };
    expect(await inTime(20, work, late)).toBe('done');
    await expect(inTime(20, () => Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
    await sleep(40);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('aborts the signal after its time, with the error that it throws', async () => {
    const reasons: unknown[] = [];
    const hang = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return never;
    };
    await expect(inTime(1, hang, late)).rejects.toThrow('too late');
    expect(reasons).toEqual([late()]);
  });
});
