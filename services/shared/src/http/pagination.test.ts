import { cursorIn, nextLink, pagedQuery, pageInfo, sortQuery } from './pagination.ts';

describe('nextLink', () => {
  const after = 'WyJvIiwidiJd';
  it.each([
    ['/a', `/a?after=${after}`],
    ['/a?page=2&size=3', `/a?size=3&after=${after}`],
    ['/a?after=old&after=older&x=1', `/a?after=${after}&x=1`],
    ['/a?sort=b,desc&sort=c', `/a?sort=b%2Cdesc&sort=c&after=${after}`],
    ['/a?q=%3E%2C%22%0A', `/a?q=%3E%2C%22%0A&after=${after}`],
    ['http://evil/a?x=1', `/a?x=1&after=${after}`],
  ])('follows %s', (url, next) => {
    expect(nextLink(url, after)).toEqual({ Link: `<${next}>; rel="next"` });
  });
  it('omits the parameters that the cursor replaces', () => {
    expect(nextLink('/a?skip=1&cursor=2&limit=3', after, ['skip', 'cursor']).Link).toBe(
      `</a?limit=3&after=${after}>; rel="next"`,
    );
  });
});

it.each([
  ['/a?x=1', 'a b&"'],
  ['/a', undefined],
])('cursorIn reads the cursor that nextLink has written: %s', (url, cursor) => {
  expect(cursorIn(nextLink(url, cursor).Link)).toBe(cursor);
});

it('nextLink omits the header after the last page', () => {
  expect(nextLink('/a', undefined)).toEqual({});
});

describe('sortQuery', () => {
  const schema = pagedQuery(20, 100, {
    sort: sortQuery(['name', 'price', 'id'], [{ field: 'price', direction: 'desc' }], ['id']),
  });
  it.each([
    [undefined, 'price desc'],
    ['name', 'name asc'],
    ['name,Desc', 'name desc'],
    ['name,ASC', 'name asc'],
    [['price,desc', 'name'], 'price desc, name asc'],
    [['name', 'name,desc'], 'name asc'],
    [['name', 'price', 'name'], 'name asc, price asc'],
    [['name', 'price,desc', 'id', 'price'], 'name asc, price desc, id asc'],
    [['id,desc', 'name', 'price'], 'id desc'],
  ])('accepts %j', (sort, expected) => {
    const { page, size, sort: parsed } = schema.parse({ sort });
    expect([page, size]).toEqual([0, 20]);
    expect(parsed.map(({ field, direction }) => `${field} ${direction}`).join(', ')).toBe(expected);
  });
  it.each([
    [''],
    ['ID'],
    ['name,up'],
    [Array(33).fill('name')],
    ['name,'],
    [',asc'],
    ['NAME'],
    ['name,asc,desc'],
    ['constructor'],
    [[]],
    [['name', 'x']],
  ])('refuses %j', (sort) => expect(schema.safeParse({ sort }).success).toBe(false));
});

describe('pagedQuery', () => {
  const schema = pagedQuery(20, 100, {});
  it.each([
    [{ page: '500' }, true],
    [{ page: '501' }, false],
    [{ page: '100', size: '100' }, true],
    [{ page: '101', size: '100' }, false],
    [{ page: '10000', size: '1' }, true],
    [{ page: '10001', size: '1' }, false],
    [{ page: '10000', after: 'x' }, true],
  ])('accepts %j: %s', (query, accepted) => expect(schema.safeParse(query).success).toBe(accepted));
});

describe('totalPages', () => {
  it.each([
    [0, 20, 0],
    [1, 20, 1],
    [21, 20, 2],
    [10_000, 100, 100],
    [10_001, 100, 101],
    [10_100, 100, 101],
    [10_101, 100, 101],
    [12_345, 20, 501],
    [12_345, 30, 334],
    [1_000_000, 1, 10_001],
  ])('of %i rows in pages of %i counts only pages that are served', (total, size, expected) => {
    const { totalElements, totalPages } = pageInfo({ size, page: 0 }, total);
    expect([totalElements, totalPages]).toEqual([total, expected]);
    const query = pagedQuery(20, 100, {});
    expect(totalPages === 0 || query.safeParse({ page: String(totalPages - 1), size: String(size) }).success).toBe(
      true,
    );
    if (totalPages * size < total)
      expect(query.safeParse({ page: String(totalPages), size: String(size) }).success).toBe(false);
  });
});
