import { markdownTable } from 'markdown-table';
import { z } from 'zod';

export const rowSchema = z.object({
  name: z.string(),
  /** The measurements behind the result. */
  measured: z.string(),
  /** Null if the measurement failed. */
  result: z.number().nullable().optional(),
  /** The unit of the result, for example `MiB`; a ratio has none. */
  unit: z.string().optional(),
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
});
/** A figure and the limit that it has to keep. */
export type Row = z.infer<typeof rowSchema>;

/** True if a figure breaks its limit. The result of a failed measurement, null or NaN, always does. */
export function isMissed({ result, atLeast = -Infinity, atMost = Infinity }: Row): boolean {
  const value = result ?? NaN;
  return result !== undefined && !(value >= atLeast && value <= atMost);
}

/**
 * All rows as a Markdown table.
 * @param earlier adds the result of the row of the same name, and the change since
 */
export function report(rows: Row[], earlier?: Row[]): string {
  const header = ['Figure', 'Measured', 'Result', 'Limit', '', ...(earlier ? ['Earlier', 'Change'] : [])];
  const lines = rows.map((row) => {
    const before = earlier?.find(({ name }) => name === row.name);
    const compared = earlier ? [formatResult(before), formatChange(row, before)] : [];
    return [row.name, row.measured, formatResult(row), formatLimit(row), verdict(row), ...compared];
  });
  return markdownTable([header, ...lines]);
}

function formatChange({ result }: Row, before?: Row): string {
  if (!result || !before?.result) return '';
  const percent = 100 * (result / before.result - 1);
  return `${percent > 0 ? '+' : ''}${percent.toFixed()} %`;
}

function formatResult({ result, unit = '' }: Partial<Row> = {}): string {
  if (typeof result !== 'number') return '';
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
