import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { sql } from '@store/shared/database/sql';
import { execa } from 'execa';
import { useFolder } from '../../../tests/kit/folder.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { CsvProblem, csvRows } from '../src/csv-rows.ts';
import { importStatuses } from '../src/status-import-repository.ts';
import { testApp } from './_app.ts';

const database = useDatabase('status');
const status = database.open(testApp);
const dir = useFolder();

beforeEach(() => status.clear());

/** Runs the command as a user does. */
const run = (args: string[], { url = database.url, input = '' } = {}) =>
  execa(
    process.execPath,
    ['-C', '@store/source', fileURLToPath(new URL('../src/import.ts', import.meta.url)), ...args],
    { input, env: { DATABASE_URL: url, NODE_OPTIONS: '' }, reject: false },
  );

async function importText(content: string, ...options: string[]) {
  const file = join(dir, 'in.csv');
  await writeFile(file, content);
  return run([...options, file]);
}

const stored = () =>
  status.run(sql`
    select station_id, bikes_available, docks_available, category1, category2,
           to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time
    from station_status order by id`);

const empty = { bikes_available: null, docks_available: null, category1: null, category2: null };

describe('the import of CSV', () => {
  it('stores all columns in any order, with microseconds', async () => {
    const { stdout, exitCode } = await importText(
      'category2,time,docks_available,station_id,category1,bikes_available\n' +
        'b,2026-01-01T00:00:00.000001Z,2,7,a,1\n' +
        ',2026-01-01 02:00:00.5+02,,-8,,\n',
    );
    expect([stdout, exitCode]).toEqual(['2 rows imported', 0]);
    const counts = { bikes_available: 1, docks_available: 2 };
    expect(await stored()).toEqual([
      { ...counts, station_id: 7, category1: 'a', category2: 'b', time: '2026-01-01T00:00:00.000001Z' },
      { ...empty, station_id: -8, time: '2026-01-01T00:00:00.500000Z' },
    ]);
  });

  it('handles quotes, a BOM, CRLF, empty lines and white space, and stores null for missing columns', async () => {
    const { exitCode } = await importText(
      '\ufefftime, station_id ,category1\r\n' +
        '2026-01-01T00:00:00Z,1,"a ""b"", \\.\nü"\r\n' +
        '\r\n' +
        '"2026-01-01T00:00:01Z", 2 ,"\\N"',
    );
    expect(exitCode).toBe(0);
    expect(await stored()).toEqual([
      { ...empty, station_id: 1, time: '2026-01-01T00:00:00.000000Z', category1: 'a "b", \\.\nü' },
      { ...empty, station_id: 2, time: '2026-01-01T00:00:01.000000Z', category1: '\\N' },
    ]);
  });

  const csv = 'station_id,time\n1,2026-01-01T00:00:00Z\n';

  it('reads standard input, and creates the tables of an empty database', async () => {
    await status.run(sql`drop table station_status, _prisma_migrations`);
    const { stdout } = await run(['-'], { input: csv });
    expect(stdout).toBe('1 rows imported');
    expect(await stored()).toHaveLength(1);
  });

  it('appends to existing records, or replaces them with --replace', async () => {
    await importText(csv);
    await importText(csv);
    expect(await stored()).toHaveLength(2);
    await importText(csv, '--replace');
    expect(await stored()).toHaveLength(1);
  });

  const validCsv = 'station_id,time,bikes_available,category1\n1,2026-01-01T00:00:00Z,1,a\n';

  it.each([
    ['an empty file', '', /is empty\. Line 1 must name the columns/],
    ['no header', '1,2026-01-01T00:00:00Z\n', /no column station_id, has no column time/],
    ['a missing column', 'station_id,when\n', /no column time, has an unknown column "when"/],
    ['a duplicate column', 'station_id,time,time\n', /names the column "time" twice/],
    ['a time without zone', `${validCsv}2,2026-01-01T00:00:00,,\n`, /Line 3: time must be a time with a zone/],
    ['no station', `${validCsv},2026-01-01T00:00:00Z,,\n`, /Line 3: station_id must be a whole number/],
    [
      'a station out of range',
      `${validCsv}2147483648,2026-01-01T00:00:00Z,,\n`,
      /Line 3: station_id must be -2147483648 to/,
    ],
    [
      'an invalid line after quoted line breaks',
      `${validCsv}2,2026-01-01T00:00:00Z,,"a\n\nb"\n3,x,,\n`,
      /Line 6: time must be/,
    ],
    ['too few fields', `${validCsv}2,2026-01-01T00:00:00Z\n`, /columns length is 4, got 2 on line 3/],
    ['an unclosed quote', `${validCsv}2,2026-01-01T00:00:00Z,,"a\n`, /Quote Not Closed.* line \d/],
    [
      'an unclosed quote that swallows the rest of the file',
      `${validCsv}2,2026-01-01T00:00:00Z,,"a\n${'2,2026-01-01T00:00:00Z,,b\n'.repeat(5000)}`,
      /Look for a quote that is never closed/,
    ],
    [
      'another encoding',
      Buffer.from(`${validCsv}2,2026-01-01T00:00:00Z,,\u00e4\n`, 'latin1'),
      /Line 3: category1 is not UTF-8/,
    ],
  ])('rejects %s, names the line, and changes nothing', async (_, content, message) => {
    await status.add({ time: '2025-01-01T00:00:00Z', station: 42 });
    // Calls the function, because starting the command for each case would take too long.
    const rows = csvRows(Readable.from([Buffer.from(content)]));
    const attempt = importStatuses({ databaseUrl: database.url, rows, replace: true });
    await expect(attempt).rejects.toBeInstanceOf(CsvProblem);
    await expect(attempt).rejects.toThrow(message);
    expect(await stored()).toEqual([{ ...empty, station_id: 42, time: '2025-01-01T00:00:00.000000Z' }]);
  });

  it('changes nothing and exits with 1 if the last of many rows is invalid', async () => {
    await status.add({ time: '2025-01-01T00:00:00Z', station: 42 });
    const rows = Array.from({ length: 5000 }, (_, n) => `${n},2026-01-01T00:00:00Z\n`);
    const content = `station_id,time\n${rows.join('')}x,2026-01-01T00:00:00Z\n`;
    const { stderr, stdout, exitCode } = await importText(content, '--replace');
    expect(stderr).toMatch(/in\.csv: Line 5002: station_id must be a whole number\.\nNothing was imported\.$/);
    expect([stdout, exitCode]).toEqual(['', 1]);
    expect(await stored()).toMatchObject([{ station_id: 42 }]);
  });

  it.each([
    ['no file', [], {}, /missing required argument 'file'/],
    ['a missing file', ['/nowhere.csv'], {}, /no such file or directory, open '\/nowhere\.csv'/],
    ['no DATABASE_URL', ['-'], { url: '' }, /DATABASE_URL is not set/],
    ['an unavailable database', ['-'], { url: unreachableDatabaseUrl }, /database .* cannot be used: .*ECONNREFUSED/],
  ])('explains %s without a stack trace', async (_, args, options, message) => {
    const { stderr, exitCode } = await run(args, options);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('--help describes columns, options and exit codes', async () => {
    const { stdout, exitCode } = await run(['--help']);
    expect(exitCode).toBe(0);
    for (const word of ['station_id', 'category2', 'DATABASE_URL', '--replace', 'Exit code'])
      expect(stdout).toContain(word);
  });
});
