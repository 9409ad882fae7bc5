import { readConfig } from '@store/shared/values/environment';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { configSchema } from '../src/config.ts';
import { accountId, tea, testApp, unknown } from './_app.ts';

const database = useDatabase('product');
const product = database.open(testApp);

const count = () => product.prisma.product.count();

describe('PRODUCT_WRITERS', () => {
  const writer = '11111111-1111-4111-8111-111111111111';
  const write = (method: 'post' | 'put' | 'delete', path: string, id: string) =>
    request(restricted.app)
      [method](path)
      .set('id-account', id)
      .send(method === 'delete' ? undefined : tea);
  let restricted: ReturnType<typeof testApp>;
  beforeAll(() => {
    restricted = testApp(database.url, { writers: writer });
  });
  afterAll(() => restricted.close());

  it('returns 403 for writes by other accounts and lets everybody read', async () => {
    const { headers } = await product.post(tea);
    const path = headers.location ?? '';
    const before = await count();
    for (const attempt of [
      write('post', '/products', accountId),
      write('put', path, accountId),
      write('put', unknown, accountId),
      write('delete', path, accountId),
    ]) {
      expect(await attempt).toMatchObject({ status: 403, body: { status: 403, title: 'Forbidden' } });
    }
    expect(await count()).toBe(before);
    expect((await restricted.get(path)).body).toMatchObject(tea);
    expect((await restricted.get('/products')).status).toBe(200);
  });

  it('lets a listed account write, with its id in any letter case', async () => {
    const posted = await write('post', '/products', writer.toUpperCase());
    expect(posted.status).toBe(201);
    expect((await write('put', posted.headers.location ?? '', writer)).status).toBe(200);
    expect((await write('delete', posted.headers.location ?? '', writer)).status).toBe(204);
  });

  it('lets every account write if it is everybody, and if it is not set', async () => {
    const open = testApp(database.url, { writers: 'everybody' });
    expect((await open.post(tea)).status).toBe(201);
    expect((await product.post(tea)).status).toBe(201);
    await open.close();
  });

  it.each([
    ['role:catalogue', { writers: 'role:catalogue' }],
    ['not set, in production', { production: true }],
  ])('lets accounts with the role catalogue write if it is %s', async (_, options) => {
    const byRole = testApp(database.url, options);
    const post = (roles: object) =>
      request(byRole.app)
        .post('/products')
        .set({ 'id-account': accountId, ...roles })
        .send(tea);
    const refused = await post({ 'account-roles': 'operator,catalogues' });
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('the role catalogue') } });
    expect((await post({})).status).toBe(403);
    expect((await post({ 'account-roles': 'catalogue,operator' })).status).toBe(201);
    await byRole.close();
  });

  it('does not concern operators, who write with their credential alone, in the state that they have seen', async () => {
    const credential = newCredential();
    const protectedApp = testApp(database.url, { writers: writer, credentials: credential });
    const { headers } = await product.post(tea);
    const { etag = '' } = (await product.get(headers.location ?? '')).headers;
    const set = (price: number, authorization: string) =>
      request(protectedApp.app)
        .put(`/internal${headers.location}`)
        .set({ authorization, 'if-match': etag, 'id-account': writer })
        .send({ ...tea, price });
    for (const wrong of ['', 'Bearer ', `Bearer ${newCredential()}`]) expect((await set(9, wrong)).status).toBe(403);
    expect((await product.get(headers.location ?? '')).body.price).toBe(tea.price);
    expect(await set(2, `Bearer ${credential}`)).toMatchObject({ status: 200, body: { ...tea, price: 2 } });
    expect((await set(3, `Bearer ${credential}`)).status).toBe(412);
    expect((await product.get(headers.location ?? '')).body.price).toBe(2);
    await protectedApp.close();
  });

  it.each([['admin'], [`everybody,${writer}`], ['role:operator'], [`${writer};${writer}`]])(
    'refuses to start with %s',
    (writers) => {
      const read = () => readConfig(configSchema, { DATABASE_URL: database.url, PRODUCT_WRITERS: writers });
      expect(read).toThrow(/PRODUCT_WRITERS: must be role:catalogue, account ids, comma-separated, or everybody/);
    },
  );
});
