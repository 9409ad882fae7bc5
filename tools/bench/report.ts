import { markdownTable } from 'markdown-table';

/** A figure and the limit that it has to keep. */
export interface Row {
  name: string;
  /** The measurements behind the result. */
  measured: string;
  result?: number;
  /** The unit of the result, for example `MiB`; a ratio has none. */
  unit?: string;
  atLeast?: number;
  atMost?: number;
}

/** True if a figure breaks its limit. NaN, the result of a failed measurement, always does. */
export function isMissed({ result, atLeast = -Infinity, atMost = Infinity }: Row): boolean {
  return result !== undefined && !(result >= atLeast && result <= atMost);
}

/** A row of an earlier run; its result is null where the measurement failed. */
export type EarlierRow = Pick<Row, 'name' | 'unit'> & { result?: number | null };

/**
 * All rows as a Markdown table.
 * @param earlier adds the result of the row of the same name, and the change since
 */
export function report(rows: Row[], earlier?: EarlierRow[]): string {
  const header = ['Figure', 'Measured', 'Result', 'Limit', '', ...(earlier ? ['Earlier', 'Change'] : [])];
  const lines = rows.map((row) => {
    const before = earlier?.find(({ name }) => name === row.name);
    const compared = earlier
      ? [formatResult({ ...before, result: before?.result ?? undefined }), formatChange(row, before)]
      : [];
    return [row.name, row.measured, formatResult(row), formatLimit(row), verdict(row), ...compared];
  });
  return markdownTable([header, ...lines]);
}

function formatChange({ result }: Row, before?: EarlierRow): string {
  if (result === undefined || !before?.result) return '';
  const percent = 100 * (result / before.result - 1);
  return Number.isNaN(percent) ? '' : `${percent > 0 ? '+' : ''}${percent.toFixed()} %`;
}

function formatResult({ result, unit = '' }: Pick<Row, 'result' | 'unit'>): string {
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
