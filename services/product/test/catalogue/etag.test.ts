import request from 'supertest';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { tea, testApp } from '../_app.ts';

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

describe.each(['a list', 'a product'])('the ETag of %s', (what) => {
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

it('the ETag of a page changes when a next page appears, and 304 names it', async () => {
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
