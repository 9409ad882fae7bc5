import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp, unknown } from './_app.ts';
import { names } from './_catalogue.ts';

const product = useDatabase('product').open(testApp);

const count = () => product.prisma.product.count();
const priceIn = (text: string) => /"price" ?: ?([^,}]*)/.exec(text)?.[1];
const postPrice = (price: string) => product.post(`{"name":"Tea","unit":"kg","price":${price}}`);

const details = {
  description: 'First harvest.\n<b>No</b> HTML.',
  images: [
    { url: 'https://images.example.com/tea.jpg?w=1&h=2', alt: 'A cup of "tea"' },
    { url: 'https://images.example.com/leaf.jpg', alt: '' },
  ],
  category: 'Drinks',
  taxPermille: 230,
};
const images = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ url: `https://example.com/${n}`, alt: '🍵'.repeat(300) }));
const largest = {
  name: '🍵'.repeat(200),
  unit: '🍵'.repeat(32),
  description: '🍵'.repeat(5_000),
  images: images(10),
  category: '🍵'.repeat(100),
  taxPermille: 1_000,
};

describe('POST /products', () => {
  it('accepts the largest details with every character written as an escape', async () => {
    const sent = JSON.stringify({ ...tea, ...largest });
    const escaped = sent.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
    expect(escaped.length).toBeGreaterThan(96 * 1024);
    const { body } = await product.post(escaped).expect(201);
    expect(body).toMatchObject(largest);
  });

  it.each([
    ['trims white space around the name', { name: ' \t Green tea \n' }, { name: 'Green tea' }],
    ['stores quotes and SQL as text', { name: `'; drop table products; --"` }, { name: `'; drop table products; --"` }],
    ['keeps details', details, details],
    ['accepts the largest details', largest, largest],
    ['ignores an id and a version in the body', { id: '00000000-0000-4000-8000-000000000009', version: 'x' }, {}],
  ])('%s', async (_, change, expected) => {
    const { status, body, headers } = await product.post({ ...tea, ...change });
    expect({ status, ...body }).toEqual({ ...tea, ...expected, status: 201, id: expect.any(String), version: 1 });
    expect(body.id).not.toBe('00000000-0000-4000-8000-000000000009');
    expect(headers.location).toBe(`/products/${body.id}`);
    expect((await product.get(headers.location ?? '')).body).toEqual(body);
  });

  it.each([
    ['name', '🍵'.repeat(201), 'body.name', 'must have 1 to 200 characters'],
    ['name', '\u200b', 'body.name', 'must have visible characters'],
    ['unit', '\u3164', 'body.unit', 'must have visible characters'],
    ['category', '\u2800', 'body.category', 'must have visible characters'],
    ['unit', 'x'.repeat(33), 'body.unit', 'must have 1 to 32 characters'],
    ['description', 'x'.repeat(5_001), 'body.description', 'must have 1 to 5000 characters'],
    ['category', ' ', 'body.category', 'must have 1 to 100 characters'],
    ['images', images(11), 'body.images', 'must have at most 10 items'],
    ['images', [{ url: 'http://example.com/tea.jpg', alt: '' }], 'body.images.0.url', 'must be an https URL'],
    ['images', [{ url: 'javascript:alert(1)', alt: '' }], 'body.images.0.url', 'must be an https URL'],
    ['images', [{ url: 'https://example.com/tea.jpg' }], 'body.images.0.alt', 'is required'],
  ])('returns 400 for a %s outside its limits (%#)', async (field, value, path, message) => {
    const refused = { status: 400, body: { errors: [{ path, message }] } };
    expect(await product.post({ ...tea, [field]: value })).toMatchObject(refused);
  });

  it('names every invalid field in one response', async () => {
    const { body } = await product.post({ name: 1, price: 'x' });
    const paths = body.errors.map(({ path }: { path: string }) => path).sort();
    expect(paths).toEqual(['body.name', 'body.price', 'body.unit']);
  });
});

