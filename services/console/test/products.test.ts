import { catalogueOf, details, productId as id } from './_catalogue.ts';
import { fakeService, testConsole } from './_console.ts';

const path = `/api/products/${id}`;

let product: Awaited<ReturnType<typeof fakeService>>;
let console: ReturnType<typeof testConsole>;

beforeEach(async () => {
  product = await fakeService(catalogueOf('123456789012.1234'));
  console = testConsole({ product: product.url });
  await console.ready;
});

afterEach(() => Promise.all([console.close(), product.close()]));

const changes = () => console.logged.filter(({ msg }) => msg === 'A product was changed');

it('a product is read and set with all digits of its price, and the log says by whom', async () => {
  const cookie = await console.login('ann');
  const { body: shown } = await console.read(path, cookie).expect(200);
  expect(shown).toEqual({ id, name: 'Tea', price: '123456789012.1234', unit: 'kg', version: expect.any(String) });
  await console
    .send('put', path, cookie)
    .send({ ...shown, name: ' Green tea ', price: '999999999999.9999' })
    .expect(204);
  expect(product.asked.at(-1)?.text).toBe(
    `{"name":"Green tea","price":999999999999.9999,"unit":"kg",${JSON.stringify(details).slice(1)}`,
  );
  expect(changes()).toMatchObject([
    { by: 'ann', productId: id, product: { name: 'Green tea', price: '999999999999.9999', unit: 'kg' } },
  ]);
});

it('a product without details, of the release before, is listed, read and set', async () => {
  const old = await fakeService(catalogueOf('4.5', {}));
  const other = testConsole({ product: old.url });
  await other.ready;
  try {
    const cookie = await other.login('ann');
    const { body: shown } = await other.read(path, cookie).expect(200);
    await other.send('put', path, cookie).send(shown).expect(204);
    expect(old.asked.at(-1)?.text).toBe('{"name":"Tea","price":4.5,"unit":"kg"}');
    expect((await other.read('/api/products', cookie).expect(200)).body).toMatchObject([{ name: 'Tea' }]);
  } finally {
    await Promise.all([other.close(), old.close()]);
  }
});

it('of two people who have seen the same state one is told that the other was faster', async () => {
  const [ann, ben] = [await console.login('ann'), await console.login('ben')];
  const { body: seen } = await console.read(path, ann);
  await console
    .send('put', path, ben)
    .send({ ...seen, name: 'Black tea' })
    .expect(204);
  const late = await console.send('put', path, ann).send({ ...seen, name: 'Green tea' });
  expect({ status: late.status, detail: late.body.detail }).toEqual({
    status: 409,
    detail: 'It has changed since you have read it. Read it again, and decide anew.',
  });
  const { body: now } = await console.read(path, ann);
  expect(now.name).toBe('Black tea');
  await console
    .send('put', path, ann)
    .send({ ...now, name: 'Green tea' })
    .expect(204);
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
])('%s is refused before the product service is asked', async (_, change) => {
  const cookie = await console.login();
  const { body: seen } = await console.read(path, cookie);
  product.asked.length = 0;
  await console
    .send('put', path, cookie)
    .send({ ...seen, ...change })
    .expect(400);
  expect(product.asked).toEqual([]);
});

it('says what the product service says', async () => {
  const cookie = await console.login();
  const { body: seen } = await console.read(path, cookie);
  const refused = await console.send('put', path, cookie).send({ ...seen, name: 'refused' });
  expect({ status: refused.status, detail: refused.body.detail }).toEqual({
    status: 400,
    detail: 'body.name: must be another',
  });
  await console.read(`/api/products/${id.replace('7', '8')}`, cookie).expect(404);
  expect(changes()).toEqual([]);
});
