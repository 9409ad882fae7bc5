import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp, unknown } from './_app.ts';

const product = useDatabase('product').open(testApp);

const count = () => product.prisma.product.count();

describe('POST /products', () => {
  const tea200 = '🍵'.repeat(200);

  it.each([
    ['trims white space around the name', { name: ' \t Green tea \n' }, { name: 'Green tea' }],
    ['keeps white space inside the name', { name: 'Green \t tea' }, { name: 'Green \t tea' }],
    ['accepts a name of 200 emoji', { name: tea200 }, { name: tea200 }],
    ['does not count trimmed white space', { name: `   ${tea200}   ` }, { name: tea200 }],
    ['accepts a unit of 32 characters', { unit: '🍵'.repeat(32) }, { unit: '🍵'.repeat(32) }],
    ['stores quotes and SQL as text', { name: `'; drop table products; --"` }, { name: `'; drop table products; --"` }],
    ['ignores an id in the body', { id: '00000000-0000-4000-8000-000000000009' }, {}],
  ])('%s', async (_, change, expected) => {
    const { status, body, headers } = await product.post({ ...tea, ...change });
    expect({ status, body }).toEqual({
      status: 201,
      body: { ...tea, ...expected, id: expect.any(String), version: 1 },
    });
    expect(body.id).not.toBe('00000000-0000-4000-8000-000000000009');
    expect(headers.location).toBe(`/products/${body.id}`);
    expect((await product.get(headers.location ?? '')).body).toEqual(body);
  });

  it.each([
    ['name', '', 200],
    ['name', ' \t\n\u00a0\u2003', 200],
    ['name', `${tea200}x`, 200],
    ['unit', '   ', 32],
    ['unit', 'x'.repeat(33), 32],
  ])('returns 400 for a %s outside its length limits', async (field, text, max) => {
    const before = await count();
    const { status, body } = await product.post({ ...tea, [field]: text });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ path: `body.${field}`, message: `must have 1 to ${max} characters` }]);
    expect(await count()).toBe(before);
  });

  it('names every invalid field in one response', async () => {
    const { body } = await product.post({ name: 1, price: 'x' });
    expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      'body.name',
      'body.price',
      'body.unit',
    ]);
  });
});

describe('/products/{id}', () => {
  it('finds a product by its id in any letter case', async () => {
    const { body } = await product.post(tea);
    expect((await product.get(`/products/${body.id.toUpperCase()}`)).body).toEqual(body);
  });

  it('replaces a product by PUT, repeatedly, without creating another', async () => {
    const { body } = await product.post(tea);
    const before = await count();
    const changed = { ...tea, name: 'Black tea', price: 9.25, unit: 'box' };
    for (const version of [2, 3]) {
      const { status, body: replaced } = await product.put(`/products/${body.id}`, changed);
      expect({ status, replaced }).toEqual({ status: 200, replaced: { id: body.id, ...changed, version } });
    }
    expect((await product.get(`/products/${body.id}`)).body).toEqual({ id: body.id, ...changed, version: 3 });
    expect(await count()).toBe(before);
  });

  it('returns 404 for PUT of an unknown id and creates nothing', async () => {
    const before = await count();
    const { status, body } = await product.put(unknown, tea);
    expect({ status, type: body.type, instance: body.instance }).toEqual({
      status: 404,
      type: 'about:blank',
      instance: unknown,
    });
    expect(await count()).toBe(before);
  });

  it('deletes a product once, returns 404 afterwards, and keeps other products', async () => {
    const [{ body: removed }, { body: kept }] = await Promise.all([product.post(tea), product.post(tea)]);
    const deleted = await product.delete(`/products/${removed.id}`);
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' });
    expect((await product.delete(`/products/${removed.id}`)).status).toBe(404);
    expect((await product.get(`/products/${removed.id}`)).status).toBe(404);
    expect((await product.put(`/products/${removed.id}`, tea)).status).toBe(404);
    expect((await product.get(`/products/${kept.id}`)).status).toBe(200);
  });
});

describe('product routes', () => {
  it.each([
    '/products/',
    '/Products',
    '/PRODUCTS',
    '//products',
    '/products//',
    '/product',
    '/',
    `${unknown}/`,
    `${unknown}/x`,
  ])('return 404 for %s', async (path) => {
    const { status, body, headers } = await product.get(path);
    expect({ status, body }).toMatchObject({ status: 404, body: { status: 404, instance: path } });
    expect(headers['content-type']).toContain('application/problem+json');
  });

  it('answer HEAD like GET, without a body', async () => {
    await Promise.all([product.post(tea), product.post(tea)]);
    const [head, get] = [await request(product.app).head('/products?size=1'), await product.get('/products?size=1')];
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: undefined });
    for (const name of ['content-type', 'content-length', 'link']) expect(head.headers[name]).toBe(get.headers[name]);
    expect((await request(product.app).head(unknown)).status).toBe(404);
  });

  it.each([
    ['patch', '/products', 'GET, POST, HEAD'],
    ['delete', '/products', 'GET, POST, HEAD'],
    ['post', unknown, 'GET, PUT, DELETE, HEAD'],
    ['options', unknown, 'GET, PUT, DELETE, HEAD'],
  ] as const)('return 405 with Allow for %s %s', async (method, path, allow) => {
    const { status, headers, body } = await request(product.app)[method](path);
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow });
    expect(body).toMatchObject({ status: 405, title: 'Method Not Allowed' });
  });
});
