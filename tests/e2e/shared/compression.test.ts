import { parse } from 'yaml';
import { type Customer, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { read } from '../../kit/read.ts';
import { sharedStore } from '../_shared-store.ts';

const values = parse(read('charts/store/values.yaml'), { merge: true });
const compressed: [path: string][] = values.gateway.compressed.map((path: string) => [path]);

const store = sharedStore();
const anonymous = createSend(store.gatewayUrl);
const [ada, bob] = [await newCustomer(anonymous), await newCustomer(anonymous)];
await queryOnce(
  store.databaseUrl('product'),
  `insert into products (id, name, price, unit)
   select gen_random_uuid(), 'Gzip ' || n, n * 1.25, 'kg' from generate_series(1, 1000) n`,
);
await queryOnce(
  store.databaseUrl('status'),
  `insert into station_status (station_id, bikes_available, docks_available, time)
   select n % 50, n % 20, 20 - n % 20, now() + n * interval '1 minute' from generate_series(1, 1000) n`,
);

const get = (customer: Customer, path: string, headers: Record<string, string> = {}) =>
  customer.send('GET', path, undefined, { 'accept-encoding': 'gzip', ...headers });
const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? '';
const isCompressed = ({ headers }: { headers: Headers }) => headers.get('content-encoding') === 'gzip';

it.each(compressed)('%s is the same for every customer, and echoes nothing from the request', async (path) => {
  const forAda = await get(ada, `${path}?q=gzip&from=somewhere`, {
    'x-sent': 'somewhere',
    referer: 'http://somewhere',
  });
  expect(isCompressed(forAda)).toBe(true);
  expect(forAda.text).not.toMatch(/somewhere/);
  for (const secret of [ada.accountId, ada.email, ada.cookie]) expect(forAda.text).not.toContain(secret);
  expect((await get(bob, `${path}?q=gzip`)).text).toBe(forAda.text);
});

it('a compressed list has its own ETag, and returns 304 until it changes', async () => {
  const path = '/products?q=gzip&size=1000';
  const first = await get(ada, path);
  expect(isCompressed(first)).toBe(true);
  expect(tagOf(first)).toMatch(/^W\/"/);
  const again = await get(ada, path, { 'if-none-match': tagOf(first) });
  expect({ status: again.status, text: again.text, tag: tagOf(again) }).toEqual({
    status: 304,
    text: '',
    tag: tagOf(first),
  });

  const uncompressed = await get(ada, path, { 'accept-encoding': 'identity' });
  expect([tagOf(uncompressed), uncompressed.text]).toEqual([tagOf(first).slice(2), first.text]);
  expect(tagOf(await get(ada, path, { 'if-none-match': tagOf(uncompressed) }))).toBe(tagOf(uncompressed));

  await newProduct(ada, { name: 'Gzipped' });
  const changed = await get(ada, path, { 'if-none-match': tagOf(first) });
  expect([changed.status, isCompressed(changed)]).toEqual([200, true]);
  expect(tagOf(changed)).not.toBe(tagOf(first));
});

it('a single product has a strong ETag for conditions, whatever encoding its client accepts', async () => {
  const path = `/products/${await newProduct(ada)}`;
  const seen = await get(ada, path);
  const condition = { 'if-none-match': tagOf(seen) };
  for (const method of ['GET', 'HEAD'])
    expect(await ada.send(method, path, undefined, condition)).toMatchObject({ status: 304, text: '' });
  expect((await anonymous('GET', path, undefined, condition)).status).toBe(401);
  expect([isCompressed(seen), tagOf(seen)]).toEqual([false, expect.stringMatching(/^"/)]);
  const change = (price: number, tag: string) =>
    ada.send('PUT', path, { name: 'Tea', price, unit: 'kg' }, { 'accept-encoding': 'gzip', 'if-match': tag });
  expect((await change(2, `W/${tagOf(seen)}`)).status).toBe(412);
  expect((await change(2, tagOf(seen))).status).toBe(200);
  expect((await change(3, tagOf(seen))).status).toBe(412);
});
