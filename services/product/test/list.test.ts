import { encodeCursor } from '@store/shared/database/keyset';
import { sql } from '@store/shared/database/sql';
import { nextLink } from '../../../tests/kit/http.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';
import { catalogueOf, type Item, idsOf, names } from './_catalogue.ts';

const product = useDatabase('product').open(testApp);
const { make, all } = catalogueOf(product);

afterEach(() => product.prisma.product.deleteMany());

describe('Link header of GET /products', () => {
  it.each([
    [5, false],
    [6, false],
    [7, true],
    [0, false],
  ])('with %i products and size=6 is present: %s', async (count, isPresent) => {
    await make(count);
    const { headers, body } = await product.get('/products?size=6');
    expect(body).toHaveLength(Math.min(count, 6));
    expect(headers.link !== undefined).toBe(isPresent);
  });

  it('stays on one line for any name at the end of a page', async () => {
    await make(names.length + 1);
    for (let page = 0; page < names.length; page += 1) {
      const { headers } = await product.get(`/products?size=1&sort=name&page=${page}`);
      expect(headers.link).toMatch(/^<\/products\?[\w%=&,.-]+>; rel="next"$/);
    }
  });
});

describe('GET /products?after=', () => {
  const order = 'products;createdAt,asc;id,asc';
  const id = '00000000-0000-4000-8000-000000000001';
  const time = '2026-01-31T10:00:00.000000Z';

  // The tests of keyset, in shared, cover what makes any cursor invalid.
  it.each<[string, string, string?]>([
    ['that is deeply nested', Buffer.from('['.repeat(1_200)).toString('base64url')],
    ['with SQL', encodeCursor(order, [time, `${id}' or true --`])],
    ['with an invalid price', encodeCursor('products;price,asc;id,asc', ['NaN', id]), 'price'],
    ['with a price of too many digits', encodeCursor('products;price,asc;id,asc', ['1'.repeat(13), id]), 'price'],
    ['with a NUL character in the name', encodeCursor('products;name,asc;id,asc', ['a\0', id]), 'name'],
    ['with a name that is too long', encodeCursor('products;name,asc;id,asc', ['a'.repeat(1_000), id]), 'name'],
  ])('returns 400 for a cursor %s', async (_, after, sort = 'createdAt') => {
    const refused = { status: 400, body: { errors: [{ path: 'query.after' }] } };
    expect(await product.get(`/products?sort=${sort}&after=${after}`)).toMatchObject(refused);
  });

  it('accepts a valid cursor, even after the last product', async () => {
    const [item] = await make(1);
    const get = (values: string[]) => product.get(`/products?after=${encodeCursor(order, values)}`);
    expect((await get([time, id])).body).toEqual([item]);
    expect((await get(['9999-12-31T23:59:59.999999Z', id])).body).toEqual([]);
  });

  it('rejects a cursor of another sort order, and takes precedence over page', async () => {
    const items = await make(6);
    const next = nextLink((await product.get('/products?size=2')).headers.link) ?? '';
    expect((await product.get(`${next}&sort=name`)).status).toBe(400);
    expect(idsOf((await product.get(`${next}&page=3`)).body)).toEqual(idsOf(items).slice(2, 4));
  });
});

