import { encodeCursor } from '@store/shared/database/keyset';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { tea, testApp } from './_app.ts';
import { catalogueOf, type Item, idsOf, names, nextOf } from './_catalogue.ts';

let database: TestDatabase;
let product: ReturnType<typeof testApp>;
let make: ReturnType<typeof catalogueOf>['make'];
let paginate: ReturnType<typeof catalogueOf>['paginate'];

beforeAll(async () => {
  database = await createTestDatabase('product');
  product = testApp(database.url);
  ({ make, paginate } = catalogueOf(product));
});

afterEach(() => product.prisma.product.deleteMany());

afterAll(async () => {
  await product.close();
  await database.drop();
});

describe('Link', () => {
  it.each([
    [5, false],
    [6, false],
    [7, true],
    [0, false],
  ])('with %i items and size 6 is there: %s', async (count, isThere) => {
    await make(count);
    const { headers, body } = await product.get('/products?size=6');
    expect(body).toHaveLength(Math.min(count, 6));
    expect(headers.link !== undefined).toBe(isThere);
  });

  it('keeps the rest of the request and replaces the page', async () => {
    await make(20);
    const { headers } = await product.get(
      `/products?q=${encodeURIComponent('e')}&size=2&page=1&sort=name,desc&sort=price`,
    );
    const { pathname, searchParams } = new URL(nextOf(headers.link) ?? '', 'http://store');
    expect(pathname).toBe('/products');
    expect([...searchParams]).toEqual([
      ['q', 'e'],
      ['size', '2'],
      ['sort', 'name,desc'],
      ['sort', 'price'],
      ['after', expect.stringMatching(/^[\w-]+$/)],
    ]);
  });

  it('is of one line, whatever the name at the end of the page', async () => {
    await make(names.length + 1);
    for (let page = 0; page < names.length; page += 1) {
      const { headers } = await product.get(`/products?size=1&sort=name&page=${page}`);
      expect(headers.link).toMatch(/^<\/products\?[\w%=&,.-]+>; rel="next"$/);
    }
  });
});

describe('after', () => {
  const order = 'products;createdAt,asc;id,asc';
  const id = '00000000-0000-4000-8000-000000000001';
  const time = '2026-01-31T10:00:00.000000Z';
  const raw = (text: string | Buffer) => Buffer.from(text as string).toString('base64url');

  it.each<[string, string, string?]>([
    ['no cursor', 'x'],
    ['no base64', '%C3%A4%20!'],
    ['no JSON', raw('[')],
    ['no UTF-8', raw(Buffer.from([0xff]))],
    ['a number', raw('1')],
    ['null', raw('null')],
    ['an object', raw('{"0":"x"}')],
    ['deep', raw('['.repeat(1_200))],
    ['no values', encodeCursor(order, [])],
    ['a value too few', encodeCursor(order, [time])],
    ['a value too many', encodeCursor(order, [time, id, id])],
    ['a value that is no text', raw(JSON.stringify([order, time, 1]))],
    ['another order', encodeCursor('products;name,asc;id,asc', ['Tea', id])],
    ['another direction', encodeCursor('products;createdAt,desc;id,desc', [time, id])],
    ['another collection', encodeCursor('status;time,station,row', [time, '1', '1'])],
    ['no id', encodeCursor(order, [time, '-'.repeat(36)])],
    ['an id of hexadecimals only', encodeCursor(order, [time, 'a'.repeat(36)])],
    ['SQL', encodeCursor(order, [time, `${id}' or true --`])],
    ['no time', encodeCursor(order, ['now', id])],
    ['a month 13', encodeCursor(order, ['2026-13-01T10:00:00.000000Z', id])],
    ['a 30th of February', encodeCursor(order, ['2026-02-30T10:00:00.000000Z', id])],
    ['an hour 24', encodeCursor(order, ['2026-01-01T24:00:01.000000Z', id])],
    ['a second 60', encodeCursor(order, ['2026-01-01T10:00:60.000000Z', id])],
    ['a year 0', encodeCursor(order, ['0000-01-01T10:00:00.000000Z', id])],
    ['a price that is none', encodeCursor('products;price,asc;id,asc', ['NaN', id]), 'price'],
    ['a price of too many digits', encodeCursor('products;price,asc;id,asc', ['1'.repeat(13), id]), 'price'],
    ['a name with NUL', encodeCursor('products;name,asc;id,asc', ['a\0', id]), 'name'],
    ['a name without end', encodeCursor('products;name,asc;id,asc', ['a'.repeat(1_000), id]), 'name'],
  ])('that is %s is refused', async (_, after, sort = 'createdAt') => {
    const { status, body } = await product.get(`/products?sort=${sort}&after=${after}`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { type: 'urn:problem:store:validation', errors: [{ path: 'query.after' }] },
    });
  });

  it('of the right form is taken, even when nothing is there', async () => {
    const [item] = await make(1);
    const get = (values: string[]) => product.get(`/products?after=${encodeCursor(order, values)}`);
    expect((await get([time, id])).body).toEqual([item]);
    expect((await get(['9999-12-31T23:59:59.999999Z', id])).body).toEqual([]);
  });

  it('does not leak into another sort, and outweighs page', async () => {
    const items = await make(6);
    const next = nextOf((await product.get('/products?size=2')).headers.link) ?? '';
    expect((await product.get(`${next}&sort=name`)).status).toBe(400);
    expect(idsOf((await product.get(`${next}&page=3`)).body)).toEqual(idsOf(items).slice(2, 4));
  });
});

