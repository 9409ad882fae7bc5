import { setTimeout as wait } from 'node:timers/promises';
import request from 'supertest';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createCatalogueCache } from '../../src/catalogue-cache.ts';
import { tea, testApp } from '../_app.ts';

describe('cached replies', () => {
  /** A cache over a fake catalogue, which records the URLs that the cache reads. */
  function keeping(maxBytes = 2 ** 20) {
    const catalogue = { version: '1', json: '[]', reads: [] as string[] };
    const cache = createCatalogueCache(maxBytes, async () => catalogue.version);
    const get = async (url: string) => {
      const { json } = await cache.reply(url, async () => {
        catalogue.reads.push(url);
        return { ...catalogue, headers: {} };
      });
      return json.toString();
    };
    return { catalogue, get };
  }
  const times = async (count: number, work: () => Promise<unknown>) => {
    for (let n = 0; n < count; n += 1) await work();
  };

  it('are read only for the first two requests, and after a write once for all waiting requests', async () => {
    const { catalogue, get } = keeping();
    await times(5, () => get('/a'));
    expect(catalogue.reads).toHaveLength(2);
    Object.assign(catalogue, { version: '2', json: '[1]' });
    expect(await Promise.all(Array.from({ length: 40 }, () => get('/a')))).toEqual(Array(40).fill('[1]'));
    expect(catalogue.reads).toHaveLength(3);
    await times(3, async () => expect(await get('/a')).toBe('[1]'));
    expect(catalogue.reads).toHaveLength(3);
  });

  it('are read each time if the cache has no room', async () => {
    const { catalogue, get } = keeping(0);
    await times(5, () => get('/a'));
    expect(catalogue.reads).toHaveLength(5);
  });

  it('are not evicted by a walk through many pages', async () => {
    const { catalogue, get } = keeping();
    await times(3, () => get('/a'));
    for (let page = 0; page < 1_000; page += 1) await get(`/a?page=${page}`);
    catalogue.reads.length = 0;
    await get('/a');
    expect(catalogue.reads).toEqual([]);
  });

  it('do not include replies larger than a 64th of the cache', async () => {
    const { catalogue, get } = keeping();
    catalogue.json = ' '.repeat(2 ** 14);
    await times(5, () => get('/large'));
    expect(catalogue.reads).toHaveLength(5);
  });

  const url = '/products';
  const read = (version: string) => async () => ({ json: `"${version}"`, headers: {}, version });

  it('are not replaced during their check by an older read', async () => {
    const [check, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const cache = createCatalogueCache(2 ** 20, async () => {
      await check.promise;
      return 'new';
    });
    await cache.reply(url, read('old')); // cached from now on
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

it('while the database is unavailable, only replies that were current recently are used', async () => {
  const maxAgeMs = 500;
  const away = Object.assign(new Error('The database is away'), { code: 'ECONNREFUSED' });
  let isAway = false;
  const unlessAway = async <T>(value: T): Promise<T> => (isAway ? Promise.reject(away) : value);
  const cache = createCatalogueCache(2 ** 20, () => unlessAway('1'), maxAgeMs);
  const ask = async (url: string, version = '1', mayBeOld?: boolean) =>
    (await cache.reply(url, () => unlessAway({ json: url, headers: {}, version }), mayBeOld)).json.toString();
  for (const _ of [1, 2, 3]) for (const url of ['/a', '/b']) await ask(url);
  for (const _ of [1, 2]) await ask('/newer', '2');
  isAway = true;
  for (const url of ['/a', '/b']) expect(await ask(url)).toBe(url);
  for (const refused of [ask('/a', '1', false), ask('/newer'), ask('/c')]) await expect(refused).rejects.toThrow(away);
  await wait(maxAgeMs);
  await expect(ask('/a')).rejects.toThrow(away);
});

describe('the ETag', () => {
  const database = useDatabase('product');
  const keeping = database.open(testApp);
  const reading = database.open((url) => testApp(url, { env: { CATALOGUE_CACHE_MIB: '0' } }));
  const replicas = [keeping, reading];

  beforeEach(() => queryOnce(database.url, 'truncate products'));

  const create = async () => (await keeping.post(tea)).headers.location ?? '';

  /** Expects all replicas, with and without a cache, to answer the same. @returns that answer */
  async function ask(path: string, tag?: string, method: 'get' | 'head' = 'get') {
    const answers: { status: number; etag: string; text: string; link: string | undefined }[] = [];
    for (const { app } of replicas) {
      for (const _ of [1, 2, 3]) {
        const sent = request(app)[method](path);
        const { status, headers, text } = await (tag === undefined ? sent : sent.set('If-None-Match', tag));
        answers.push({ status, etag: headers.etag ?? '', text: text ?? '', link: headers.link });
        expect(headers['cache-control']).toBe('private, no-cache');
      }
    }
    const [first] = answers;
    if (first === undefined) throw new Error('No replica was asked.');
    expect(answers).toEqual(answers.map(() => first));
    return first;
  }

  describe.each(['a list', 'a product'])('of %s', (what) => {
    const pathOf = (product: string) => (what === 'a list' ? '/products?size=2' : product);

    it('is the same at every replica, and makes the answer 304 until the state changes', async () => {
      const product = await create();
      const path = pathOf(product);
      const { status, etag, text } = await ask(path);
      expect({ status, etag }).toEqual({ status: 200, etag: expect.stringMatching(/^"[\w-]{43}"$/) });
      expect(await ask(path, etag)).toEqual({ status: 304, etag, text: '', link: undefined });
      expect(await ask(path, etag, 'head')).toMatchObject({ status: 304, etag });
      expect(await ask(path, undefined, 'head')).toMatchObject({ status: 200, etag });

      await reading.put(product, { ...tea, price: 5 });
      const changed = { status: 200, text: expect.not.stringContaining(text), etag: expect.not.stringContaining(etag) };
      expect(await ask(path, etag)).toMatchObject(changed);

      // The product is as before, except for its version.
      await reading.put(product, tea);
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

  it('of a page changes when a next page appears, and a 304 has its Link', async () => {
    await create();
    await create();
    const last = await ask('/products?size=2');
    await create();
    const followed = await ask('/products?size=2', last.etag);
    expect(followed).toMatchObject({ status: 200, text: last.text, link: expect.stringContaining('rel="next"') });
    expect(followed.etag).not.toBe(last.etag);
    expect(await ask('/products?size=2', followed.etag)).toMatchObject({ status: 304, link: followed.link });
  });

  it('of a deleted product makes no answer 304', async () => {
    const path = await create();
    const { etag } = await ask(path);
    await reading.delete(path);
    for (const { app } of replicas) await request(app).get(path).set('If-None-Match', etag).expect(404);
  });
});
