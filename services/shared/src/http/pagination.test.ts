import { z } from 'zod';
import { DomainError } from '../values/errors.ts';
import {
  behind,
  cursorTime,
  cursorUuid,
  decodeCursor,
  encodeCursor,
  type KeyColumn,
  nextLink,
  orderBy,
  pageQuery,
  sortQuery,
} from './pagination.ts';

describe('a cursor', () => {
  const order = 'name,asc;id,asc';
  const any = /^[\s\S]*$/;

  it.each([
    [[]],
    [['Tea', '1']],
    [['', ' ']],
    [['ä🍵"\\\n\u2028', ',;[]{}']],
    [['2026-01-31T10:00:00.123456Z', '999999999999.9999']],
  ])('comes back with all of %j', (values) => {
    const cursor = encodeCursor({ order, values });
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(
      decodeCursor(
        cursor,
        order,
        values.map(() => any),
      ),
    ).toEqual(values);
  });

  it.each([
    ['another order', encodeCursor({ order: 'name,desc;id,desc', values: ['a', 'b'] })],
    ['a value too few', encodeCursor({ order, values: ['a'] })],
    ['a value too many', encodeCursor({ order, values: ['a', 'b', 'c'] })],
    ['a value that does not fit', encodeCursor({ order, values: ['a', 'B'] })],
    ['no list', Buffer.from('{}').toString('base64url')],
    ['other than texts', Buffer.from(`["${order}","a",null]`).toString('base64url')],
    ['no JSON', Buffer.from('x').toString('base64url')],
    ['no UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]).toString('base64url')],
    ['no base64', '!'],
    ['nothing', ''],
  ])('of %s is refused', (_, cursor) => {
    const decode = () => decodeCursor(cursor, order, [any, /^[a-z]$/]);
    expect(decode).toThrow(DomainError);
    expect(decode).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        code: 'validation',
        errors: [expect.objectContaining({ path: 'query.after' })],
      }),
    );
  });
});

it('cursorTime takes the times that PostgreSQL takes', () => {
  for (const time of [
    '2026-01-31T10:00:00.123456Z',
    '2024-02-29T23:59:59.999Z',
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999999Z',
  ])
    expect(cursorTime.test(time)).toBe(true);
  for (const time of [
    '2026-02-29T10:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    '2026-01-01T10:60:00.000Z',
    '2026-01-01T10:00:60.000Z',
  ])
    expect(cursorTime.test(time)).toBe(false);
  for (const time of [
    '0000-01-01T00:00:00.000Z',
    '2026-01-31T10:00:00Z',
    '2026-01-31 10:00:00.000Z',
    '2026-01-31T10:00:00.000+00',
    'infinity',
    'now',
  ])
    expect(cursorTime.test(time)).toBe(false);
  expect(cursorUuid.test('0190f5e6-7b7a-7cc3-98c4-dc0c0c07398f')).toBe(true);
  expect(cursorUuid.test('-'.repeat(36))).toBe(false);
});

describe('SQL of a keyset', () => {
  const column = (sql: string, type: string, direction: KeyColumn['direction']): KeyColumn => ({
    sql,
    type,
    direction,
  });
  it.each([
    ['one', [column('id', 'uuid', 'asc')], '(id) > ($1::uuid)', 'id asc'],
    [
      'ascending',
      [column('price', 'numeric', 'asc'), column('id', 'uuid', 'asc')],
      '(price, id) > ($1::numeric, $2::uuid)',
      'price asc, id asc',
    ],
    [
      'descending',
      [column('price', 'numeric', 'desc'), column('id', 'uuid', 'desc')],
      '(price, id) < ($1::numeric, $2::uuid)',
      'price desc, id desc',
    ],
    [
      'mixed',
      [column('price', 'numeric', 'desc'), column('name', 'text', 'asc'), column('id', 'uuid', 'desc')],
      '(price <= $1::numeric and ((price < $1::numeric) or (price = $1::numeric and name > $2::text) or (price = $1::numeric and name = $2::text and id < $3::uuid)))',
      'price desc, name asc, id desc',
    ],
  ])('%s', (_, columns, condition, order) => {
    expect(behind(columns, 1)).toBe(condition);
    expect(orderBy(columns)).toBe(order);
  });

  it('counts its placeholders from the first', () => {
    expect(behind([column('a', 'int', 'asc'), column('b', 'int', 'desc')], 4)).toBe(
      '(a >= $4::int and ((a > $4::int) or (a = $4::int and b < $5::int)))',
    );
  });
});

describe('nextLink', () => {
  const cursor = { order: 'o', values: ['v'] };
  const after = encodeCursor(cursor);
  it.each([
    ['/a', `/a?after=${after}`],
    ['/a?page=2&size=3', `/a?size=3&after=${after}`],
    ['/a?after=old&after=older&x=1', `/a?after=${after}&x=1`],
    ['/a?sort=b,desc&sort=c', `/a?sort=b%2Cdesc&sort=c&after=${after}`],
    ['/a?q=%3E%2C%22%0A', `/a?q=%3E%2C%22%0A&after=${after}`],
    ['http://evil/a?x=1', `/a?x=1&after=${after}`],
  ])('of %s', (url, next) => {
    expect(nextLink(url, cursor)).toEqual({ Link: `<${next}>; rel="next"` });
  });
  it('leaves out what the cursor replaces', () => {
    expect(nextLink('/a?skip=1&cursor=2&limit=3', cursor, ['skip', 'cursor']).Link).toBe(
      `</a?limit=3&after=${after}>; rel="next"`,
    );
  });
});

describe('sort', () => {
  const schema = z.object({
    ...pageQuery(20, 100),
    sort: sortQuery(['name', 'price'], [{ field: 'price', direction: 'desc' }]),
  });
  it.each([
    [undefined, [['price', 'desc']]],
    ['name', [['name', 'asc']]],
    ['name,desc', [['name', 'desc']]],
    [
      ['price,desc', 'name'],
      [
        ['price', 'desc'],
        ['name', 'asc'],
      ],
    ],
    [['name', 'name,desc'], [['name', 'asc']]],
  ])('%j', (sort, expected) => {
    expect(schema.parse({ sort })).toEqual({
      page: 0,
      size: 20,
      sort: expected.map(([field, direction]) => ({ field, direction })),
    });
  });
  it.each([
    [''],
    ['id'],
    ['name,up'],
    ['name,'],
    [',asc'],
    ['NAME'],
    ['name,asc,desc'],
    ['constructor'],
    [[]],
    [['name', 'x']],
    [['name', 'price', 'name']],
  ])('%j is refused', (sort) => expect(schema.safeParse({ sort }).success).toBe(false));
});
