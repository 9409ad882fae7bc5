import { pipeline } from 'node:stream/promises';
import { createClient } from '@store/shared/database/connection';
import { from as copyFrom } from 'pg-copy-streams';
import { columns } from './csv-rows.ts';
import type { CsvRow } from './schemas.ts';

interface Import {
  databaseUrl: string;
  rows: AsyncIterable<CsvRow>;
  /** Delete all existing records first. */
  replace: boolean;
  onProgress?: (rowsRead: number) => void;
}

/** Adds records with COPY: all or none, and all visible at once. @returns their number */
export async function importStatuses({ databaseUrl, rows, replace, onProgress }: Import): Promise<number> {
  const client = createClient({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // a lost connection fails the query in flight
  await client.connect();
  try {
    await client.query('begin');
    // TRUNCATE would block readers until the end.
    if (replace) await client.query('delete from station_status');
    const copy = client.query(copyFrom(`copy station_status (${columns.join(', ')}) from stdin (format csv)`));
    await pipeline(copyLines(rows, onProgress), copy);
    await client.query('commit');
    // Now rather than by a later autovacuum, so that the first query finds current statistics and no dead rows.
    await client.query('vacuum (analyze) station_status').catch(() => undefined);
    return copy.rowCount;
  } finally {
    await client.end(); // an open transaction is rolled back
  }
}

async function* copyLines(rows: AsyncIterable<CsvRow>, onProgress: Import['onProgress']) {
  let lines = '';
  let count = 0;
  for await (const row of rows) {
    lines += `${columns.map((column) => csvField(row[column])).join(',')}\n`;
    count += 1;
    if (count % 1000 !== 0) continue;
    yield lines;
    lines = '';
    onProgress?.(count);
  }
  yield lines;
}

const csvField = (value: string | number | null) =>
  typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : (value ?? '');
