import { sql } from '@store/shared/database/sql';
import { paginate } from '../../../tests/kit/http.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';

const product = useDatabase('product', 'each').open(testApp);
const taken = { status: 409, body: { type: 'urn:problem:store:sku-taken' } };
const failed = { status: 412 };
const path = '/products?sku=TEA-1';
const count = () => product.prisma.product.count();
const skusOf = (products: { sku: string }[]) => products.map(({ sku }) => sku);

describe('the sku of a product', () => {
  it.each([
    ['is trimmed', ' TEA-1\n', 'TEA-1'],
    ['is in NFC', 'The\u0301-1', 'Th\u00e9-1'],
    ['may have spaces inside', '06A 115 561', '06A 115 561'],
    ['may have 64 characters beyond the basic plane', '🍵'.repeat(64), '🍵'.repeat(64)],
    ['may be absent', undefined, null],
    ['may be null', null, null],
  ])('%s', async (_, sku, stored) => {
    const { body } = await product.post({ ...tea, sku }).expect(201);
    expect(body.sku).toBe(stored);
    expect((await product.get(`/products/${body.id}`)).body).toEqual(body);
    expect((await product.get('/products')).body).toEqual([body]);
  });

  it.each([
    ['an empty text', ' ', 'must have 1 to 64 characters'],
    ['65 characters', 'x'.repeat(65), 'must have 1 to 64 characters'],
    ['an invisible character', 'TEA\u200b1', 'must have only visible characters and spaces'],
    ['a character that turns the direction', 'TEA\u202e1', 'must have only visible characters and spaces'],
    ['a line end', 'TEA\n1', 'must have only visible characters and spaces'],
    ['a space that is not U+0020', 'TEA\u00a01', 'must have only visible characters and spaces'],
    ['NUL', 'TEA\u00001', 'must not contain control characters'],
    ['a lone surrogate', 'TEA\ud8001', 'must not contain control characters'],
    ['a number', 1, 'must be text'],
  ])('is not %s', async (_, sku, message) => {
    const refused = { status: 400, body: { errors: expect.arrayContaining([{ path: 'body.sku', message }]) } };
    expect(await product.post({ ...tea, sku })).toMatchObject(refused);
    expect(await count()).toBe(0);
  });

  it('is unique, spelled exactly, among products that are not deleted', async () => {
    const first = await product.post({ ...tea, sku: 'Thé-1' }).expect(201);
    expect(await product.post({ ...tea, sku: 'The\u0301-1' })).toMatchObject(taken);
    const other = await product.post({ ...tea, sku: 'THÉ-1' }).expect(201);
    expect(await product.put(`/products/${other.body.id}`, { ...tea, sku: 'Thé-1' })).toMatchObject(taken);
    expect((await product.get(`/products/${other.body.id}`)).body).toEqual(other.body);
    await product.delete(`/products/${first.body.id}`).expect(204);
    await product.put(`/products/${other.body.id}`, { ...tea, sku: 'Thé-1' }).expect(200);
  });

  it('is unique among concurrent writers', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => product.post({ ...tea, sku: 'TEA-1' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    for (const answer of answers.filter(({ status }) => status === 409)) expect(answer).toMatchObject(taken);
    expect(await count()).toBe(1);
  });

  it('is in NFC and unique whatever writes it', async () => {
    await product.run(sql`
      insert into products (id, name, price, unit, sku) values (gen_random_uuid(), 'Tea', 1, 'kg', ${'The\u0301-1'})`);
    expect((await product.get('/products?sku=Thé-1')).body).toHaveLength(1);
    expect(await product.post({ ...tea, sku: 'Thé-1' })).toMatchObject(taken);
  });

  it('changes the entity tag of the product and of kept lists', async () => {
    const { body } = await product.post({ ...tea, sku: 'TEA-1' });
    const tags = [];
    for (const sku of ['TEA-1', 'TEA-2', undefined]) {
      await product.put(`/products/${body.id}`, { ...tea, sku }).expect(200);
      for (let n = 0; n < 3; n += 1) await product.get('/products?size=7'); // the third is from the cache
      const list = await product.get('/products?size=7');
      expect(list.body).toMatchObject([{ sku: sku ?? null }]);
      tags.push(list.headers.etag);
    }
    expect(new Set(tags).size).toBe(3);
  });
});

describe('GET /products?sku=', () => {
  const skus = ['A-1', 'a-1', 'A-10', 'B 2'];
  beforeEach(async () => {
    for (const sku of [...skus, undefined]) await product.post({ ...tea, name: `Tea of ${sku}`, sku });
  });

  it('lists the products with these numbers, spelled exactly, on every page', async () => {
    const listed = async (query: string) => skusOf((await product.get(`/products?${query}`).expect(200)).body);
    expect(await listed('sku=A-1')).toEqual(['A-1']);
    expect(await listed('sku=B%202&sku=a-1&sku=C')).toEqual(['a-1', 'B 2']);
    expect(await listed('sku=C')).toEqual([]);
    expect(await listed('sku=A-1&sku=a-1&category=none')).toEqual([]);
    const pages = await paginate(product.get, '/products?sku=A-1&sku=A-10&sku=a-1&size=1');
    expect(pages.map(skusOf)).toEqual([['A-1'], ['a-1'], ['A-10']]);
  });

  it('finds a product by the beginning of its number in any letter case', async () => {
    const found = async (q: string) => skusOf((await product.get(`/products?q=${q}`).expect(200)).body);
    expect(await found('A-1')).toEqual(expect.arrayContaining(['A-1', 'a-1', 'A-10']));
    expect(await found('b+2')).toEqual(['B 2']);
    expect(await found('a-10')).toEqual(['A-10']);
    expect(await found('-1')).not.toContain('B 2');
    expect(await found('a_1')).toEqual([]);
  });

  it.each(['sku=', 'sku=%00', `sku=${'x'.repeat(65)}`, Array(101).fill('sku=A').join('&')])(
    'returns 400 for %.20s',
    async (query) => {
      await product.get(`/products?${query}`).expect(400);
    },
  );
});

describe('PUT /products?sku=', () => {
  it('creates a product, then replaces it as often as it is sent', async () => {
    const first = await product.put(path, tea).expect(201);
    expect(first.headers.location).toBe(`/products/${first.body.id}`);
    expect(first.body).toEqual({ ...tea, sku: 'TEA-1', id: first.body.id, version: 1 });
    for (const version of [2, 3]) {
      const { body } = await product.put(path, { ...tea, price: 5, sku: 'IGNORED' }).expect(200);
      expect(body).toEqual({ ...tea, price: 5, sku: 'TEA-1', id: first.body.id, version });
    }
    expect(await count()).toBe(1);
    const audit = await product.prisma.audit.findMany({ orderBy: { id: 'asc' } });
    expect(audit.map(({ before, after }) => [before, after])).toMatchObject([
      [null, first.body],
      [first.body, { version: 2 }],
      [{ version: 2 }, { version: 3 }],
    ]);
  });

  it('demands the state that was seen', async () => {
    const put = (headers: Record<string, string>, body: object = tea) => product.put(path, body).set(headers);
    expect(await put({ 'if-match': '*' })).toMatchObject(failed);
    expect(await put({}, { ...tea, version: 1 })).toMatchObject({
      status: 409,
      body: { type: 'urn:problem:store:stale-version' },
    });
    expect(await count()).toBe(0);
    const { body } = await put({ 'if-none-match': '*' }).expect(201);
    const tag = String((await product.get(`/products/${body.id}`)).headers.etag);
    expect(await put({ 'if-none-match': '*' })).toMatchObject(failed);
    await put({ 'if-match': tag }, { ...tea, price: 5 }).expect(200);
    expect(await put({ 'if-match': tag }, { ...tea, price: 6 })).toMatchObject(failed);
    expect(await put({}, { ...tea, version: 1 })).toMatchObject({ status: 409 });
    await put({}, { ...tea, version: 2 }).expect(200);
  });

  it('is created once by concurrent writers, and of those that demand to create one succeeds', async () => {
    const free = await Promise.all(Array.from({ length: 8 }, (_, n) => product.put(path, { ...tea, price: n + 1 })));
    expect(free.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    const only = Array.from({ length: 8 }, () => product.put('/products?sku=B', tea).set('if-none-match', '*'));
    expect((await Promise.all(only)).map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(412)]);
    expect(await count()).toBe(2);
  });

  it.each([
    ['without a sku', '/products', tea],
    ['with two', '/products?sku=A&sku=B', tea],
    ['with an invalid product', path, { ...tea, price: 0 }],
  ])('is 400 %s', async (_, sent, body) => {
    expect((await product.put(sent, body)).status).toBe(400);
    expect(await count()).toBe(0);
  });
});
