import { readFileSync } from 'node:fs';
import { sql } from '@store/shared/database/sql';
import request from 'supertest';
import { nextLink } from '../../../tests/kit/http.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { path, testApp } from './_app.ts';

const status = useDatabase('status').open(testApp);

beforeEach(() => status.clear());

/** The names (category1) of the returned records. */
async function names(query: string): Promise<string[]> {
  const { body } = await status.get(query).expect(200);
  return body.map(({ category1 }: { category1: string }) => category1);
}

describe('GET /api/v1/status/', () => {
  it('returns the documented fields with microseconds', async () => {
    expect((await status.get().expect(200)).text).toBe('[]');
    const categories = { category1: 'ü "q" \\ \n', category2: 'b' };
    await status.add(
      { time: '2026-01-01T00:00:00.000001Z', station: 7, bikes: 3, docks: 0, ...categories },
      { time: '2026-01-01T02:00:00.123+01:00', station: 8 },
    );
    const empty = { bikes_available: null, docks_available: null, category1: null, category2: null };
    const { body, text, headers } = await status.get().expect('Content-Type', /^application\/json/);
    expect(body).toStrictEqual([
      { station_id: 7, bikes_available: 3, docks_available: 0, time: '2026-01-01T00:00:00.000001Z', ...categories },
      { ...empty, station_id: 8, time: '2026-01-01T01:00:00.123000Z' },
    ]);
    expect(text).toBe(JSON.stringify(body));
    for (const name of ['link', 'deprecation', 'sunset']) expect(headers).not.toHaveProperty(name);
  });

  it('returns the same records without the last slash, and links to the path without it', async () => {
    await status.add({ time: '2026-01-01T00:00:00Z' }, { time: '2026-01-01T00:00:01Z' });
    const { body, headers } = await request(status.app).get('/api/v1/status?limit=1').expect(200);
    expect(body).toEqual((await status.get('?limit=1')).body);
    expect(headers.link).toMatch(/^<\/api\/v1\/status\?/);
  });

  it('sorts records by time, then station, then row', async () => {
    const [early, late] = ['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000002Z'];
    await status.add(
      { time: late, station: 1, category1: 'e' },
      { time: early, station: 2, category1: 'b' },
      { time: early, station: 10, category1: 'd' },
      { time: early, station: 2, category1: 'c' },
      { time: early, station: -5, category1: 'a' },
    );
    expect(await names('')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('limits a page to 100 records, and to 1000 at most', async () => {
    await status.run(sql`
      insert into station_status (station_id, time)
      select n, '2026-01-01Z'::timestamptz from generate_series(1, 1001) n`);
    expect((await status.get()).body).toHaveLength(100);
    expect((await status.get('?limit=1')).body).toHaveLength(1);
    expect((await status.get('?limit=1000')).body).toHaveLength(1000);
  });

  it('filters records by station_id, alone and together with a cursor', async () => {
    await status.add(
      { time: '2026-01-01T00:00:00Z', station: 5, category1: 'a' },
      { time: '2026-01-01T00:00:01Z', station: 6 },
      { time: '2026-01-01T00:00:02Z', station: 5, category1: 'b' },
      { time: '2026-01-01T00:00:03Z', station: -5, category1: 'c' },
    );
    expect(await names('?station_id=5')).toEqual(['a', 'b']);
    expect(await names('?station_id=5&cursor=2026-01-01T00:00:00Z')).toEqual(['b']);
    expect(await names('?station_id=-5')).toEqual(['c']);
    expect(await names('?station_id=2147483647')).toEqual([]);
  });

  it('allows only GET and HEAD, on its two paths', async () => {
    await status.add({ time: '2026-01-01T00:00:00Z' });
    const { text } = await request(status.app).head(path).expect(200);
    expect(text ?? '').toBe('');
    for (const method of ['post', 'put', 'patch', 'delete'] as const)
      await request(status.app)[method](path).send({}).expect(405).expect('Allow', 'GET, HEAD');
    expect(await names('')).toHaveLength(1);
    await request(status.app).get('/api/v1/status//').expect(404);
    await request(status.app).get('/api/v1/status/1').expect(404);
    await request(status.app).get('/API/v1/status').expect(404);
  });
});

describe('cursor of status records', () => {
  it.each([
    ['00.000000Z', ['a', 'b', 'b2', 'c']],
    ['00.0000019Z', ['b', 'b2', 'c']],
    ['00.000002Z', ['c']],
    ['00.000003Z', []],
  ])('returns only records that are later than …%s, to the microsecond', async (second, later) => {
    const records = Object.entries({ a: 1, b: 2, b2: 2, c: 3 });
    const at = (micros: number) => `2026-01-01T00:00:00.00000${micros}Z`;
    await status.add(...records.map(([category1, micros]) => ({ time: at(micros), category1 })));
    expect(await names(`?cursor=2026-01-01T00:00:${second}`)).toEqual(later);
  });

  it('skips the rest of a tie if the page ended within it (contract 4.8)', async () => {
    const [time, later] = ['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000002Z'];
    await status.add({ time }, { time, category1: 'skipped' }, { time: later, category1: 'b' });
    const [first] = (await status.get('?limit=1')).body;
    expect(await names(`?limit=1&cursor=${first.time}`)).toEqual(['b']);
  });

  it.each([
    '2026-01-01T00:00:00Z',
    '2026-01-01T02:00:00+02:00',
    '2026-01-01T02:00:00%2002:00',
    '2026-01-01+02:00:00+02',
  ])('accepts %s as midnight UTC', async (cursor) => {
    await status.add(
      { time: '2026-01-01T00:00:00Z', category1: 'a' },
      { time: '2026-01-01T00:00:00.000001Z', category1: 'b' },
    );
    expect(await names(`?cursor=${cursor}`)).toEqual(['b']);
  });
});

describe('skip of status records', () => {
  beforeEach(() =>
    status.add(...['a', 'b', 'c', 'd'].map((category1, n) => ({ time: `2026-01-01T00:00:0${n}Z`, category1 }))),
  );

  it('skips records and is announced as deprecated with Deprecation and Sunset', async () => {
    const { headers, body } = await status.get('?skip=1&limit=2').expect(200);
    expect(body).toMatchObject([{ category1: 'b' }, { category1: 'c' }]);
    const since = Number(/^@(\d+)$/.exec(headers.deprecation ?? '')?.[1]) * 1000;
    const until = Date.parse(headers.sunset ?? '');
    expect(headers.sunset).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    expect(until).toBeGreaterThan(since);
    const releases = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8').matchAll(
      /^## \[[\d.]+\] - (.+)$/gm,
    );
    const [, first = ''] = [...releases].at(-1) ?? [];
    expect(since).toBeGreaterThanOrEqual(Date.parse(first));
    const next = nextLink(headers.link) ?? '';
    expect(next).not.toContain('skip');
    expect((await request(status.app).get(next)).body).toMatchObject([{ category1: 'd' }]);
  });

  it('counts after the cursor and within the station', async () => {
    expect(await names('?skip=1&cursor=2026-01-01T00:00:00Z')).toEqual(['c', 'd']);
    expect(await names('?skip=3&station_id=1')).toEqual(['d']);
    expect(await names('?skip=0')).toEqual(['a', 'b', 'c', 'd']);
    expect(await names('?skip=10000')).toEqual([]);
  });
});
