import { pipeline, type Readable } from 'node:stream';
import { cut } from '@store/shared/values/text';
import { CsvError, type InfoCallback, parse } from 'csv-parse';
import { type CsvRow, csvRow } from './schemas.ts';

export const columns = Object.keys(csvRow.shape) as (keyof CsvRow)[];
const required = ['station_id', 'time'];

/** A fault in a file. The message is a sentence that names the line. */
export class CsvProblem extends Error {}

/**
 * Reads status records from CSV. The header names the columns in any order. Memory does not grow with the file.
 * @throws CsvProblem
 */
export async function* csvRows(input: Readable): AsyncGenerator<CsvRow> {
  let header: string[] | undefined;
  const parser = parse({
    bom: true,
    info: true,
    trim: true,
    skip_empty_lines: true,
    max_record_size: 100_000,
    columns(names: string[]) {
      header = checkedHeader(names);
      return header;
    },
  });
  // The loop throws the errors of input and parser.
  pipeline(input, parser, () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: unknown; info: InfoCallback }>) {
      const result = csvRow.safeParse(record);
      if (!result.success) {
        const issues = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
        throw new CsvProblem(`Line ${info.lines}: ${issues.join('; ')}.`);
      }
      yield result.data;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const hint = error.code === 'CSV_MAX_RECORD_SIZE' ? ' Look for a quote that is never closed.' : '';
    throw new CsvProblem(`${error.message}.${hint}`, { cause: error });
  }
  if (header === undefined) throw new CsvProblem(`The file is empty. ${expected}`);
}

const expected = `Line 1 must name the columns, separated by commas: ${columns.join(', ')}. Only ${required.join(' and ')} are required.`;

function checkedHeader(names: string[]): string[] {
  const found = [
    ...required.filter((name) => !names.includes(name)).map((name) => `has no column ${name}`),
    ...names
      .filter((name) => !columns.some((column) => column === name))
      .map((name) => `has an unknown column "${name}"`),
    ...names.filter((name, index) => names.indexOf(name) < index).map((name) => `names the column "${name}" twice`),
  ];
  if (found.length === 0) return names;
  throw new CsvProblem(`The header ${cut(found.join(', '), 500)}. ${expected}`);
}
