/** A line of the table: what was found, and the limit that it has to keep. */
export interface Row {
  what: string;
  /** The figures behind the result. */
  measured: string;
  result?: number;
  /** Of the result, for example `MiB`; a ratio has none. */
  unit?: string;
  atLeast?: number;
  atMost?: number;
}

/** Whether a figure breaks its limit. A figure that could not be had (NaN) does. */
export function isMissed({ result, atLeast = -Infinity, atMost = Infinity }: Row): boolean {
  return result !== undefined && !(result >= atLeast && result <= atMost);
}

export function table(rows: Row[]): string {
  const lines = rows.map((row) => [row.what, row.measured, written(row.result, row.unit), limit(row), verdict(row)]);
  const all = [['', 'measured', 'result', 'limit', ''], ...lines];
  const widths = ['', '', '', '', ''].map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const written = (value: number | undefined, unit = '') =>
  value === undefined ? '' : `${value >= 100 ? value.toFixed() : value.toFixed(2)} ${unit}`.trim();

function limit({ atLeast, atMost, unit }: Row): string {
  if (atLeast !== undefined) return `at least ${atLeast} ${unit ?? ''}`.trim();
  return atMost === undefined ? '' : `at most ${atMost} ${unit ?? ''}`.trim();
}

function verdict(row: Row): string {
  if (row.atLeast === undefined && row.atMost === undefined) return '';
  return isMissed(row) ? 'MISSED' : 'pass';
}