describe('the price', () => {
  it.each([
    ['999999999999.9999', '999999999999.9999'],
    ['0.0001', '0.0001'],
    ['4.10', '4.1'],
    ['1.2345E4', '12345'],
  ])('of %s is stored exactly and returned as %s', async (sent, returned) => {
    const posted = await postPrice(sent);
    expect({ status: posted.status, price: priceIn(posted.text) }).toEqual({ status: 201, price: returned });
    const { id } = posted.body;
    expect(priceIn((await product.get(`/products/${id}`)).text)).toBe(returned);
    expect(priceIn((await product.get(`/products?id=${id}`)).text)).toBe(returned);
    expect(priceIn((await product.put(`/products/${id}`, tea)).text)).toBe('4.5');
  });

  it.each([
    ['"4.5"', 'must be a number'],
    ['0', 'must be positive'],
    ['-1', 'must be positive'],
    ['1e-400', 'must be positive'],
    ['0.00001', 'must have at most 4 decimal places'],
    ['1e12', 'must have at most 12 digits before the point'],
  ])('of %s is rejected: it %s', async (sent, message) => {
    const refused = { status: 400, body: { errors: [{ path: 'body.price', message }] } };
    expect(await postPrice(sent)).toMatchObject(refused);
  });
});

describe('/products/{id}', () => {
  it('finds a product by its id in any letter case', async () => {
    const { body } = await product.post(tea);
    expect((await product.get(`/products/${body.id.toUpperCase()}`)).body).toEqual(body);
  });

  it('returns the same text as the creation and a list', async () => {
    const made: string[] = [];
    for (const [index, name] of [...names, 'tab\there', 'a : b, c', 'line\u2028separator'].entries())
      made.push((await product.post({ ...tea, ...(index % 2 && details), name, price: 1 + index / 8 })).text);
    const ids = made.map((text) => JSON.parse(text).id as string);
    const alone = await Promise.all(ids.map(async (id) => (await product.get(`/products/${id}`)).text));
    expect(alone).toEqual(made);
    const list = `/products?id=${ids.join('&id=')}`;
    expect((await product.get(list)).text).toBe(`[${made.join(',')}]`);
    expect((await product.get(`${list}&page=1`)).text).toBe('[]');
  });

  it('replaces a product by PUT, repeatedly, without creating another, and removes details that are left out', async () => {
    const { body } = await product.post({ ...tea, ...details });
    const before = await count();
    const change = { name: 'Black tea', price: 9.25, unit: 'box' };
    for (const version of [2, 3]) {
      const changed = { ...tea, ...change, id: body.id, version };
      expect((await product.put(`/products/${body.id}`, change)).body).toEqual(changed);
      expect((await product.get(`/products/${body.id}`)).body).toEqual(changed);
    }
    expect(await count()).toBe(before);
  });

  it('returns 404 for PUT of an unknown id and creates nothing', async () => {
    const before = await count();
    await product.put(unknown, tea).expect(404);
    expect(await count()).toBe(before);
  });

  it('deletes a product once, returns 404 afterwards, and keeps other products', async () => {
    const [{ body: removed }, { body: kept }] = await Promise.all([product.post(tea), product.post(tea)]);
    const path = `/products/${removed.id}`;
    const deleted = await product.delete(path);
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' });
    const later = [await product.delete(path), await product.get(path), await product.put(path, tea)];
    expect(later.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await product.get(`/products/${kept.id}`)).status).toBe(200);
  });
});

describe('the routes', () => {
  it.each(['/products/', '/Products', '//products', '/product', '/', `${unknown}/`, `${unknown}/x`])(
    'return 404 for %s',
    async (path) => {
      const { status, body, headers } = await product.get(path);
      expect({ status, body }).toMatchObject({ status: 404, body: { status: 404, instance: path } });
      expect(headers['content-type']).toContain('application/problem+json');
    },
  );

  it('answer HEAD like GET, without a body', async () => {
    await Promise.all([product.post(tea), product.post(tea)]);
    const [head, get] = [await request(product.app).head('/products?size=1'), await product.get('/products?size=1')];
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: undefined });
    for (const name of ['content-type', 'content-length', 'link']) expect(head.headers[name]).toBe(get.headers[name]);
    expect((await request(product.app).head(unknown)).status).toBe(404);
  });
});
