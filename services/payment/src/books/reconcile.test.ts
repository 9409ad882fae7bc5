import fc from 'fast-check';
import { differencesOf, type Movement } from './reconcile.ts';

const period = { from: new Date('2026-03-01T00:00:00Z'), to: new Date('2026-03-02T00:00:00Z') };
const within = new Date('2026-03-01T12:00:00Z');
const before = new Date('2026-02-28T23:59:59.999Z');

const movement = (over: Partial<Movement> = {}): Movement => ({
  id: 'ch_1',
  kind: 'charge',
  subject: 'order 1',
  amount: 1000n,
  currency: 'USD',
  at: within,
  ...over,
});

it('movements that agree differ in nothing, whatever their ids, order and times', () => {
  const refund = movement({ kind: 'refund', amount: -300n });
  const there = [movement(), refund, refund];
  const here = [{ ...refund, id: 'entry' }, { ...movement(), at: before }, refund];
  expect(differencesOf(there, here, period)).toEqual([]);
});

it.each([
  ['missing-here', [movement()], []],
  ['missing-there', [], [movement()]],
  ['different', [movement()], [movement({ amount: 999n })]],
  ['different', [movement()], [movement({ currency: 'EUR' })]],
] as const)('%s', (what, there, here) => {
  expect(differencesOf([...there], [...here], period)).toEqual([
    { what, ...(there[0] && { there: there[0] }), ...(here[0] && { here: here[0] }) },
  ]);
});

it('the same refund once more than in the books is missing there once', () => {
  const refund = movement({ kind: 'refund', amount: -300n });
  expect(differencesOf([refund, refund], [refund], period)).toEqual([{ what: 'missing-here', there: refund }]);
});

it('movements of other orders and kinds do not match', () => {
  const found = differencesOf([movement()], [movement({ subject: 'order 2' }), movement({ kind: 'dispute' })], period);
  expect(found.map(({ what }) => what).toSorted()).toEqual(['missing-here', 'missing-there', 'missing-there']);
});

it('what lies outside the period is not reported: the end belongs to the next one', () => {
  const outside = [movement({ at: before }), movement({ at: period.to, subject: 'order 2' })];
  expect(differencesOf(outside, [], period)).toEqual([]);
  expect(differencesOf([], outside, period)).toEqual([]);
  expect(differencesOf([movement({ at: period.from })], [], period)).toHaveLength(1);
});

it('every movement is in exactly one difference, or matched, for random lists', () => {
  const some = fc.array(
    fc.record({
      kind: fc.constantFrom<Movement['kind']>('charge', 'refund', 'dispute'),
      subject: fc.constantFrom('order 1', 'order 2'),
      amount: fc.bigInt({ min: -3n, max: 3n }),
    }),
    { maxLength: 12 },
  );
  const all = (list: { kind: Movement['kind']; subject: string; amount: bigint }[]) => list.map((one) => movement(one));
  const sum = (list: Movement[]) => list.reduce((total, { amount }) => total + amount, 0n);
  fc.assert(
    fc.property(some, some, (a, b) => {
      const [there, here] = [all(a), all(b)];
      const found = differencesOf(there, here, period);
      const left = (side: 'there' | 'here') => found.flatMap((difference) => difference[side] ?? []);
      // What matched has the same sum on both sides.
      expect(sum(there) - sum(left('there'))).toBe(sum(here) - sum(left('here')));
      expect(there.length - left('there').length).toBe(here.length - left('here').length);
      expect(differencesOf(here, there, period)).toHaveLength(found.length);
    }),
  );
});
