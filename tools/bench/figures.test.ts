import { isMissed, type Row, report } from './figures.ts';

const row = (result: number, limits: Partial<Row> = {}): Row => ({ name: 'A', measured: 'b', result, ...limits });

it.each<[Row, boolean]>([
  [row(8, { atMost: 10 }), false],
  [row(12, { atMost: 10 }), true],
  [row(0.3, { atLeast: 0.4 }), true],
  [row(NaN, { atMost: 0 }), true],
  [row(1e9), false],
])('judges whether the limit is missed by %j: %s', (given, expected) => {
  expect(isMissed(given)).toBe(expected);
});

it('shows each figure beside its limit', () => {
  const cells = (given: Row) =>
    report([given])
      .split('\n')
      .at(-1)
      ?.split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  expect(cells(row(8, { unit: 'ms', atMost: 10 }))).toEqual(['A', 'b', '8.00 ms', 'at most 10 ms', 'pass']);
  expect(cells(row(300, { atLeast: 400 }))).toEqual(['A', 'b', '300', 'at least 400', 'MISSED']);
  expect(cells(row(300))).toEqual(['A', 'b', '300', '', '']);
});
