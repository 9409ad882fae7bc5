import { encodeCursor } from '@store/shared/database/keyset';
import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);

const list = (query: string) => request(order.app).get(`/orders${query}`).set('id-account', alice);

const id = '00000000-0000-4000-8000-000000000000';
const time = '2026-01-01T00:00:00.000Z';
const byTime = 'orders;createdAt,desc;id,desc';

// So that the cases below can only fail for their own faults.
test('GET /orders accepts a valid hand-made cursor', async () => {
  const after = encodeCursor(byTime, [time, id]);
  expect((await list(`?after=${after}`)).status).toBe(200);
});

test.each([
  ['of another sort order', 'orders;total,desc;id,desc', ['1', id]],
  ['of another collection', 'products;createdAt,desc;id,desc', [time, id]],
  ['with too few values', byTime, [time]],
  ['with too many values', byTime, [time, id, id]],
  ['with an invalid day', byTime, ['2026-02-30T00:00:00.000Z', id]],
  ['with an invalid month', byTime, ['2026-99-99T99:99:99.999Z', id]],
  ['with year 0', byTime, ['0000-01-01T00:00:00.000Z', id]],
  ['with hour 24', byTime, ['2026-01-01T24:00:00.000Z', id]],
  ['with an id that is not a UUID', byTime, [time, '-'.repeat(36)]],
  ['with SQL', byTime, [time, "' or true --"]],
])('GET /orders returns 400 for a cursor %s', async (_name, of, values) => {
  const response = await list(`?after=${encodeCursor(of, values)}`);
  expect(response.status).toBe(400);
  expect(response.body.errors[0].path).toBe('query.after');
});

test.each(['total', 'status'])('GET /orders returns 400 for invalid values in a cursor by %s', async (of) => {
  for (const first of ['-1', '1e5', 'NaN', '', 'Infinity', '1'.repeat(30), 'PENDING\0', 'é']) {
    const response = await list(`?sort=${of},asc&after=${encodeCursor(`orders;${of},asc;id,asc`, [first, id])}`);
    expect([first, response.status]).toEqual([first, 400]);
  }
});
