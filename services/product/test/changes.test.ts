import { readConfig } from '@store/shared/values/environment';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { configSchema } from '../src/config.ts';
import { tea, testApp, unknown } from './_app.ts';

const database = useDatabase('product');
const product = database.open(testApp);

let path: string;
beforeEach(async () => {
  path = (await product.post(tea)).headers.location ?? '';
});

const etag = async () => (await product.get(path)).headers.etag ?? '';
const put = (price: number, ifMatch: string, change: object = {}) =>
  product.put(path, { ...tea, price, ...change }).set('if-match', ifMatch);
/** Sends eight concurrent writes based on the same state. @returns their statuses, sorted */
const race = async (write: (price: number) => PromiseLike<{ status: number }>) =>
  (await Promise.all(Array.from({ length: 8 }, (_, n) => write(n + 10)))).map(({ status }) => status).sort();

describe('If-Match', () => {
  it('lets a write succeed only in the state that it names', async () => {
    const seen = await etag();
    expect((await put(2, seen)).status).toBe(200);
    expect((await put(3, seen)).status).toBe(412);
    expect((await product.delete(path).set('if-match', seen)).status).toBe(412);
    expect((await product.get(path)).body.price).toBe(2);
    expect((await put(3, `W/${await etag()}`)).status).toBe(412);
    expect((await put(3, `"another", ${await etag()}`)).status).toBe(200);
    expect((await product.delete(path).set('if-match', '*')).status).toBe(204);
    expect((await put(1, '*')).status).toBe(404);
  });

  it('is checked before the version and answers 412', async () => {
    expect((await put(1, '"another"', { version: 7 })).status).toBe(412);
    expect((await put(1, '*', { version: 7 })).status).toBe(409);
    expect((await put(1, '*', { version: 1 })).status).toBe(200);
  });
});

describe('the version of a product', () => {
  it('counts each update, even by a replica of the previous release, which does not know the version', async () => {
    const id = path.slice('/products/'.length);
    const versions = async () => [
      (await product.get(path)).body.version,
      (await product.get(`/products?id=${id}`)).body[0].version,
    ];
    expect((await product.put(path, { ...tea, price: 5 })).body.version).toBe(2);
    expect(await versions()).toEqual([2, 2]);
    const old = `update products set name = 'Green tea', price = 6, unit = 'kg' where id = '${id}'`;
    await queryOnce(database.url, old);
    await queryOnce(database.url, `update products set version = 1 where id = '${id}'`);
    expect(await versions()).toEqual([4, 4]);
  });

  it('lets a change that names it succeed only while it is current; otherwise the answer is 409', async () => {
    const change = (price: number, version: number | null) => product.put(path, { ...tea, price, version });
    expect((await change(5, 1)).body).toMatchObject({ price: 5, version: 2 });
    const stale = { type: 'urn:problem:store:stale-version', detail: expect.stringMatching(/its version is 2\.$/) };
    expect(await change(6, 1)).toMatchObject({ status: 409, body: stale });
    expect((await change(6, 3)).status).toBe(409);
    expect((await product.get(path)).body).toMatchObject({ price: 5, version: 2 });
    expect((await change(6, null)).body.version).toBe(3);
    expect((await product.put(`/internal${path}`, { ...tea, version: 2 })).status).toBe(409);
    expect((await product.put(unknown, { ...tea, version: 1 })).status).toBe(404);
  });

  it('lets one of many concurrent writes with the same version succeed, as If-Match does', async () => {
    const seen = await etag();
    expect(await race((price) => put(price, seen))).toEqual([200, ...Array(7).fill(412)]);
    const write = (price: number) => product.put(path, { ...tea, price, version: 2 });
    expect(await race(write)).toEqual([200, ...Array(7).fill(409)]);
  });
});

describe('PRODUCT_WRITERS', () => {
  const writer = '11111111-1111-4111-8111-111111111111';
  const credential = newCredential();
  const opened = (env: Record<string, string>) => database.open((url) => testApp(url, { env }));
  const restricted = opened({ PRODUCT_WRITERS: writer });
  const withCredential = opened({ PRODUCT_WRITERS: writer, INTERNAL_CREDENTIALS: credential });
  const open = opened({ PRODUCT_WRITERS: 'everybody', APP_PROFILE: 'prod' });
  const byRole = [opened({ PRODUCT_WRITERS: 'role:catalogue' }), opened({ APP_PROFILE: 'prod' })];

  it('returns 403 for writes by other accounts and lets everybody read', async () => {
    const before = await product.prisma.product.count();
    await restricted.post(tea).expect(403);
    for (const to of [path, unknown]) await restricted.put(to, tea).expect(403);
    await restricted.delete(path).expect(403);
    expect(await product.prisma.product.count()).toBe(before);
    expect((await restricted.get(path)).body).toMatchObject(tea);
    await restricted.get('/products').expect(200);
  });

  it('lets a listed account write, with its id in any letter case', async () => {
    const { headers } = await restricted.post(tea).set('id-account', writer.toUpperCase()).expect(201);
    const own = headers.location ?? '';
    await restricted.put(own, tea).set('id-account', writer).expect(200);
    await restricted.delete(own).set('id-account', writer).expect(204);
  });

  it('lets every account write if it is everybody or, outside production, not set', async () => {
    for (const app of [open, product]) await app.post(tea).expect(201);
  });

  it('lets accounts with the role catalogue write if it is role:catalogue, or not set in production', async () => {
    for (const app of byRole) {
      const post = (roles: Record<string, string>) => app.post(tea).set(roles);
      const detail = expect.stringContaining('the role catalogue');
      expect(await post({ 'account-roles': 'operator,catalogues' })).toMatchObject({ status: 403, body: { detail } });
      expect((await post({})).status).toBe(403);
      expect((await post({ 'account-roles': 'catalogue,operator' })).status).toBe(201);
    }
  });

  it('does not apply to operators, who need only their credential, and can use If-Match', async () => {
    const seen = await etag();
    const set = (price: number, authorization: string) =>
      withCredential
        .put(`/internal${path}`, { ...tea, price })
        .set({ authorization, 'if-match': seen, 'id-account': writer });
    for (const wrong of ['', 'Bearer ', `Bearer ${newCredential()}`]) expect((await set(9, wrong)).status).toBe(403);
    expect((await product.get(path)).body.price).toBe(tea.price);
    expect(await set(2, `Bearer ${credential}`)).toMatchObject({ status: 200, body: { ...tea, price: 2 } });
    expect((await set(3, `Bearer ${credential}`)).status).toBe(412);
    expect((await product.get(path)).body.price).toBe(2);
  });

  it.each(['admin', `everybody,${writer}`, 'role:operator', `${writer};${writer}`])(
    'refuses to start with %s',
    (writers) => {
      const read = () => readConfig(configSchema, { DATABASE_URL: database.url, PRODUCT_WRITERS: writers });
      expect(read).toThrow(/PRODUCT_WRITERS: must be role:catalogue, account ids, comma-separated, or everybody/);
    },
  );
});
