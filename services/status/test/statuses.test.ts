import request from 'supertest';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { testApp } from './_app.ts';
import { add, clear } from './_records.ts';

const path = '/api/v1/status/';
let database: TestDatabase;
let status: ReturnType<typeof testApp>;

beforeAll(async () => {
  database = await createTestDatabase('status');
  status = testApp(database.url);
});

afterAll(async () => {
  await status.close();
  await database.drop();
});

beforeEach(() => clear(status.prisma));

const get = (query = '') => request(status.app).get(`${path}${query}`);

/** The names (category1) of the records of an answer. */
async function names(query: string): Promise<string[]> {
  const { body } = await get(query).expect(200);
  return body.map(({ category1 }: { category1: string }) => category1);
}

it('answers with the specified fields, the microseconds kept', async () => {
  const categories = { category1: 'ü "q" \\ \n', category2: 'b' };
  await add(
    status.prisma,
    { time: '2026-01-01T00:00:00.000001Z', station: 7, bikes: 3, docks: 0, ...categories },
    { time: '2026-01-01T02:00:00.123+01:00', station: 8 },
  );
  const { body, headers } = await get()
    .expect(200)
    .expect('Content-Type', /^application\/json/);
  expect(body).toStrictEqual([
    { station_id: 7, bikes_available: 3, docks_available: 0, time: '2026-01-01T00:00:00.000001Z', ...categories },
    {
      station_id: 8,
      bikes_available: null,
      docks_available: null,
      time: '2026-01-01T01:00:00.123000Z',
      category1: null,
      category2: null,
    },
  ]);
  expect(headers).not.toHaveProperty('link');
});

it('answers an empty array where there is nothing', async () => {
  expect((await get().expect(200)).text).toBe('[]');
});

it('answers the same without the slash at the end, and says so in its link', async () => {
  await add(status.prisma, { time: '2026-01-01T00:00:00Z' }, { time: '2026-01-01T00:00:01Z' });
  const { body, headers } = await request(status.app).get('/api/v1/status?limit=1').expect(200);
  expect(body).toEqual((await get('?limit=1')).body);
  expect(headers.link).toMatch(/^<\/api\/v1\/status\?/);
});

