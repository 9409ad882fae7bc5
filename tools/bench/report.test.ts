import { isMissed, type Row, report } from './report.ts';

const row = (name: string, result: number | null, limits: Partial<Row> = {}): Row => ({
  name,
  measured: '',
  result,
  ...limits,
});
const cellsOf = (table: string, name: string) =>
  table
    .split('\n')
    .find((line) => line.startsWith(`| ${name} `))
    ?.split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

it('shows each row beside the one of the same name, and the change', () => {
  const now = [row('A', 8, { unit: 'ms', atMost: 10 }), row('B', 300)];
  const table = report(now, [row('B', 200), row('A', 10, { unit: 'ms' })]);
  expect(cellsOf(table, 'A')).toEqual(['A', '', '8.00 ms', 'at most 10 ms', 'pass', '10.00 ms', '-20 %']);
  expect(cellsOf(table, 'B')).toEqual(['B', '', '300', '', '', '200', '+50 %']);
});

it.each<[string, Row[]]>([
  ['was not measured', []],
  ['failed', [row('A', null)]],
])('shows no change since a run in which the row %s', (_case, earlier) => {
  expect(cellsOf(report([row('A', 8)], earlier), 'A')).toEqual(['A', '', '8.00', '', '', '', '']);
});

it('shows nothing of an earlier run unless there is one', () => {
  expect(report([row('A', 8)])).not.toContain('Earlier');
});

it('a measurement without a result has missed its limit, a row without a limit never', () => {
  for (const result of [null, NaN]) expect(isMissed(row('failed', result, { atMost: 0 }))).toBe(true);
  expect(isMissed(row('slower than before', 1e9))).toBe(false);
});
