import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { path, testApp } from './_app.ts';

const status = useDatabase('status').open(testApp);

// Tests in shared cover values that are no whole number or no time.
describe('an invalid query', () => {
  const forged = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
  const order = 'time;station;row';
  const at = '2026-01-01T00:00:00.000000Z';

  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=1001'],
    ['cursor', '?cursor=2026-01-01T00:00:00'],
    ['cursor', '?cursor=2026-01-01T00:00:00Z&cursor=2026-01-02T00:00:00Z'],
    ['station_id', '?station_id=2147483648'],
    ['station_id', '?station_id=-2147483649'],
    ['skip', '?skip=10001'],
    ['after', `?after=${forged(order, '9999-99-99T99:99:99.000000Z', '1', '1')}`],
    ['after', `?after=${forged(order, at, '2147483648', '1')}`],
    ['after', `?after=${forged(order, at, '1', '9999999999999999999')}`],
    ['after', `?after=${forged(order, at, '1', "1') or true --")}`],
  ])('returns 400 naming %s for %s', async (name, query) => {
    const { body } = await status
      .get(query)
      .expect(400)
      .expect('Content-Type', /^application\/problem\+json/);
    expect(body).toMatchObject({ status: 400, instance: path, type: 'urn:problem:store:validation' });
    expect(body.errors).toEqual([{ path: `query.${name}`, message: expect.stringMatching(/^(must|is) /) }]);
  });

  it('returns 400 naming every invalid parameter', async () => {
    const { body } = await status.get('?limit=0&cursor=x&station_id=y').expect(400);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([
      'query.limit',
      'query.cursor',
      'query.station_id',
    ]);
  });
});
