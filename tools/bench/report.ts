import { markdownTable } from 'markdown-table';
import type { Row } from './figures.ts';

/** True if a figure breaks its limit, as NaN always does. */
export const isMissed = ({ result, atLeast = -Infinity, atMost = Infinity }: Row): boolean =>
  !(result >= atLeast && result <= atMost);

export function report(rows: Row[]): string {
  const lines = rows.map((row) => {
    const { name, measured, result, unit = '', atLeast, atMost } = row;
    const limit = atLeast === undefined ? atMost && `at most ${atMost}` : `at least ${atLeast}`;
    const shown = `${result >= 100 ? result.toFixed() : result.toFixed(2)} ${unit}`;
    return [name, measured, shown, limit ? `${limit} ${unit}` : '', isMissed(row) ? 'MISSED' : limit ? 'pass' : ''];
  });
  return markdownTable([['Figure', 'Measured', 'Result', 'Limit', ''], ...lines]);
}
