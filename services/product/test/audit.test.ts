import { deleteOldChanges } from '@store/shared/database/audit';
import { createLog } from '@store/shared/observability/log';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { paginate } from '../../../tests/kit/http.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import { accountId, tea, testApp, unknown } from './_app.ts';

const credential = newCredential();
const database = useDatabase('product', 'each');
const product = database.open((url) => testApp(url, { env: { INTERNAL_CREDENTIALS: credential } }));
const quiet = database.open((url) => testApp(url, { log: createLog('product', 'silent') }));

const operator = { authorization: `Bearer ${credential}`, 'operator-name': 'J%C3%B6rg' };
const change = (path: string, body: object) => product.put(`/internal${path}`, body).set(operator);
const read = (path = '/internal/audit') => product.get(path).set(operator);
const trail = async (path?: string) => (await read(path).expect(200)).body;

describe('the audit trail of products', () => {
  it('has the actor and the exact state before and after each change', async () => {
    const { headers, body: created } = await product.post('{"name":"Tea","price":123456789012.1234,"unit":"kg"}');
    const path = headers.location ?? '';
    const { body: changed } = await change(path, { ...tea, price: 5 }).expect(200);
    await product.delete(path).expect(204);
    const entry = { kind: 'product', subject: created.id, at: expect.stringMatching(/Z$/), id: expect.any(String) };
    expect(await trail()).toEqual([
      { ...entry, actor: `account ${accountId}`, before: changed, after: null },
      { ...entry, actor: 'operator Jörg', before: created, after: changed },
      { ...entry, actor: `account ${accountId}`, before: null, after: created },
    ]);
    expect((await read()).text).toContain('"price": 123456789012.1234');
  });

  it('has no entry for a refused change', async () => {
    const path = (await product.post(tea)).headers.location ?? '';
    await product.put(path, tea).set('if-match', '"another"').expect(412);
    await product.put(path, { ...tea, version: 7 }).expect(409);
    await product.put(unknown, tea).expect(404);
    await product.delete(unknown).expect(404);
    await change(path, { ...tea, price: -1 }).expect(400);
    expect(await trail()).toHaveLength(1);
  });

  it('refuses a change that it cannot record', async () => {
    await queryOnce(database.url, 'alter table audit add check (false) not valid');
    expect((await quiet.post(tea)).status).toBe(500);
    expect(await product.prisma.product.count()).toBe(0);
  });

  it('has no entry for a change whose commit fails', async () => {
    const path = (await product.post(tea)).headers.location ?? '';
    await whileCommitsFail(database.url, 'products', async () => {
      const changes = [quiet.post(tea), quiet.put(path, { ...tea, price: 9 }), quiet.delete(path)];
      for (const change of changes) expect((await change).status).toBe(500);
    });
    expect((await product.get(path)).body).toMatchObject(tea);
    expect(await trail()).toHaveLength(1);
  });

  it('has each of many concurrent changes once, in the order in which they took effect', async () => {
    const path = (await product.post(tea)).headers.location ?? '';
    await Promise.all(Array.from({ length: 8 }, (_, n) => product.put(path, { ...tea, price: n + 10 }).expect(200)));
    const states = (await trail()).map(({ before, after }: { before: object; after: object }) => [before, after]);
    for (const [n, [before]] of states.slice(0, -1).entries()) expect(before).toEqual(states[n + 1][1]);
    expect(states).toHaveLength(9);
  });

  it('can be read in pages, for one product, and only by operators', async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push((await product.post(tea)).body.id);
    const pages = await paginate(read, '/internal/audit?size=2');
    expect(pages.flat().map(({ subject }) => subject)).toEqual(ids.toReversed());
    expect(await trail(`/internal/audit?subject=${ids[2]}`)).toMatchObject([{ subject: ids[2] }]);
    for (const refused of ['after=x', 'size=0', 'subject=tea']) await read(`/internal/audit?${refused}`).expect(400);
    await product.get('/internal/audit').expect(403);
  });

  it('can be filtered by actors, by time, and by the beginning of an id', async () => {
    const { body } = await product.post(tea);
    for (const name of ['ann', 'ben', 'cy'])
      await product
        .put(`/internal/products/${body.id}`, tea)
        .set({ ...operator, 'operator-name': name })
        .expect(200);
    await queryOnce(database.url, `update audit set at = '2026-05-04T12:00:00Z' where actor = 'operator ben'`);
    const actors = async (query: string) =>
      (await trail(`/internal/audit?${query}`)).map(({ actor }: { actor: string }) => actor);
    expect(await actors('actor=operator+ann')).toEqual(['operator ann']);
    const pages = await paginate(read, '/internal/audit?size=1&actor=operator+ann&actor=operator+cy');
    expect(pages.flat().map(({ actor }) => actor)).toEqual(['operator cy', 'operator ann']);
    expect(await actors('from=2026-05-04T12:00:00Z&to=2026-05-04T12:00:00.001Z')).toEqual(['operator ben']);
    expect(await actors('from=2026-05-04T12:00:00.001Z&to=2026-05-05T00:00:00%2B01:00')).toEqual([]);
    expect(await actors(`subject=${body.id.slice(0, 8).toUpperCase()}`)).toHaveLength(4);
    expect(await actors(`subject=${body.id.slice(0, 7)}${body.id[7] === '0' ? '1' : '0'}`)).toEqual([]);
    for (const refused of ['from=yesterday', 'subject=abc', 'subject=----', 'actor='])
      await read(`/internal/audit?${refused}`).expect(400);
  });

  it('is kept for 400 days', async () => {
    for (const days of [399, 401]) {
      await product.post(tea);
      await queryOnce(
        database.url,
        `update audit set at = now() - interval '${days} days' where at > now() - interval '1 day'`,
      );
    }
    const [, kept] = await trail();
    await deleteOldChanges(product);
    expect(await trail()).toEqual([kept]);
  });
});
