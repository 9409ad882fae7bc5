import { DomainError } from '../values/errors.ts';
import { createKeyset, cursorTime, cursorUuid, decodeCursor, encodeCursor, uuidColumn } from './keyset.ts';

describe('cursor', () => {
  const name = 'products;name,asc;id,asc';
  const any = { accepts: /^[\s\S]*$/ };

  it.each([
    [[]],
    [['Tea', '1']],
    [['', ' ']],
    [['ä🍵"\\\n\u2028', ',;[]{}']],
    [['2026-01-31T10:00:00.123456Z', '999999999999.9999']],
  ])('returns all values of %j', (position) => {
    const cursor = encodeCursor(name, position);
    expect(cursor).toMatch(/^[\w-]+$/);
    const accepted = position.map(() => any);
    expect(decodeCursor(cursor, name, accepted)).toEqual(position);
  });

  it.each([
    ['another sort order', encodeCursor('products;name,desc;id,desc', ['a', 'b'])],
    ['a missing value', encodeCursor(name, ['a'])],
    ['an extra value', encodeCursor(name, ['a', 'b', 'c'])],
    ['a value that PostgreSQL would not accept', encodeCursor(name, ['a', 'B'])],
    ['an object', Buffer.from('{}').toString('base64url')],
    ['a value that is not text', Buffer.from(`["${name}","a",null]`).toString('base64url')],
    ['invalid JSON', Buffer.from('x').toString('base64url')],
    ['invalid UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]).toString('base64url')],
    ['invalid base64', '!'],
    ['nothing', ''],
  ])('with %s is refused', (_, cursor) => {
    const decode = () => decodeCursor(cursor, name, [any, { accepts: /^[a-z]$/ }]);
    const errors = [expect.objectContaining({ path: 'query.after' })];
    expect(decode).toThrow(expect.objectContaining({ kind: 'invalid', code: 'validation', errors }));
  });
});

it.each([
  '2026-01-31T10:00:00.123456Z',
  '2024-02-29T23:59:59.999Z',
  '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999999Z',
])('%s is a valid time in a cursor, since PostgreSQL accepts it', (time) => expect(cursorTime.test(time)).toBe(true));

it.each([
  '2026-02-29T10:00:00.000Z',
  '2026-13-01T00:00:00.000Z',
  '2026-01-01T24:00:00.000Z',
  '2026-01-01T10:60:00.000Z',
  '2026-01-01T10:00:60.000Z',
  '0000-01-01T00:00:00.000Z',
  '2026-01-31T10:00:00Z',
  '2026-01-31 10:00:00.000Z',
  '2026-01-31T10:00:00.000+00',
  'now',
])('%s is not a valid time in a cursor', (time) => expect(cursorTime.test(time)).toBe(false));

it('the id in a cursor must be a UUID', () => {
  expect(cursorUuid.test('0190f5e6-7b7a-7cc3-98c4-dc0c0c07398f')).toBe(true);
  expect(cursorUuid.test('-'.repeat(36))).toBe(false);
});

// The tests of services/order and services/product list by every sort order.
describe('createKeyset', () => {
  const keyset = createKeyset(
    'things',
    { name: { sql: 'name', text: 'name', type: 'text', accepts: /^.+$/ }, id: uuidColumn('id') },
    'id',
  );
  it('accepts only cursors of its own collection and sort order', () => {
    const id = '0190f5e6-7b7a-7cc3-98c4-dc0c0c07398f';
    const order = keyset([{ field: 'name', direction: 'asc' }]);
    const cursor = order.cursorOf(['Tea', id]);
    const { text, values } = order.after(cursor);
    expect([text, values]).toEqual(['(name,id) > ($1::text,$2::uuid)', ['Tea', id]]);
    expect(() => keyset([{ field: 'name', direction: 'desc' }]).after(cursor)).toThrow(DomainError);
    expect(() => keyset([]).after(cursor)).toThrow(DomainError);
  });
});