describe('filters of GET /products', () => {
  it.each([
    ['TEA', ['Tea', 'tea']],
    ['ÄR', ['Ärger']],
    ['öl', ['Ölkanne']],
    ['100%20%25%20', ['100 % cotton']],
    ['100_', []],
    ['der_sco', ['under_score']],
    ['derxsco', []],
    ['%22quoted', ['"quoted" and \\ more']],
    ["it's", ["it's"]],
    ['%20tea%20', ['Tea', 'tea']],
    ['t.*', []],
    ['ea', []],
    ['C', ['100 % cotton']],
    ['%25%20c', ['100 % cotton']],
    ['%25%20o', []],
    ['lkann', ['Ölkanne']],
    ['%25%20cotton', ['100 % cotton']],
    ['%25cotton', []],
    ['%25tea', []],
    ['t%25a', []],
    ['t_a', []],
    ['%25e', []],
    ['_ea', []],
    ['and%20%5C%20more', ['"quoted" and \\ more']],
    ['%5Cand', []],
  ])('search for q=%s as literal text', async (q, expected) => {
    for (const name of [...names, '100 % cotton', 'under_score', "it's"]) await product.post({ ...tea, name });
    const { status, body } = await product.get(`/products?q=${q}`);
    expect({ status, names: body.map(({ name }: Item) => name) }).toEqual({ status: 200, names: expected });
  });

  it('apply q to every page', async () => {
    await make(24);
    const seen = await all('/products?q=tea&size=2&sort=name');
    expect(seen.map(({ name }) => name)).toEqual(['Tea', 'Tea', 'Tea', 'tea', 'tea', 'tea']);
  });

  it('include categories, which GET /products/categories lists once each, up to date', async () => {
    const categories = async () => (await product.get('/products/categories')).body;
    expect(await categories()).toEqual([]);
    for (const category of ['Kitchen', 'Drinks', 'Kitchen', null, 'Été "chaud"', 'Drinks'])
      await product.post({ ...tea, category });
    for (let times = 0; times < 3; times += 1)
      expect(await categories()).toEqual(['Drinks', 'Kitchen', 'Été "chaud"'].sort());
    await product.prisma.product.deleteMany({ where: { category: 'Kitchen' } });
    expect(await categories()).toHaveLength(2);
  });

  it('list only the given category, spelled exactly, also in pages and with a text', async () => {
    for (const name of ['Green tea', 'Black tea', 'Juice']) await product.post({ ...tea, name, category: 'Drinks' });
    for (const category of ['Kitchen', undefined]) await product.post({ ...tea, name: 'Tea towel', category });
    const named = async (path: string) => (await all(path)).map(({ name }) => name);
    expect(await named('/products?category=Drinks&size=2&sort=name')).toEqual(['Black tea', 'Green tea', 'Juice']);
    expect(await named('/products?category=Drinks&q=tea')).toEqual(['Green tea', 'Black tea']);
    expect(await named('/products?category=drinks')).toEqual([]);
  });

  it('return each product named by id once, in any letter case', async () => {
    const items = await make(5);
    const [a, , c] = idsOf(items) as [string, string, string];
    const ids = (list: string[]) => product.get(`/products?${list.map((id) => `id=${id}`).join('&')}`);
    expect(idsOf((await ids([a])).body)).toEqual([a]);
    expect(idsOf((await ids([c, a.toUpperCase(), a])).body)).toEqual([a, c]);
    expect((await ids(['00000000-0000-4000-8000-000000000000'])).body).toEqual([]);
    expect(idsOf(await all(`/products?size=1&id=${a}&id=${c}`))).toEqual([a, c]);
    expect((await ids([a, 'x'])).status).toBe(400);
    expect((await ids(Array(100).fill(a))).status).toBe(200);
    expect((await ids(Array(101).fill(a))).status).toBe(400);
  });
});

describe('GET /products parameters', () => {
  it('default to 100 products per page and allow up to 1000', async () => {
    await product.run(sql`
      insert into products (id, name, price, unit)
      select gen_random_uuid(), 'Tea ' || n, 1, 'kg' from generate_series(1, 1001) n`);
    const length = async (query: string) => (await product.get(`/products${query}`)).body.length;
    expect(await Promise.all(['', '?size=1', '?size=1000'].map(length))).toEqual([100, 1, 1000]);
    expect(await all('/products')).toHaveLength(1001);
  });

  it('sort by id, and in any case of the direction', async () => {
    const ids = idsOf(await make(7)).sort();
    expect(idsOf(await all('/products?sort=id&size=2'))).toEqual(ids);
    expect(idsOf((await product.get('/products?sort=id,DESC')).body)).toEqual(ids.toReversed());
  });

  it.each<[string, string, string?]>([
    ['size=1001', 'must be 1 to 1000'],
    ['page=10001', 'must be 0 to 10000'],
    [
      'size=1000&page=11',
      'page × size must be at most 10000: use after to read on, as the Link header does',
      'query.page',
    ],
    ['sort=unit', 'must be one of id, name, price, createdAt, optionally followed by ,asc or ,desc'],
    ['q=', 'must have 1 to 200 characters'],
    ['q=%25', 'must have a letter or a digit'],
    ['q=%F0%9F%8D%B5', 'must have a letter or a digit'],
    ['id=x&id=y', 'must be a UUID', 'query.id.0'],
  ])('return 400 for %s: %s', async (query, message, path = `query.${query.split('=')[0]}`) => {
    const { status, body } = await product.get(`/products?${query}`);
    expect([status, body.errors[0]]).toEqual([400, { path, message }]);
  });
});
