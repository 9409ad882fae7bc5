import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import request from 'supertest';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createCatalogueCache } from '../../src/catalogue-cache.ts';
import type { ProductQuery } from '../../src/schemas.ts';
import { tea, testApp } from '../_app.ts';

describe('replies', () => {
  const opened: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const app of opened.splice(0)) await app.close();
  });
  const database = useDatabase('product', 'each');

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

  it('a list is read for the first two requests only, until something is written', async () => {
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

  it('a list is read each time if CATALOGUE_CACHE_MIB is 0', async () => {
    const currentVersion = () => Promise.reject(new Error('No version is asked for'));
    const { product, reads } = counting({ cacheMib: 0, repository: { currentVersion } });
    await times(5, () => product.get('/products').expect(200));
    expect(reads).toHaveLength(5);
  });

  it('a list is read once for all requests that wait for it', async () => {
    const { product, reads } = counting();
    await times(2, () => product.get('/products'));
    await product.post(tea);
    reads.length = 0;
    const lists = await Promise.all(Array.from({ length: 40 }, () => product.get('/products')));
    expect(lists.map(({ body }) => body.length)).toEqual(Array(40).fill(1));
    expect(reads.length).toBeLessThan(10);
  });

  it('what is kept is not driven out by a walk through many pages', async () => {
    const { product, reads } = counting({ cacheMib: 1, production: true });
    await times(3, () => product.get('/products'));
    for (let page = 1; page <= 1_000; page += 1) await product.get(`/products?page=${page}&size=2`);
    reads.length = 0;
    await product.get('/products');
    expect(reads).toHaveLength(0);
  });

  it('what is kept is no page that takes more than its share of the room', async () => {
    const { product, reads } = counting({ cacheMib: 1 });
    await product.prisma.product.createMany({
      data: Array.from({ length: 300 }, () => ({ ...tea, id: randomUUID() })),
    });
    await times(5, () => product.get('/products?size=10'));
    await times(5, () => product.get('/products?size=300'));
    expect(reads.filter(({ size }) => size === 10)).toHaveLength(2);
    expect(reads.filter(({ size }) => size === 300)).toHaveLength(5);
  });

  const url = '/products';
  const read = (version: string) => async () => ({ json: `"${version}"`, headers: {}, version });

  it('a kept reply is not replaced, while it is checked, by what was read before', async () => {
    const [check, slow] = [deferred(), deferred()];
    const cache = createCatalogueCache(2 ** 20, async () => {
      await check.promise;
      return 'new';
    });
    await cache.reply(url, read('old')); // from now on it is kept
    const readBefore = cache.reply(url, async () => {
      await slow.promise;
      return read('old')();
    });
    await wait(); // it begins
    await cache.reply(url, read('new'));

    const reply = cache.reply(url, read('unused'));
    slow.resolve();
    await readBefore;
    check.resolve();
    expect((await reply).json.toString()).toBe('"new"');
  });
});

describe('the ETag', () => {
  const database = useDatabase('product');
  const replicas = [undefined, 0].map((cacheMib) => database.open((url) => testApp(url, { cacheMib })));

  beforeEach(() => queryOnce(database.url, 'truncate products'));

  const create = async (name = 'Tea') => (await replicas[0]?.post({ ...tea, name }))?.headers.location ?? '';

  /** Returns what every replica answers, whether it keeps replies or not. */
  async function ask(path: string, tag?: string, method: 'get' | 'head' = 'get') {
    const answers: { status: number; etag: string | undefined; text: string; link: string | undefined }[] = [];
    for (const { app } of replicas) {
      for (const _ of [1, 2, 3]) {
        const sent = request(app)[method](path);
        const { status, headers, text } = await (tag === undefined ? sent : sent.set('If-None-Match', tag));
        answers.push({ status, etag: headers.etag, text: text ?? '', link: headers.link });
        expect(headers['cache-control']).toBe('private, no-cache');
      }
    }
    const [first] = answers;
    if (first === undefined) throw new Error('No replica was asked.');
    expect(answers).toEqual(answers.map(() => first));
    return { ...first, etag: first.etag ?? '' };
  }

  describe.each(['a list', 'a product'])('of %s', (what) => {
    const pathOf = (product: string) => (what === 'a list' ? '/products?size=2' : product);

    it('is the same at every replica, and makes the answer 304 until the state is another one', async () => {
      const product = await create();
      const path = pathOf(product);
      const { status, etag, text } = await ask(path);
      expect({ status, etag }).toEqual({ status: 200, etag: expect.stringMatching(/^"[\w-]{43}"$/) });
      expect(await ask(path, etag)).toEqual({ status: 304, etag, text: '', link: undefined });
      expect(await ask(path, etag, 'head')).toMatchObject({ status: 304, etag });
      expect(await ask(path, undefined, 'head')).toMatchObject({ status: 200, etag });

      await replicas[1]?.put(product, { ...tea, price: 5 });
      const changed = await ask(path, etag);
      expect(changed.status).toBe(200);
      expect(changed.text).not.toBe(text);
      expect(changed.etag).not.toBe(etag);

      // Its version says that it was another one meanwhile.
      await replicas[1]?.put(product, tea);
      expect(await ask(path, etag)).toMatchObject({ status: 200 });
    });

    it('does not change with other products', async () => {
      const path = pathOf(await create());
      await create();
      await create();
      const { etag } = await ask(path);
      await create();
      expect(await ask(path, etag)).toMatchObject({ status: 304, etag });
    });
  });

  it('of a page changes when a next page appears, and 304 names it', async () => {
    await create();
    await create();
    const last = await ask('/products?size=2');
    await create();
    const followed = await ask('/products?size=2', last.etag);
    expect(followed).toMatchObject({ status: 200, text: last.text, link: expect.stringContaining('rel="next"') });
    expect(followed.etag).not.toBe(last.etag);
    expect(await ask('/products?size=2', followed.etag)).toMatchObject({ status: 304, link: followed.link });
  });

  it('a deleted product is 404 whatever the client has', async () => {
    const path = await create();
    const { etag } = await ask(path);
    await replicas[1]?.delete(path);
    for (const { app } of replicas) await request(app).get(path).set('If-None-Match', etag).expect(404);
  });
});
