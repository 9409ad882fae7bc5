import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { testApp } from './_app.ts';
import { add, clear } from './_records.ts';

const path = '/api/v1/status/';
const status = useDatabase('status').open(testApp);

beforeEach(() => clear(status.prisma));

const get = (query = '') => request(status.app).get(`${path}${query}`);

describe('invalid query for status records', () => {
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
    ['skip', '?skip=10001'],
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
  ])('returns 400 naming %s for %s', async (name, query) => {
    const { body } = await get(query)
      .expect(400)
      .expect('Content-Type', /^application\/problem\+json/);
    expect(body).toMatchObject({ status: 400, instance: path, type: 'urn:problem:store:validation' });
    expect(body.errors).toEqual([{ path: `query.${name}`, message: expect.stringMatching(/^(must|is) /) }]);
  });

  it('returns 400 naming every invalid parameter', async () => {
    const { body } = await get('?limit=0&cursor=x&station_id=y').expect(400);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([
      'query.limit',
      'query.cursor',
      'query.station_id',
    ]);
  });

  it('does not include unknown parameters, which are ignored', async () => {
    await get('?colour=red&limit=5').expect(200);
  });
});

test('station status allows only GET and HEAD, on its two paths', async () => {
  await add(status.prisma, { time: '2026-01-01T00:00:00Z' });
  const { text } = await request(status.app).head(path).expect(200);
  expect(text ?? '').toBe('');
  await request(status.app).post(path).send({}).expect(405).expect('Allow', 'GET, HEAD');
  await request(status.app).get('/api/v1/status//').expect(404);
  await request(status.app).get('/api/v1/status/1').expect(404);
  await request(status.app).get('/API/v1/status').expect(404);
});
