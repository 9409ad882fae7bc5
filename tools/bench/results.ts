import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../run-command.ts';
import { machineSchema } from './machine.ts';
import { benchDir } from './measurement.ts';
import { rowSchema } from './report.ts';

const resultsSchema = z.object({
  measuredAt: z.iso.datetime(),
  commit: z.string(),
  machine: machineSchema,
  rows: z.array(rowSchema),
});
/** The JSON that a run of the bench leaves. */
export type Results = z.infer<typeof resultsSchema>;

/** @returns the file */
export async function keepResults(results: Results, folder = join(benchDir, 'results')): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${results.measuredAt.replaceAll(':', '')}.json`);
  await writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);
  return file;
}

/** @throws Error where the file does not hold results of the bench */
export async function readResults(file: string): Promise<Results> {
  try {
    return resultsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : messageOf(cause);
    throw new Error(`${file} does not hold results of make bench: ${reason}`, { cause });
  }
}
