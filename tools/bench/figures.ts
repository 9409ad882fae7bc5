import { markdownTable } from 'markdown-table';
import figures from './figures.json' with { type: 'json' };

/** A figure and its limit. */
export interface Row {
  name: string;
  measured: string;
  /** NaN if the measurement failed. */
  result: number;
  /** The unit of the result, for example `MiB`; a ratio has none. */
  unit?: string;
  atLeast?: number;
  atMost?: number;
}

/**
 * Names, units and limits are in figures.json.
 * @param of replaces the `*` in the name, for a figure that several things have
 */
export function figure(key: keyof typeof figures, result: number, measured: string, of: string | number = ''): Row {
  const { name, ...limits }: Omit<Row, 'measured' | 'result'> = figures[key];
  return { name: name.replace('*', String(of)), measured, result, ...limits };
}

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
