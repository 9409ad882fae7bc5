import { catalogueOf, details, productId as id, initialStock } from './_catalogue.ts';
import { type Answer, ann, Reply, useConsole } from './_console.ts';

const path = `/api/products/${id}`;

describe('a product', () => {
  const console = useConsole(() => ({ product: catalogueOf('123456789012.1234') }), { tests: 'each' });
  const put = (body: object, cookie?: string) => console.send('put', path, cookie).send(body);
  const changes = () => console.logged.filter(({ msg }) => msg === 'A product was changed');

  it('is read and set with all digits of its price, and the operator is logged', async () => {
    const { body: shown } = await console.read(path).expect(200);
    expect(shown).toEqual({
      ...{ id, name: 'Tea', price: '123456789012.1234', unit: 'kg', version: expect.any(String) },
      ...details,
    });
    const images = [{ url: 'https://images.example.com/tea.jpg', alt: 'A cup' }];
    const others = { category: null, taxPermille: 60, sku: 'TEA-2', images };
    const changed = { price: '999999999999.9999', description: ' Strong. ', ...others };
    await put({ ...shown, name: ' Green tea ', ...changed }).expect(204);
    expect(JSON.parse(console.asked.at(-1)?.text.replace('999999999999.9999', '"$&"') ?? '')).toEqual({
      ...{ ...changed, name: 'Green tea', description: 'Strong.', unit: 'kg' },
    });
    expect(changes()).toMatchObject([
      { by: ann, productId: id, product: { name: 'Green tea', price: '999999999999.9999', unit: 'kg' } },
    ]);
  });

  it.each([
    ['no version', { version: undefined }],
    ['an empty version', { version: '' }],
    ['any version', { version: '*' }],
    ['a price that is a number', { price: 4.5 }],
    ['a price in words', { price: '4,50' }],
    ['too many digits', { price: '1.00001' }],
    ['no name', { name: ' ' }],
  ])('is refused with %s before the product service is asked', async (_, change) => {
    const { body: seen } = await console.read(path);
    const before = console.asked.length;
    await put({ ...seen, ...change }).expect(400);
    expect(console.asked).toHaveLength(before);
  });

  it('is created, and deleted in the version that was seen, on behalf of the logged-in operator', async () => {
    const cookie = await console.login('Jörg');
    const remove = (version: string) =>
      console.send('delete', `${path}?version=${encodeURIComponent(version)}`, cookie);
    const { body: seen } = await console.read(path, cookie);
    await put({ ...seen, name: 'Black tea' }, cookie).expect(204);
    await remove(seen.version).expect(409);
    await remove((await console.read(path, cookie)).body.version).expect(204);
    await console.read(path, cookie).expect(404);
    const create = (body: object) => console.send('post', '/api/products', cookie).send({ ...details, ...body });
    await create({ name: 'Tea', price: '4,50', unit: 'kg' }).expect(400);
    await create({ name: 'Tea', price: '123456789012.1234', unit: 'kg' }).expect(204);
    expect((await console.read(path, cookie)).body).toMatchObject({ name: 'Tea', price: '123456789012.1234' });
    const written = console.asked.filter(({ method }) => method !== 'GET');
    expect(new Set(written.map(({ operator }) => operator))).toEqual(new Set(['J%C3%B6rg%20(shared%20token)']));
  });

  it("is refused in the product service's words", async () => {
    const { body: seen } = await console.read(path);
    const refused = { status: 400, body: { detail: 'body.name: must be another' } };
    expect(await put({ ...seen, name: 'refused' })).toMatchObject(refused);
    await console.read(`/api/products/${id.replace('7', '8')}`).expect(404);
    expect(changes()).toEqual([]);
  });
});

describe('a product of another release', () => {
  const cases: [string, object, object][] = [
    ['without details', {}, { description: null, images: [], category: null, taxPermille: null, sku: null }],
    [
      'with a field that the console does not know and keeps',
      { ...details, origin: 'Assam' },
      { ...details, origin: 'Assam' },
    ],
  ];
  describe.each(cases)('%s', (_, own, sent) => {
    const console = useConsole(() => ({ product: catalogueOf('4.5', { own }) }));

    it('is listed, read and set', async () => {
      const { body: shown } = await console.read(path).expect(200);
      await console.send('put', path).send(shown).expect(204);
      expect(console.asked.at(-1)?.body).toEqual({ name: 'Tea', price: 4.5, unit: 'kg', ...sent });
      expect((await console.read('/api/products').expect(200)).body).toMatchObject({ products: [{ name: 'Tea' }] });
    });
  });
});

describe('products', () => {
  const next = (query: string) => ({ Link: `</products?${query}&after=cur%26sor>; rel="next"` });
  const product: Answer = (_, asked) => {
    if (asked === '/products/categories') return ['Drinks'];
    return new Reply(200, '[]', asked.includes('after') ? {} : next('size=20'));
  };
  const console = useConsole(() => ({ product }), { env: { STORE_CURRENCY: 'JPY' } });

  it('are listed page by page, by text and category', async () => {
    const { body } = await console.read('/api/products?search=a%26b&category=Hot%20drinks').expect(200);
    expect(body).toEqual({ products: [], next: 'cur&sor' });
    const { body: last } = await console.read(`/api/products?after=${encodeURIComponent(body.next)}`).expect(200);
    expect(last.next).toBeNull();
    expect(console.asked.map(({ path }) => path)).toEqual([
      '/products?size=20&q=a%26b&category=Hot+drinks',
      '/products?size=20&sort=createdAt%2Cdesc&after=cur%26sor',
    ]);
  });

  it('have a common currency and categories', async () => {
    const { body } = await console.read('/api/catalogue').expect(200);
    expect(body).toEqual({ currency: 'JPY', categories: ['Drinks'] });
  });
});

describe('a stock', () => {
  const stockPath = `/api/stock/${id}`;
  const console = useConsole(
    () => {
      const catalogue = catalogueOf('4.5');
      return { product: catalogue, inventory: catalogue };
    },
    { tests: 'each' },
  );
  const set = (available: number, seen: number) => console.send('put', stockPath).send({ available, seen });
  const listed = async () => (await console.read('/api/products').expect(200)).body.products[0].available;

  it('of a product that was never ordered is the initial stock', async () => {
    expect(await listed()).toBe(initialStock);
    await set(7, initialStock).expect(200);
    expect(await listed()).toBe(7);
  });

  it('is set if it has not changed, and does not overwrite the stock that someone else has set', async () => {
    await set(7, initialStock).expect(200);
    expect(await set(8, initialStock)).toMatchObject({
      status: 409,
      body: { detail: 'The stock is now 7, so it was not set.' },
    });
    expect(await listed()).toBe(7);
    await set(8, 7).expect(200);
    expect(console.logged.filter(({ msg }) => msg === 'A stock was set')).toMatchObject([
      { by: ann, available: 7 },
      { by: ann, available: 8 },
    ]);
  });

  it.each([
    ['for the first time', undefined],
    ['again', 5],
  ])('is set %s by exactly one of many concurrent requests', async (_, stock) => {
    if (stock !== undefined) await set(stock, initialStock).expect(200);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => set(10 + n, stock ?? initialStock)));
    const won = answers.filter(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(await listed()).toBe(won[0]?.body.available);
  });
});
