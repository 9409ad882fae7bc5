import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { root } from '../../tools/paths.ts';
import { newCustomer, newProduct } from '../kit/customer.ts';
import { createSend } from '../kit/http.ts';
import { serve } from '../kit/listen.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startTestStore, type TestStore } from './_store.ts';

// Runs the program of the helm test pod against a whole store.

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
}, 120_000);
afterAll(() => store?.stop(), 60_000);

async function helmTest(gateway: string, env: Record<string, string> = {}) {
  const options = { cwd: root, env: { NODE_OPTIONS: '', GATEWAY: gateway, ...env }, all: true, reject: false } as const;
  const { exitCode, all } = await execa('node', ['charts/store/files/test.mjs'], options);
  return { exitCode, said: all.split('\n') };
}

const rows = (database: string, sql: string) => queryOnce<Record<string, unknown>>(store.databaseUrl(database), sql);

/** A gateway that refuses one operation; by default, that customers write products. */
const refusing = (refused: string, problem = {}) =>
  serve(async (request, response) => {
    const { method = '', url, headers } = request;
    if (`${method} ${url}` === refused) {
      response.writeHead(403, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
      return;
    }
    const { cookie = '', 'content-type': type = '' } = headers;
    const body = await text(request);
    const answer = await fetch(store.gatewayUrl + url, {
      method,
      headers: { cookie, 'content-type': type },
      ...(body && { body }),
    });
    response.writeHead(answer.status, { 'set-cookie': answer.headers.getSetCookie() }).end(await answer.text());
  });

it('orders its own product, and removes product, order and account', async () => {
  const { exitCode, said } = await helmTest(store.gatewayUrl, { MAIL_DOMAIN: 'test.example.org' });
  expect([exitCode, said.at(-1)]).toEqual([0, 'The store works.']);
  expect(await rows('account', 'select * from accounts')).toEqual([]);
  expect(await rows('product', 'select * from products')).toEqual([]);
  const [order] = await rows('order', 'select status, deleted_at is not null as deleted from orders');
  expect(order).toEqual({ status: 'CANCELLED', deleted: true });
});

it('orders the cheapest product in stock if customers may not write products, and fails only if all are out of stock', async () => {
  const gateway = await refusing('POST /products');
  const isNew = await helmTest(gateway);
  const nothing = 'Nothing is ordered: there is no product yet.';
  expect(isNew).toMatchObject({ exitCode: 0, said: expect.arrayContaining([nothing, 'The store works.']) });
  expect(await rows('account', 'select * from accounts')).toEqual([]);
  const ada = await newCustomer(createSend(store.gatewayUrl));
  const ids = [
    await newProduct(ada, { price: 3 }),
    await newProduct(ada, { price: 2 }),
    await newProduct(ada, { price: 1 }),
  ];
  const setStock = (id: string | undefined, available: number) =>
    createSend(store.url('inventory'))('PUT', `/stock/${id}`, { available });
  await setStock(ids[2], 0);
  expect(await helmTest(gateway)).toMatchObject({ exitCode: 0 });
  const items = 'select product_id as id from order_items join orders on orders.id = order_id order by created_at desc';
  expect((await rows('order', items))[0]).toEqual({ id: ids[1] });
  for (const id of ids) await setStock(id, 0);
  const reason = expect.stringContaining('No product is in stock, so nothing could be ordered.');
  expect(await helmTest(gateway)).toMatchObject({ exitCode: 1, said: expect.arrayContaining([reason]) });
  expect(await rows('account', 'select id from accounts')).toEqual([{ id: ada.accountId }]);
});

it('removes the account if its order is refused, and fails unless the reason is an unconfirmed address', async () => {
  const unconfirmed = { type: 'urn:problem:store:email-not-confirmed', detail: 'Confirm the address first.' };
  const passed = await helmTest(await refusing('POST /orders', unconfirmed));
  expect(passed).toMatchObject({ exitCode: 0, said: expect.arrayContaining([expect.stringContaining('Confirm the')]) });
  expect(await helmTest(await refusing('POST /orders'))).toMatchObject({ exitCode: 1 });
  expect(await rows('account', "select * from accounts where name = 'Helm test'")).toEqual([]);
  expect(await rows('product', "select * from products where name = 'Helm test'")).toEqual([]);
});