it('is ordered by time, then station, then row', async () => {
  const [early, late] = ['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000002Z'];
  await add(
    status.prisma,
    { time: late, station: 1, category1: 'e' },
    { time: early, station: 2, category1: 'b' },
    { time: early, station: 10, category1: 'd' },
    { time: early, station: 2, category1: 'c' },
    { time: early, station: -5, category1: 'a' },
  );
  expect(await names('')).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('has 100 records by default, and as many as asked for', async () => {
  await status.prisma.$executeRaw`insert into station_status (station_id, time)
    select n, '2026-01-01Z'::timestamptz from generate_series(1, 1001) n`;
  expect((await get()).body).toHaveLength(100);
  expect((await get('?limit=1')).body).toHaveLength(1);
  expect((await get('?limit=1000')).body).toHaveLength(1000);
});

describe('cursor', () => {
  it('means strictly later, to the microsecond', async () => {
    await add(
      status.prisma,
      { time: '2026-01-01T00:00:00.000001Z', category1: 'a' },
      { time: '2026-01-01T00:00:00.000002Z', category1: 'b' },
      { time: '2026-01-01T00:00:00.000002Z', category1: 'b2' },
      { time: '2026-01-01T00:00:00.000003Z', category1: 'c' },
    );
    expect(await names('?cursor=2026-01-01T00:00:00.000000Z')).toEqual(['a', 'b', 'b2', 'c']);
    expect(await names('?cursor=2026-01-01T00:00:00.000002Z')).toEqual(['c']);
    expect(await names('?cursor=2026-01-01T00:00:00.0000019Z')).toEqual(['b', 'b2', 'c']);
    expect(await names('?cursor=2026-01-01T00:00:00.000003Z')).toEqual([]);
  });

  it('walks by the time of the last record and steps over the rest of a tie, as specified', async () => {
    await add(
      status.prisma,
      { time: '2026-01-01T00:00:00.000001Z', category1: 'a' },
      { time: '2026-01-01T00:00:00.000001Z', category1: 'stepped over' },
      { time: '2026-01-01T00:00:00.000002Z', category1: 'b' },
    );
    const first = (await get('?limit=1')).body[0];
    expect(first).toMatchObject({ category1: 'a' });
    expect(await names(`?limit=1&cursor=${first.time}`)).toEqual(['b']);
  });

  it.each([
    '2026-01-01T00:00:00Z',
    '2026-01-01T02:00:00%2B02:00',
    '2026-01-01T02:00:00+02:00',
    '2026-01-01T02:00:00%2002:00',
    '2026-01-01T02:00:00+0200',
    '2026-01-01+02:00:00+02',
    '2025-12-31T19:00:00.000-05:00',
  ])('takes %s for midnight UTC', async (cursor) => {
    await add(
      status.prisma,
      { time: '2026-01-01T00:00:00Z', category1: 'a' },
      { time: '2026-01-01T00:00:00.000001Z', category1: 'b' },
    );
    expect(await names(`?cursor=${cursor}`)).toEqual(['b']);
  });
});

it('filters by station, together with a cursor', async () => {
  await add(
    status.prisma,
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

describe('skip', () => {
  beforeEach(() =>
    add(status.prisma, ...['a', 'b', 'c', 'd'].map((category1, n) => ({ time: `2026-01-01T00:00:0${n}Z`, category1 }))),
  );

  it('still leaves records out and announces its end', async () => {
    const { headers, body } = await get('?skip=1&limit=2').expect(200);
    expect(body.map(({ category1 }: { category1: string }) => category1)).toEqual(['b', 'c']);
    const since = Number(/^@(\d+)$/.exec(headers.deprecation ?? '')?.[1]) * 1000;
    const until = Date.parse(headers.sunset ?? '');
    expect(headers.sunset).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    expect(until).toBeGreaterThan(since);
  });

  it('announces nothing where it is not used', async () => {
    const { headers } = await get('?limit=2').expect(200);
    expect(headers).not.toHaveProperty('deprecation');
    expect(headers).not.toHaveProperty('sunset');
  });

  it('counts from the cursor, and from the first record of the station', async () => {
    expect(await names('?skip=1&cursor=2026-01-01T00:00:00Z')).toEqual(['c', 'd']);
    expect(await names('?skip=3&station_id=1')).toEqual(['d']);
    expect(await names('?skip=0')).toEqual(['a', 'b', 'c', 'd']);
    expect(await names('?skip=1000000000')).toEqual([]);
  });

  it('leads on to the exact walk', async () => {
    const { headers } = await get('?skip=1&limit=2');
    const next = /^<(.*)>; rel="next"$/.exec(headers.link ?? '')?.[1] ?? '';
    expect(next).not.toContain('skip');
    const { body } = await request(status.app).get(next).expect(200);
    expect(body.map(({ category1 }: { category1: string }) => category1)).toEqual(['d']);
  });
});

describe('a bad request', () => {
  const forged = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
  const order = 'time;station;row';
  const at = '2026-01-01T00:00:00.000000Z';

  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=1001'],
    ['limit', '?limit=-1'],
    ['limit', '?limit=1.5'],
    ['limit', '?limit=1e2'],
    ['limit', '?limit=ten'],
    ['limit', '?limit='],
    ['limit', '?limit=5&limit=6'],
    ['limit', '?limit=99999999999999999999'],
    ['limit', '?limit=%00'],
    ['cursor', '?cursor='],
    ['cursor', '?cursor=yesterday'],
    ['cursor', '?cursor=infinity'],
    ['cursor', '?cursor=2026-01-01T00:00:00'],
    ['cursor', '?cursor=2026-01-01'],
    ['cursor', '?cursor=2026-02-30T00:00:00Z'],
    ['cursor', '?cursor=0000-01-01T00:00:00Z'],
    ['cursor', '?cursor=300000-01-01T00:00:00Z'],
    ['cursor', '?cursor=%2B300000-01-01T00:00:00Z'],
    ['cursor', '?cursor=9999-12-31T23:59:59-05:00'],
    ['cursor', '?cursor=2026-01-01T00:00:00Z%00'],
    ['cursor', '?cursor=2026-01-01T00:00:00Z&cursor=2026-01-02T00:00:00Z'],
    ['station_id', '?station_id='],
    ['station_id', '?station_id=x'],
    ['station_id', '?station_id=1.0'],
    ['station_id', '?station_id=2147483648'],
    ['station_id', '?station_id=-2147483649'],
    ['station_id', '?station_id=99999999999999999999'],
    ['station_id', '?station_id=1&station_id=2'],
    ['skip', '?skip=-1'],
    ['skip', '?skip='],
    ['skip', '?skip=1000000001'],
    ['skip', '?skip=99999999999999999999'],
    ['skip', '?skip=1&skip=2'],
    ['after', '?after='],
    ['after', '?after=x'],
    ['after', '?after=a&after=b'],
    ['after', `?after=${forged('createdAt,asc', at, '1', '1')}`],
    ['after', `?after=${forged(order, at, '1')}`],
    ['after', `?after=${forged(order, '9999-99-99T99:99:99.000000Z', '1', '1')}`],
    ['after', `?after=${forged(order, '2026-01-01T00:00:00', '1', '1')}`],
    ['after', `?after=${forged(order, at, '2147483648', '1')}`],
    ['after', `?after=${forged(order, at, '1', '9999999999999999999')}`],
    ['after', `?after=${forged(order, at, '1', "1') or true --")}`],
    ['after', `?after=${forged(order, at, 1, 1)}`],
  ])('names %s in %s', async (name, query) => {
    const { body } = await get(query)
      .expect(400)
      .expect('Content-Type', /^application\/problem\+json/);
    expect(body).toMatchObject({ status: 400, instance: path, type: 'urn:problem:store:validation' });
    expect(body.errors).toEqual([{ path: `query.${name}`, message: expect.stringMatching(/^(must|is) /) }]);
  });

  it('names every parameter that is wrong', async () => {
    const { body } = await get('?limit=0&cursor=x&station_id=y').expect(400);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([
      'query.limit',
      'query.cursor',
      'query.station_id',
    ]);
  });

  it('may have parameters that nobody knows', async () => {
    await get('?colour=red&limit=5').expect(200);
  });
});

it('takes GET and HEAD only, and just these two paths', async () => {
  await add(status.prisma, { time: '2026-01-01T00:00:00Z' });
  const { text } = await request(status.app).head(path).expect(200);
  expect(text ?? '').toBe('');
  await request(status.app).post(path).send({}).expect(405).expect('Allow', 'GET, HEAD');
  await request(status.app).get('/api/v1/status//').expect(404);
  await request(status.app).get('/api/v1/status/1').expect(404);
  await request(status.app).get('/API/v1/status').expect(404);
});
