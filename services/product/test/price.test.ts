import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';

const product = useDatabase('product').open(testApp);

const priceIn = (text: string) => /"price" ?: ?([^,}]*)/.exec(text)?.[1];
const count = () => product.prisma.product.count();

describe('product price', () => {
  it.each([
    ['4.5', '4.5'],
    ['999999999999.9999', '999999999999.9999'],
    ['123456789012.3456', '123456789012.3456'],
    ['0.0001', '0.0001'],
    ['1e-4', '0.0001'],
    ['1.00000', '1'],
    ['1.000000000000000000000000', '1'],
    ['4.10', '4.1'],
    ['100', '100'],
    ['1e2', '100'],
    ['1.2345E4', '12345'],
    ['999999999999', '999999999999'],
  ])('of %s is stored exactly and returned as %s', async (sent, returned) => {
    const posted = await product.post(`{"name":"Tea","unit":"kg","price":${sent}}`);
    expect({ status: posted.status, price: priceIn(posted.text) }).toEqual({ status: 201, price: returned });
    const { id } = posted.body;
    expect(priceIn((await product.get(`/products/${id}`)).text)).toBe(returned);
    expect(priceIn((await product.get(`/products?id=${id}`)).text)).toBe(returned);
    const replaced = await product.put(`/products/${id}`, tea);
    expect(priceIn(replaced.text)).toBe('4.5');
  });

  it.each([
    ['"4.5"', 'must be a number'],
    ['null', 'must be a number'],
    ['true', 'must be a number'],
    ['[4.5]', 'must be a number'],
    ['{"amount":4.5}', 'must be a number'],
    ['1e400', 'must be a number'],
    ['0', 'must be positive'],
    ['-0', 'must be positive'],
    ['-1', 'must be positive'],
    ['1e-400', 'must be positive'],
    ['0.00001', 'must have at most 4 decimal places'],
    ['1.00001', 'must have at most 4 decimal places'],
    ['999999999999.99999', 'must have at most 4 decimal places'],
    ['0.00009999999999999999', 'must have at most 4 decimal places'],
    ['1000000000000', 'must have at most 12 digits before the point'],
    ['1e12', 'must have at most 12 digits before the point'],
    ['1000000000000.00000000000000000', 'must have at most 12 digits before the point'],
  ])('of %s is rejected: it %s', async (sent, message) => {
    const before = await count();
    const { status, body } = await product.post(`{"name":"Tea","unit":"kg","price":${sent}}`);
    expect({ status, type: body.type }).toEqual({ status: 400, type: 'urn:problem:store:validation' });
    expect(body.errors).toContainEqual({ path: 'body.price', message });
    expect(await count()).toBe(before);
  });
});
