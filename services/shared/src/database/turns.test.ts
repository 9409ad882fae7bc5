import { deferred } from '../../../../tests/kit/deferred.ts';
import { createTurns } from './turns.ts';

let now = 0;
let started: string[];
let ends: Map<string, () => void>;
let inTurn: ReturnType<typeof createTurns>;

beforeEach(() => {
  now = 0;
  started = [];
  ends = new Map();
  inTurn = createTurns(2, () => now);
});

/** Named by its account and a number. */
function begin(name: string): Promise<string> {
  return inTurn(name.slice(0, 1), async () => {
    started.push(name);
    const { promise, resolve } = deferred();
    ends.set(name, resolve);
    await promise;
    return name;
  });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function end(name: string): Promise<void> {
  ends.get(name)?.();
  await settled();
}

test('as many pieces of work run at once as there may be', async () => {
  const first = begin('a1');
  begin('a2');
  begin('a3');
  await settled();
  expect(started).toEqual(['a1', 'a2']);
  await end('a1');
  expect(await first).toBe('a1');
  expect(started).toEqual(['a1', 'a2', 'a3']);
});

test('accounts take turns, each in the order of its own requests', async () => {
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) begin(name);
  await settled();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
});

test('work that fails makes room for the next', async () => {
  const failing = inTurn('a', () => Promise.reject(new Error('failed')));
  await expect(failing).rejects.toThrow('failed');
  for (const name of ['a1', 'a2']) begin(name);
  await settled();
  expect(started).toEqual(['a1', 'a2']);
});

test('what has waited for more than 2 s is given up with 503, and the next one that has not is begun', async () => {
  for (const name of ['a1', 'a2']) begin(name);
  const late = ['a3', 'b1'].map((name) => begin(name).catch(({ kind, code }) => ({ kind, code })));
  await settled();
  now = 2_001;
  begin('c1');
  await settled();
  await end('a1');
  expect(await Promise.all(late)).toEqual(Array(2).fill({ kind: 'unavailable', code: 'overloaded' }));
  expect(started).toEqual(['a1', 'a2', 'c1']);
  await end('a2');
  await end('c1');
  for (const name of ['a6', 'a7', 'a8']) begin(name);
  await settled();
  expect(started).toEqual(['a1', 'a2', 'c1', 'a6', 'a7']);
});
