import { catalogueOf, details, productId as id } from './_catalogue.ts';
import { useConsole } from './_console.ts';

const path = `/api/products/${id}`;

describe('a product', () => {
  const console = useConsole(() => ({ product: catalogueOf('123456789012.1234') }), { tests: 'each' });
  const put = (cookie: string, body: object) => console.send('put', path, cookie).send(body);
  const changes = () => console.logged.filter(({ msg }) => msg === 'A product was changed');

  it('is read and set with all digits of its price, and the log says by whom', async () => {
    const cookie = await console.login('ann');
    const { body: shown } = await console.read(path, cookie).expect(200);
    expect(shown).toEqual({ id, name: 'Tea', price: '123456789012.1234', unit: 'kg', version: expect.any(String) });
    await put(cookie, { ...shown, name: ' Green tea ', price: '999999999999.9999' }).expect(204);
    expect(console.asked.at(-1)?.text).toBe(
      `{"name":"Green tea","price":999999999999.9999,"unit":"kg",${JSON.stringify(details).slice(1)}`,
    );
    expect(changes()).toMatchObject([
      { by: 'ann', productId: id, product: { name: 'Green tea', price: '999999999999.9999', unit: 'kg' } },
    ]);
  });

  it('is not set by the slower one of two people who have seen the same state, who is told so', async () => {
    const [ann, ben] = [await console.login('ann'), await console.login('ben')];
    const { body: seen } = await console.read(path, ann);
    await put(ben, { ...seen, name: 'Black tea' }).expect(204);
    const late = { status: 409, body: { detail: expect.stringMatching(/^It has changed since you read it/) } };
    expect(await put(ann, { ...seen, name: 'Green tea' })).toMatchObject(late);
    const { body: now } = await console.read(path, ann);
    expect(now.name).toBe('Black tea');
    await put(ann, { ...now, name: 'Green tea' }).expect(204);
    expect(changes().map(({ by }) => by)).toEqual(['ben', 'ann']);
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
    const cookie = await console.login();
    const { body: seen } = await console.read(path, cookie);
    const before = console.asked.length;
    await put(cookie, { ...seen, ...change }).expect(400);
    expect(console.asked).toHaveLength(before);
  });

  it('is created and deleted, in the state that was seen, in the name of who is logged in', async () => {
    const cookie = await console.login('Jörg');
    const remove = (version: string) =>
      console.send('delete', `${path}?version=${encodeURIComponent(version)}`, cookie);
    const { body: seen } = await console.read(path, cookie);
    await put(cookie, { ...seen, name: 'Black tea' }).expect(204);
    await remove(seen.version).expect(409);
    await remove((await console.read(path, cookie)).body.version).expect(204);
    await console.read(path, cookie).expect(404);
    const create = (body: object) => console.send('post', '/api/products', cookie).send(body);
    await create({ name: 'Tea', price: '4,50', unit: 'kg' }).expect(400);
    await create({ name: 'Tea', price: '123456789012.1234', unit: 'kg' }).expect(204);
    expect((await console.read(path, cookie)).body).toMatchObject({ name: 'Tea', price: '123456789012.1234' });
    const written = console.asked.filter(({ method }) => method !== 'GET');
    expect(new Set(written.map(({ operator }) => operator))).toEqual(new Set(['J%C3%B6rg']));
  });

  it('is refused with the words of the product service', async () => {
    const cookie = await console.login();
    const { body: seen } = await console.read(path, cookie);
    const refused = { status: 400, body: { detail: 'body.name: must be another' } };
    expect(await put(cookie, { ...seen, name: 'refused' })).toMatchObject(refused);
    await console.read(`/api/products/${id.replace('7', '8')}`, cookie).expect(404);
    expect(changes()).toEqual([]);
  });
});

describe('a product without details, of the release before', () => {
  const console = useConsole(() => ({ product: catalogueOf('4.5', {}) }));

  it('is listed, read and set', async () => {
    const cookie = await console.login('ann');
    const { body: shown } = await console.read(path, cookie).expect(200);
    await console.send('put', path, cookie).send(shown).expect(204);
    expect(console.asked.at(-1)?.text).toBe('{"name":"Tea","price":4.5,"unit":"kg"}');
    expect((await console.read('/api/products', cookie).expect(200)).body).toMatchObject([{ name: 'Tea' }]);
  });
});
