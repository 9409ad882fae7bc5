import { seededRandom } from '../../kit/random.ts';
import { findViolation, type Model, type Operation } from './_linearizability.ts';

type Action = { write: number } | { read: number } | { add: number };

/** A register that is also a counter. */
const register: Model<number, Action> = {
  initial: 0,
  isRead: (action) => 'read' in action,
  next(value, action) {
    if ('write' in action) return [action.write];
    if ('add' in action) return [value + action.add];
    return action.read === value ? [value] : [];
  },
};

const at = (invokedAt: number, respondedAt: number, action: Action): Operation<Action> => ({
  action,
  invokedAt,
  respondedAt,
});
const never = Number.POSITIVE_INFINITY;
const isLinearizable = (history: Operation<Action>[]) => findViolation(register, history) === undefined;

test('operations that follow one another take effect in that order', () => {
  expect(isLinearizable([at(0, 1, { write: 1 }), at(2, 3, { read: 1 })])).toBe(true);
  expect(isLinearizable([at(0, 1, { write: 1 }), at(2, 3, { read: 0 })])).toBe(false);
});

test('concurrent operations take effect in any order, but in the same one for all who look', () => {
  const writes = [at(0, 9, { write: 1 }), at(0, 9, { write: 2 })];
  expect(isLinearizable([...writes, at(10, 11, { read: 1 }), at(12, 13, { read: 1 })])).toBe(true);
  expect(isLinearizable([...writes, at(10, 11, { read: 2 }), at(12, 13, { read: 2 })])).toBe(true);
  expect(isLinearizable([...writes, at(10, 11, { read: 1 }), at(12, 13, { read: 2 })])).toBe(false);
});

test('a value that was seen once cannot disappear again', () => {
  const write = at(0, 9, { write: 1 });
  expect(isLinearizable([write, at(1, 2, { read: 0 }), at(3, 4, { read: 1 })])).toBe(true);
  expect(isLinearizable([write, at(1, 2, { read: 1 }), at(3, 4, { read: 0 })])).toBe(false);
});

test('operations that touch at one instant count as concurrent', () => {
  expect(isLinearizable([at(0, 5, { write: 1 }), at(5, 6, { read: 0 })])).toBe(true);
  expect(isLinearizable([at(0, 4, { write: 1 }), at(5, 6, { read: 0 })])).toBe(false);
});

test('an operation of unknown outcome may take effect late, once or never, but not before it was invoked', () => {
  const unknown = at(5, never, { add: 1 });
  expect(isLinearizable([unknown, at(6, 7, { read: 0 }), at(8, 9, { read: 0 })])).toBe(true);
  expect(isLinearizable([unknown, at(6, 7, { read: 0 }), at(8, 9, { read: 1 })])).toBe(true);
  expect(isLinearizable([unknown, at(6, 7, { read: 2 })])).toBe(false);
  expect(isLinearizable([unknown, at(1, 2, { read: 1 })])).toBe(false);
});

test('operations of a sequence take effect in the order of the history, however their times overlap', () => {
  const writes = [1, 2].map((value) => ({ ...at(0, 9, { write: value }), sequence: 'writes' }));
  expect(isLinearizable([...writes, at(10, 11, { read: 2 })])).toBe(true);
  expect(isLinearizable([...writes, at(10, 11, { read: 1 })])).toBe(false);
  expect(isLinearizable([at(0, 9, { write: 1 }), ...writes, at(10, 11, { read: 1 })])).toBe(true);
});

test('200 overlapping operations of a sequence, and as many reads, are decided in few steps', () => {
  const adds = Array.from({ length: 200 }, (_, n) => ({ ...at(0, 10_000, { add: 1 + (n % 5) }), sequence: 'adds' }));
  const reads = (offset: number) =>
    Array.from({ length: 40 }, (_, n) => at(2 * n, 2 * n + 1, { read: 15 * n + (n > 30 ? offset : 0) }));
  expect(isLinearizable([...adds, ...reads(0)])).toBe(true);
  expect(isLinearizable([...adds, ...reads(2)])).toBe(false);
});

test('the violation names the operation that nothing explains and what leads up to it', () => {
  const [write, read, wrong] = [at(0, 1, { write: 1 }), at(2, 3, { read: 1 }), at(4, 5, { read: 7 })];
  expect(findViolation(register, [wrong, read, write])).toEqual({
    explained: [write, read],
    state: 1,
    inexplicable: [wrong],
  });
});

test('300 concurrent equal operations are decided in few steps', () => {
  const adds = Array.from({ length: 300 }, (_, n) => at(0, 10_000 + n, { add: 1 }));
  const reads = (step: number) => Array.from({ length: 100 }, (_, n) => at(2 * n, 2 * n + 1, { read: step * n }));
  expect(isLinearizable([...adds, ...reads(3)])).toBe(true);
  expect(isLinearizable([...adds, ...reads(4)])).toBe(false);
});

/** All orders of the definite operations, with any of the others. */
function isLinearizableByTrial(history: Operation<Action>[], value = register.initial): boolean {
  if (history.every(({ respondedAt }) => respondedAt === never)) return true;
  return history.some((first) => {
    const rest = history.filter((other) => other !== first);
    if (rest.some(({ respondedAt }) => respondedAt < first.invokedAt)) return false;
    const sequence = history.filter((other) => first.sequence !== undefined && other.sequence === first.sequence);
    if (sequence.length > 0 && sequence[0] !== first) return false;
    return register.next(value, first.action).some((next) => isLinearizableByTrial(rest, next));
  });
}

test('it decides as trying out all orders does, for 5,000 random histories', () => {
  const random = seededRandom(13);
  const decisions = { true: 0, false: 0 };
  for (let n = 0; n < 5_000; n += 1) {
    const history = Array.from({ length: 2 + random(5) }, () => {
      const [invokedAt, value] = [random(12), random(3)];
      const action = [{ write: value }, { read: value }, { read: value }, { add: 1 }][random(4)] as Action;
      if (random(5) === 0 && !('read' in action)) return at(invokedAt, never, action);
      const operation = at(invokedAt, invokedAt + random(8), action);
      return random(3) === 0 ? { ...operation, sequence: `${random(2)}` } : operation;
    });
    const expected = isLinearizableByTrial(history);
    decisions[`${expected}`] += 1;
    if (isLinearizable(history) !== expected) throw new Error(`Not ${expected}: ${JSON.stringify(history)}`);
  }
  expect(Math.min(decisions.true, decisions.false)).toBeGreaterThan(1_000);
});
