import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import type { ProductQuery } from '../../src/schemas.ts';
import { tea, testApp } from '../_app.ts';

let database: TestDatabase;
const opened: { close(): Promise<unknown> }[] = [];

beforeEach(async () => {
  database = await createTestDatabase('product');
});

afterEach(async () => {
  for (const app of opened.splice(0)) await app.close();
  await database.drop();
});

/** The service, and how often it has read a list. */
function counting(options: Parameters<typeof testApp>[1] = {}) {
  const real = testApp(database.url);
  const reads: ProductQuery[] = [];
  const list = (query: ProductQuery) => {
    reads.push(query);
    return real.repository.list(query);
  };
  const product = testApp(database.url, { ...options, repository: { list, ...options.repository } });
  opened.push(real, product);
  return { product, reads };
}

async function times(count: number, work: () => PromiseLike<unknown>): Promise<void> {
  for (let n = 0; n < count; n += 1) await work();
}

describe('a list that is requested again and again', () => {
  it('is read for the first two requests only, until something is written', async () => {
    const { product, reads } = counting();
    await product.post(tea);
    await times(5, () => product.get('/products?size=5'));
    expect(reads).toHaveLength(2);
    const { headers } = await product.post({ ...tea, name: 'Coffee' });
    await times(3, async () => {
      const { body } = await product.get('/products?size=5');
      expect(body.map(({ name }: { name: string }) => name)).toEqual(['Tea', 'Coffee']);
    });
    expect(reads).toHaveLength(3);
    await product.delete(headers.location ?? '');
    await times(3, async () => expect((await product.get('/products?size=5')).body).toHaveLength(1));
    expect(reads).toHaveLength(4);
  });

  it('is read each time if CATALOGUE_CACHE_MIB is 0', async () => {
    const currentVersion = () => Promise.reject(new Error('No version is asked for'));
    const { product, reads } = counting({ cacheMib: 0, repository: { currentVersion } });
    await times(5, () => product.get('/products').expect(200));
    expect(reads).toHaveLength(5);
  });

  it('is read once for all requests that wait for it', async () => {
    const { product, reads } = counting();
    await times(2, () => product.get('/products'));
    await product.post(tea);
    reads.length = 0;
    const lists = await Promise.all(Array.from({ length: 40 }, () => product.get('/products')));
    expect(lists.map(({ body }) => body.length)).toEqual(Array(40).fill(1));
    expect(reads.length).toBeLessThan(10);
  });
});

describe('what is kept', () => {
  it('is not driven out by a walk through many pages', async () => {
    const { product, reads } = counting({ cacheMib: 1, production: true });
    await times(3, () => product.get('/products'));
    for (let page = 1; page <= 1_000; page += 1) await product.get(`/products?page=${page}&size=2`);
    reads.length = 0;
    await product.get('/products');
    expect(reads).toHaveLength(0);
  });

  it('is no page that takes more than its share of the room', async () => {
    const { product, reads } = counting({ cacheMib: 1 });
    await product.prisma.product.createMany({
      data: Array.from({ length: 300 }, () => ({ ...tea, id: randomUUID() })),
    });
    await times(5, () => product.get('/products?size=10'));
    await times(5, () => product.get('/products?size=300'));
    expect(reads.filter(({ size }) => size === 10)).toHaveLength(2);
    expect(reads.filter(({ size }) => size === 300)).toHaveLength(5);
  });
});
