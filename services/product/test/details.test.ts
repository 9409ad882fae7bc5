import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';

const product = useDatabase('product', 'each').open(testApp);

const details = {
  description: 'First harvest.\n<b>No</b> HTML.',
  images: [
    { url: 'https://images.example.com/tea.jpg?w=1&h=2', alt: 'A cup of "tea"' },
    { url: 'https://images.example.com/leaf.jpg', alt: '' },
  ],
  category: 'Drinks',
};
const names = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name);

test('a product keeps its details, and is the same text wherever it stands', async () => {
  const made = await product.post({ ...tea, ...details });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject(details);
  const alone = await product.get(`/products/${made.body.id}`);
  expect(alone.text).toBe(made.text);
  expect((await product.get('/products')).text).toBe(`[${made.text}]`);
});

test('a replacement without details removes them', async () => {
  const { headers } = await product.post({ ...tea, ...details });
  const { status, body } = await product.put(headers.location ?? '', { name: 'Tea', price: 4.5, unit: 'kg' });
  expect({ status, body }).toMatchObject({ status: 200, body: { ...tea, version: 2 } });
});

test('the largest details fit', async () => {
  const images = Array.from({ length: 10 }, (_, n) => ({ url: `https://example.com/${n}`, alt: '🍵'.repeat(300) }));
  const largest = { description: '🍵'.repeat(5_000), images, category: '🍵'.repeat(100) };
  expect((await product.post({ ...tea, ...largest })).body).toMatchObject(largest);
});

test.each([
  ['description', 'x'.repeat(5_001), 'body.description'],
  ['category', ' ', 'body.category'],
  ['images', Array.from({ length: 11 }, () => details.images[0]), 'body.images'],
  ['images', [{ url: 'http://example.com/tea.jpg', alt: '' }], 'body.images.0.url'],
  ['images', [{ url: 'javascript:alert(1)', alt: '' }], 'body.images.0.url'],
  ['images', [{ url: 'https://example.com/tea.jpg' }], 'body.images.0.alt'],
])('an invalid %s is 400', async (field, value, path) => {
  const { status, body } = await product.post({ ...tea, [field]: value });
  expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 400, path });
});

test('a category is listed alone, in pages, with a text, and none in another spelling', async () => {
  for (const name of ['Green tea', 'Black tea', 'Juice']) await product.post({ ...tea, name, category: 'Drinks' });
  await product.post({ ...tea, name: 'Tea towel', category: 'Kitchen' });
  await product.post({ ...tea, name: 'Tea pot' });
  const first = await product.get('/products?category=Drinks&size=2&sort=name');
  expect(names(first)).toEqual(['Black tea', 'Green tea']);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '')?.[1] ?? '';
  expect(names(await product.get(next))).toEqual(['Juice']);
  expect(names(await product.get('/products?category=Drinks&q=tea'))).toEqual(['Green tea', 'Black tea']);
  expect(names(await product.get('/products?category=drinks'))).toEqual([]);
  expect(names(await product.get('/products'))).toHaveLength(5);
});
