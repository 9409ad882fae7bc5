import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFairQueue } from './fair-queue.ts';

/** A queue with one slot. `done` shows the order of the work. */
function testQueue(waiting = 40) {
  const queue = createFairQueue({ concurrency: 1, waiting, refusal: () => new Error('overloaded') });
  const done: string[] = [];
  const refused: string[] = [];
  const first = Promise.withResolvers<void>();
  const add = (name: string, ...keys: string[]) => {
    queue.run(keys, async () => done.push(name)).catch(() => refused.push(name));
  };
  queue.run(['nobody'], () => first.promise);
  return {
    add,
    refused,
    async finish() {
      first.resolve();
      for (let n = 0; n < 200; n += 1) await setImmediate();
      return done;
    },
  };
}

it('takes one piece of work of each client in turn, the earlier first', async () => {
  const { add, finish } = testQueue();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) add(name, name.slice(0, 1));
  expect(await finish()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

it('serves a newcomer before clients that have more than one waiting', async () => {
  const { add, finish } = testQueue();
  for (const client of ['a', 'b', 'c', 'd'])
    for (let n = 0; n < 10; n += 1) add(`${client}${n}`, client, `${client}${n}@example.com`);
  add('victim', 'v', 'victim@example.com');
  expect((await finish()).indexOf('victim')).toBeLessThanOrEqual(4);
});

it('takes one piece of work of each account in turn even if many clients name it', async () => {
  const { add, finish } = testQueue();
  for (let n = 0; n < 39; n += 1) add(`guess ${n}`, `client ${n}`, 'attacked');
  add('victim', 'v', 'other');
  expect((await finish()).indexOf('victim')).toBeLessThanOrEqual(1);
});

it('does not make an account wait for the client that named it', async () => {
  const { add, finish } = testQueue();
  for (let n = 0; n < 30; n += 1) add(`a${n}`, 'a', `${n}`);
  add('guess', 'a', 'victim');
  add('victim', 'v', 'victim');
  expect((await finish()).indexOf('victim')).toBeLessThanOrEqual(2);
});

it('refuses the client with the most waiting when it is full, not a newcomer', async () => {
  const { add, finish, refused } = testQueue(6);
  for (let n = 0; n < 8; n += 1) add(`a${n}`, 'a');
  add('b', 'b');
  add('c', 'c');
  const done = await finish();
  expect(done).toEqual(['a0', 'b', 'c', 'a1', 'a2', 'a3']);
  expect(refused).toEqual(['a6', 'a7', 'a5', 'a4']);
});

it('refuses work that has waited too long, and continues with the rest', async () => {
  const now = mock.method(performance, 'now', () => 0);
  try {
    const queue = createFairQueue({ concurrency: 1, waiting: 9, maxWaitMs: 2_000, refusal: () => new Error('late') });
    const first = Promise.withResolvers<void>();
    queue.run(['a'], () => first.promise);
    const late = ['a', 'b'].map((key) => queue.run([key], async () => 'done').catch(({ message }) => message));
    now.mock.mockImplementation(() => 2_001);
    const next = queue.run(['c'], async () => 'done');
    first.resolve();
    expect(await Promise.all([...late, next])).toEqual(['late', 'late', 'done']);
  } finally {
    now.mock.restore();
  }
});

describe('places of one key', () => {
  /** Adds work under the first letter of its name as the key. It runs until `end` is called. */
  function heldQueue(options: Partial<Parameters<typeof createFairQueue>[0]>) {
    const queue = createFairQueue({
      concurrency: 3,
      spare: 1,
      waiting: 40,
      refusal: () => new Error('overloaded'),
      ...options,
    });
    const started: string[] = [];
    const ends: Record<string, () => void> = {};
    return {
      started: () => started.splice(0),
      add(name: string): void {
        const end = Promise.withResolvers<void>();
        ends[name] = end.resolve;
        queue.run([name.slice(0, 1)], async () => {
          started.push(name);
          await end.promise;
        });
      },
      /** @returns the work that starts as a result */
      async end(name: string): Promise<string[]> {
        ends[name]?.();
        await setImmediate();
        return started.splice(0);
      },
    };
  }

  it('leave the spare places to keys that have nothing running', async () => {
    const { add, started, end } = heldQueue({});
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) add(name);
    expect(started()).toEqual(['a1', 'a2', 'b1']);
    expect(await end('b1')).toEqual(['b2']);
    expect(await end('a1')).toEqual(['c1']);
    expect(await end('b2')).toEqual([]);
    expect(await end('c1')).toEqual(['a3']);
  });

  it('shrink to one while its work is slow, and recover after 10 s', async () => {
    let now = 0;
    const clock = mock.method(performance, 'now', () => now);
    try {
      const { add, started, end } = heldQueue({ concurrency: 4, slowMs: 20 });
      for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']) add(name);
      expect(started()).toEqual(['a1', 'a2', 'a3']);
      now = 21;
      expect(await end('a1')).toEqual([]);
      add('b1');
      add('b2');
      expect(started()).toEqual(['b1']);
      expect(await end('a2')).toEqual(['b2']);
      expect(await end('a3')).toEqual(['a4']);
      add('a8');
      expect(started()).toEqual([]);
      now = 41;
      expect(await end('a4')).toEqual(['a5']);
      now = 10_021;
      expect(await end('b1')).toEqual(['a6']);
      expect(await end('b2')).toEqual(['a7']);
    } finally {
      clock.mock.restore();
    }
  });
});

it('continues after work that fails', async () => {
  const queue = createFairQueue({ concurrency: 1, waiting: 1, refusal: () => new Error('overloaded') });
  const failing = queue.run(['a'], () => Promise.reject(new Error('broken')));
  const next = queue.run(['a'], async () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
  expect(await queue.run(['a'], async () => 'again')).toBe('again');
});
