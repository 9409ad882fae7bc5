import { catalogueOf, details, productId as id } from './_catalogue.ts';
import { ann, useConsole } from './_console.ts';

const path = `/api/products/${id}`;

describe('a product', () => {
  const console = useConsole(() => ({ product: catalogueOf('123456789012.1234') }), { tests: 'each' });
  const put = (body: object, cookie?: string) => console.send('put', path, cookie).send(body);
  const changes = () => console.logged.filter(({ msg }) => msg === 'A product was changed');

  it('is read and set with all digits of its price, and the log says by whom', async () => {
    const { body: shown } = await console.read(path).expect(200);
    expect(shown).toEqual({ id, name: 'Tea', price: '123456789012.1234', unit: 'kg', version: expect.any(String) });
    await put({ ...shown, name: ' Green tea ', price: '999999999999.9999' }).expect(204);
    expect(console.asked.at(-1)?.text).toBe(
      `{"name":"Green tea","price":999999999999.9999,"unit":"kg",${JSON.stringify(details).slice(1)}`,
    );
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

  it('is created and deleted, in the state that was seen, in the name of who is logged in', async () => {
    const cookie = await console.login('Jörg');
    const remove = (version: string) =>
      console.send('delete', `${path}?version=${encodeURIComponent(version)}`, cookie);
    const { body: seen } = await console.read(path, cookie);
    await put({ ...seen, name: 'Black tea' }, cookie).expect(204);
    await remove(seen.version).expect(409);
    await remove((await console.read(path, cookie)).body.version).expect(204);
    await console.read(path, cookie).expect(404);
    const create = (body: object) => console.send('post', '/api/products', cookie).send(body);
    await create({ name: 'Tea', price: '4,50', unit: 'kg' }).expect(400);
    await create({ name: 'Tea', price: '123456789012.1234', unit: 'kg' }).expect(204);
    expect((await console.read(path, cookie)).body).toMatchObject({ name: 'Tea', price: '123456789012.1234' });
    const written = console.asked.filter(({ method }) => method !== 'GET');
    expect(new Set(written.map(({ operator }) => operator))).toEqual(new Set(['J%C3%B6rg%20(shared%20token)']));
  });

  it('is refused with the words of the product service', async () => {
    const { body: seen } = await console.read(path);
    const refused = { status: 400, body: { detail: 'body.name: must be another' } };
    expect(await put({ ...seen, name: 'refused' })).toMatchObject(refused);
    await console.read(`/api/products/${id.replace('7', '8')}`).expect(404);
    expect(changes()).toEqual([]);
  });
});

describe('a product without details, of the release before', () => {
  const console = useConsole(() => ({ product: catalogueOf('4.5', {}) }));

  it('is listed, read and set', async () => {
    const { body: shown } = await console.read(path).expect(200);
    await console.send('put', path).send(shown).expect(204);
    expect(console.asked.at(-1)?.text).toBe('{"name":"Tea","price":4.5,"unit":"kg"}');
    expect((await console.read('/api/products').expect(200)).body).toMatchObject([{ name: 'Tea' }]);
  });
});
