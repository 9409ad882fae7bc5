import { open } from 'node:fs/promises';
import { databaseConfig } from '@store/shared/database/config';
import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { migrate } from '@store/shared/database/migrate';
import { ConfigError, readConfig } from '@store/shared/values/environment';
import { messageOf } from '@store/shared/values/errors';
import { Command } from 'commander';
import { z } from 'zod';
import { CsvProblem, columns, csvRows } from './csv-rows.ts';
import { importStatuses } from './status-import-repository.ts';

const configSchema = z.object(databaseConfig);

const command = new Command('import')
  .description('Adds station status records from CSV to the database of the status service: all of them or none.')
  .argument('<file>', 'CSV file in UTF-8, or - for standard input')
  .option('--replace', 'delete all existing records first', false)
  .addHelpText(
    'after',
    `
The first line names the columns, in any order: ${columns.join(', ')}.
Only station_id and time are required. An empty field is null. A time needs a zone: 2026-01-31T09:30:00.123456Z

Environment:
  DATABASE_URL  postgresql://role:password@host:port/database, whose tables are created if missing, or file:///path of a file that holds it

Exit code: 0 if all records were imported, 1 if nothing was changed.`,
  )
  .action(run);

async function run(file: string, { replace }: { replace: boolean }): Promise<void> {
  const { DATABASE_URL } = readConfig(configSchema, process.env);
  const input = file === '-' ? process.stdin : (await open(file)).createReadStream();
  await migrate(DATABASE_URL, new URL('../prisma/migrations/', import.meta.url), ({ migration }) =>
    process.stderr.write(`Waiting for other transactions to release the tables of migration ${migration}\n`),
  );
  let rowsRead = 0;
  const progress = setInterval(() => process.stderr.write(`${rowsRead} rows read\n`), 1000);
  try {
    const count = await importStatuses({
      databaseUrl: DATABASE_URL,
      rows: csvRows(input),
      replace,
      onProgress: (rows) => {
        rowsRead = rows;
      },
    });
    console.log(`${count} rows imported`);
  } finally {
    clearInterval(progress);
  }
}

/** Explains errors that the user can fix. Other errors keep their message. */
function explain(error: unknown, file: string): string {
  if (error instanceof CsvProblem) return `${file}: ${error.message}`;
  if (error instanceof ConfigError) return error.message;
  if (isDatabaseUnavailable(error)) return `The database of DATABASE_URL cannot be used: ${messageOf(error)}`;
  return messageOf(error);
}

try {
  await command.parseAsync();
} catch (error) {
  process.stderr.write(`${explain(error, command.args[0] ?? '')}\nNothing was imported.\n`);
  process.exit(1);
}