describe('filters', () => {
  it.each([
    ['TEA', ['Tea', 'tea']],
    ['ÄR', ['Ärger']],
    ['öl', ['Ölkanne']],
    ['%25', ['100 % cotton']],
    ['_', ['under_score']],
    ['%5C', ['"quoted" and \\ more']],
    ['%22quoted', ['"quoted" and \\ more']],
    ["'", ["it's"]],
    ["it's' or true --", []],
    [`${encodeURIComponent('🍵')}`, ['🍵']],
    ['%20tea%20', ['Tea', 'tea']],
    ['a,b', ['a,b;c']],
    ['.*', []],
  ])('q=%s is a text and no pattern', async (q, expected) => {
    for (const name of [...names, '100 % cotton', 'under_score', "it's"]) await product.post({ ...tea, name });
    const { status, body } = await product.get(`/products?q=${q}`);
    expect({ status, names: body.map(({ name }: Item) => name) }).toEqual({ status: 200, names: expected });
  });

  it('q filters every page', async () => {
    await make(24);
    const seen = await paginate('/products?q=tea&size=2&sort=name');
    expect(seen.map(({ name }) => name)).toEqual(['Tea', 'Tea', 'Tea', 'tea', 'tea', 'tea']);
  });

  it('id picks products, once each, in any case', async () => {
    const items = await make(5);
    const [a, , c] = idsOf(items) as [string, string, string];
    const ids = (list: string[]) => product.get(`/products?${list.map((id) => `id=${id}`).join('&')}`);
    expect(idsOf((await ids([a])).body)).toEqual([a]);
    expect(idsOf((await ids([c, a.toUpperCase(), a])).body)).toEqual([a, c]);
    expect((await ids(['00000000-0000-4000-8000-000000000000'])).body).toEqual([]);
    expect(idsOf(await paginate(`/products?size=1&id=${a}&id=${c}`))).toEqual([a, c]);
    expect((await ids([a, 'x'])).status).toBe(400);
    expect((await ids(Array(100).fill(a))).status).toBe(200);
    expect((await ids(Array(101).fill(a))).status).toBe(400);
  });
});

describe('bounds', () => {
  it('size is 100 when nothing is said, and 1 to 1000', async () => {
    await product.prisma.$executeRaw`insert into products (id, name, price, unit)
      select gen_random_uuid(), 'Tea ' || n, 1, 'kg' from generate_series(1, 1001) n`;
    const length = async (query: string) => (await product.get(`/products${query}`)).body.length;
    expect(await Promise.all(['', '?size=1', '?size=1000'].map(length))).toEqual([100, 1, 1000]);
    expect(await paginate('/products')).toHaveLength(1001);
  });

  it.each([
    ...['size=0', 'size=1001', 'size=-1', 'size=1.0', 'size=', 'size=1&size=1', 'page=-1', 'page=1000001', 'page=x'],
    ...[
      'sort=',
      'sort=id',
      'sort=unit',
      'sort=name,up',
      'sort=name,',
      'sort=NAME',
      'sort=name,asc,price',
      'q=',
      'after=',
    ],
    ...['sort=name;drop', 'id=x', 'id='],
  ])('%s is refused', async (query) => {
    const { status, body } = await product.get(`/products?${query}`);
    expect({ status, type: body.type }).toEqual({ status: 400, type: 'urn:problem:store:validation' });
    expect(body.errors[0].path).toMatch(/^query\.(size|page|sort|q|after|id)/);
  });
});
