import { markdownTable } from 'markdown-table';

/** A figure and the limit that it has to keep. */
export interface Row {
  name: string;
  /** The measurements behind the result. */
  measured: string;
  result?: number;
  /** Of the result, for example `MiB`; a ratio has none. */
  unit?: string;
  atLeast?: number;
  atMost?: number;
}

/** Whether a figure breaks its limit. NaN, the result of a failed measurement, always does. */
export function isMissed({ result, atLeast = -Infinity, atMost = Infinity }: Row): boolean {
  return result !== undefined && !(result >= atLeast && result <= atMost);
}

/** All rows as a Markdown table. */
export function report(rows: Row[]): string {
  const lines = rows.map((row) => [row.name, row.measured, formatResult(row), formatLimit(row), verdict(row)]);
  return markdownTable([['Figure', 'Measured', 'Result', 'Limit', ''], ...lines]);
}

function formatResult({ result, unit = '' }: Row): string {
  if (result === undefined) return '';
  return `${result >= 100 ? result.toFixed() : result.toFixed(2)} ${unit}`.trim();
}

function formatLimit({ atLeast, atMost, unit = '' }: Row): string {
  if (atLeast !== undefined) return `at least ${atLeast} ${unit}`.trim();
  return atMost === undefined ? '' : `at most ${atMost} ${unit}`.trim();
}

function verdict(row: Row): string {
  if (row.atLeast === undefined && row.atMost === undefined) return '';
  return isMissed(row) ? 'MISSED' : 'pass';
}
