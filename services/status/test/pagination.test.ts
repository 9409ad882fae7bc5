import { sql } from '@store/shared/database/sql';
import request from 'supertest';
import { nextLink, paginate } from '../../../tests/kit/http.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { explain, type Plan } from '../../../tests/kit/postgres/plan.ts';
import { recordedStatement } from '../../../tests/kit/postgres/recorded-statement.ts';
import type { StatusQuery } from '../src/schemas.ts';
import { createStatusRepository, cursorOf } from '../src/status-repository.ts';
import { path, testApp } from './_app.ts';

const status = useDatabase('status').open(testApp);

beforeEach(() => status.clear());

/** The names (category1) of all records by page. Calls `afterPage` after each page. */
const pagesOf = async (query: string, afterPage?: (pages: number) => Promise<void>): Promise<string[][]> =>
  (await paginate((url) => request(status.app).get(url), `${path}${query}`, afterPage)).map(namesOf);

/** 24 records with 4 distinct times, so that most pages begin and end within a tie. Their names sort like them. */
const tied = Array.from({ length: 24 }, (_, n) => ({
  time: `2026-01-01T00:00:00.00000${Math.floor(n / 6)}Z`,
  station: Math.floor((n % 6) / 2),
  category1: `r${String(n).padStart(2, '0')}`,
}));
const namesOf = (records: { category1: string }[]) => records.map(({ category1 }) => category1);

/** The plan node that reads the table for a page. */
async function scanOf(query: StatusQuery): Promise<Plan> {
  const statement = await recordedStatement(({ lists }) => createStatusRepository(lists).page(query));
  const nodes = await explain(status, statement);
  const [scan, ...others] = nodes.filter((plan) => plan['Relation Name'] === 'station_status');
  if (scan === undefined || others.length > 0) throw new Error('The plan does not read the table exactly once');
  return scan;
}

describe('pagination of status records', () => {
  it.each([1, 5, 7, 23])('returns every record of a tie exactly once with limit=%i', async (limit) => {
    await status.add(...tied);
    const pages = await pagesOf(`?limit=${limit}`);
    expect(pages.flat()).toEqual(namesOf(tied));
    expect(pages).toHaveLength(Math.ceil(24 / limit));
  });

  it('ends without a Link header after a full last page', async () => {
    await status.add(...tied);
    expect((await pagesOf('?limit=12')).map((page) => page.length)).toEqual([12, 12]);
    expect(await pagesOf('?limit=24')).toHaveLength(1);
  });

  it('continues from a time cursor', async () => {
    await status.add(...tied);
    expect((await pagesOf(`?limit=4&cursor=${tied[0]?.time}`)).flat()).toEqual(namesOf(tied.slice(6)));
  });

  it.each(['?limit=4', '?limit=2&station_id=1'])(
    'returns every record exactly once while others are inserted (%s)',
    async (query) => {
      await status.add(...tied);
      const wanted = namesOf(tied.filter(({ station }) => !query.includes('station') || station === 1));
      const pages = await pagesOf(query, async (page) => {
        if (page > 3) return;
        const others = ['2025-12-31T00:00:00Z', '2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000003Z'];
        await status.add(
          ...others.flatMap((time) => [0, 1, 2].map((station) => ({ time, station, category1: 'new' }))),
        );
      });
      const seen = pages.flat();
      expect(seen.filter((name) => name !== 'new')).toEqual(wanted);
      expect(seen.length).toBeGreaterThan(wanted.length);
    },
  );

  it('accepts a cursor with another station', async () => {
    await status.add(...tied);
    // The cursor is the position after the first record of station 1 at the second time.
    const first = await status.get('?limit=9');
    const after = new URL(nextLink(first.headers.link) ?? '', 'http://localhost').searchParams.get('after');
    for (const station of [0, 1, 2]) {
      const { body } = await status.get(`?station_id=${station}&after=${after}`).expect(200);
      expect(namesOf(body)).toEqual(namesOf(tied.slice(9).filter((record) => record.station === station)));
    }
  });

  it('continues from `after` rather than from `cursor` and `skip`', async () => {
    await status.add(...tied);
    const first = await status.get('?limit=9');
    const next = nextLink(first.headers.link);
    const { body } = await request(status.app).get(`${next}&skip=3&cursor=2026-12-31T00:00:00Z`).expect(200);
    expect(namesOf(body)).toEqual(namesOf(tied.slice(9, 18)));
  });

  // Cursors replace skip because the cost of an offset grows (contract 4.8).
  it('reads no more rows than a page has, at any position', async () => {
    await status.run(sql`
      insert into station_status (station_id, time)
      select n % 20, timestamptz '2026-01-01Z' + n / 20 * interval '1 minute' from generate_series(0, 39999) n`);
    await status.run(sql`analyze station_status`);
    const [last] = await status.run<{ time: string; station: string; row: string }>(sql`
      select to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time, station_id::text as station,
             id::text as row
      from station_status order by time desc, station_id desc, id desc offset 1000 limit 1`);
    const { time: cursor = '', station = '', row = '' } = last ?? {};
    const after = cursorOf([cursor, station, row]);
    for (const query of [
      { limit: 10, after },
      { limit: 10, cursor },
      { limit: 10, after, station_id: 7 },
      { limit: 10, cursor, station_id: 7 },
    ]) {
      const scan = await scanOf(query);
      expect(scan).toMatchObject({ 'Node Type': 'Index Scan', 'Index Cond': expect.stringContaining('"time"') });
      expect(scan).not.toHaveProperty('Filter');
      expect(scan['Actual Rows']).toBe(11);
    }
  });
});
