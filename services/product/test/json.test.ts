import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';
import { names } from './_catalogue.ts';

const product = useDatabase('product').open(testApp);

test('a product is the same text when it is made, alone and in a list', async () => {
  const made: string[] = [];
  for (const [index, name] of [...names, 'tab\there', 'a : b, c', 'line\u2028separator'].entries())
    made.push((await product.post({ ...tea, name, price: 1 + index / 8 })).text);
  const alone = await Promise.all(
    made.map(async (text) => (await product.get(`/products/${JSON.parse(text).id}`)).text),
  );
  expect(alone).toEqual(made);
  expect((await product.get('/products')).text).toBe(`[${made.join(',')}]`);
  expect((await product.get('/products?page=1')).text).toBe('[]');
});
