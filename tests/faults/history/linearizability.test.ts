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
const read = (invokedAt: number, value: number) => at(invokedAt, invokedAt + 1, { read: value });
const write = (value: number) => at(0, 9, { write: value });
const isLinearizable = (history: Operation<Action>[]) => findViolation(register, history) === undefined;

const unknown = at(5, never, { add: 1 });
const inTurn = [1, 2].map((value) => ({ ...write(value), sequence: 'writes' }));
it.each([
  [true, 'a read returns the value written before', [at(0, 1, { write: 1 }), read(2, 1)]],
  [false, 'a read does not return the value written before', [at(0, 1, { write: 1 }), read(2, 0)]],
  [true, 'the first of two concurrent writes takes effect last', [write(1), write(2), read(10, 1), read(12, 1)]],
  [false, 'two readers see concurrent writes in different orders', [write(1), write(2), read(10, 1), read(12, 2)]],
  [true, 'a concurrent write takes effect between two reads', [write(1), read(1, 0), read(3, 1)]],
  [false, 'a value that was seen once disappears again', [write(1), read(1, 1), read(3, 0)]],
  [true, 'operations that meet at one instant are concurrent', [at(0, 5, { write: 1 }), read(5, 0)]],
  [false, 'operations a moment apart are not concurrent', [at(0, 4, { write: 1 }), read(5, 0)]],
  [true, 'an operation of unknown outcome never takes effect', [unknown, read(6, 0), read(8, 0)]],
  [true, 'an operation of unknown outcome takes effect late', [unknown, read(6, 0), read(8, 1)]],
  [false, 'an operation of unknown outcome takes effect twice', [unknown, read(6, 2)]],
  [false, 'an operation of unknown outcome takes effect before it was invoked', [unknown, read(1, 1)]],
  [true, 'a sequence takes effect in the order of the history even if its times overlap', [...inTurn, read(10, 2)]],
  [false, 'a sequence takes effect in another order', [...inTurn, read(10, 1)]],
])('%s: %s', (expected, _, history) => {
  expect(isLinearizable(history)).toBe(expected);
});

it('decides 200 overlapping operations of a sequence, and as many reads, in few steps', () => {
  const adds = Array.from({ length: 200 }, (_, n) => ({ ...at(0, 10_000, { add: 1 + (n % 5) }), sequence: 'adds' }));
  const reads = (offset: number) => Array.from({ length: 40 }, (_, n) => read(2 * n, 15 * n + (n > 30 ? offset : 0)));
  expect(isLinearizable([...adds, ...reads(0)])).toBe(true);
  expect(isLinearizable([...adds, ...reads(2)])).toBe(false);
});

it('decides 300 concurrent equal operations in few steps', () => {
  const adds = Array.from({ length: 300 }, (_, n) => at(0, 10_000 + n, { add: 1 }));
  const reads = (step: number) => Array.from({ length: 100 }, (_, n) => read(2 * n, step * n));
  expect(isLinearizable([...adds, ...reads(3)])).toBe(true);
  expect(isLinearizable([...adds, ...reads(4)])).toBe(false);
});

it('names the inexplicable operation and those that lead up to it', () => {
  const [first, second, wrong] = [at(0, 1, { write: 1 }), read(2, 1), read(4, 7)];
  const violation = { explained: [first, second], state: 1, inexplicable: [wrong] };
  expect(findViolation(register, [wrong, second, first])).toEqual(violation);
});

/** All orders of the definite operations, combined with any of the others. */
function isLinearizableByTrial(history: Operation<Action>[], value = register.initial): boolean {
  if (history.every(({ respondedAt }) => respondedAt === never)) return true;
  return history.some((first) => {
    const rest = history.filter((other) => other !== first);
    if (rest.some(({ respondedAt }) => respondedAt < first.invokedAt)) return false;
    if (first.sequence && history.find(({ sequence }) => sequence === first.sequence) !== first) return false;
    return register.next(value, first.action).some((next) => isLinearizableByTrial(rest, next));
  });
}

it('decides 5,000 random histories as a search of all orders does', () => {
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
