import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStore, type StoreOptions, StoreProblem } from '../src/index.ts';

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}
interface Seen {
  request: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server that gives these answers, one after another; `'gone'` closes the connection instead. */
async function storeWith(answers: (Answer | 'gone')[], options: Partial<StoreOptions> = {}) {
  const seen: Seen[] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    seen.push({ request: `${req.method} ${req.url}`, headers: req.headers, body });
    const answer = answers.shift() ?? { status: 500 };
    if (answer === 'gone') return req.socket.destroy();
    const type = answer.status < 400 ? 'application/json' : 'application/problem+json';
    res.writeHead(
      answer.status,
      answer.body === undefined ? answer.headers : { 'content-type': type, ...answer.headers },
    );
    res.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { store: createStore({ url: `http://127.0.0.1:${port}`, ...options }), seen };
}

const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const order = { items: [{ productId: id, quantity: 1 }] };
const requests = (seen: Seen[]) => seen.map(({ request }) => request);

it('calls operations by their names, with path, query and body', async () => {
  const { store, seen } = await storeWith([
    { status: 200, body: { id } },
    { status: 200, body: [] },
    { status: 204 },
    { status: 201, body: { id } },
  ]);
  expect(await store.getOrder({ path: { id } })).toEqual({ id });
  expect(await store.listProducts({ query: { id: [id, id], q: 'a b' } })).toEqual([]);
  expect(await store.deleteProduct({ path: { id } })).toBeUndefined();
  expect(await store.createProduct({ body: { name: 'Tea', price: 1, unit: 'g' } })).toEqual({ id });
  expect(requests(seen)).toEqual([
    `GET /orders/${id}`,
    `GET /products?id=${id}&id=${id}&q=a%20b`,
    `DELETE /products/${id}`,
    'POST /products',
  ]);
  expect(JSON.parse(seen[3]?.body ?? '')).toEqual({ name: 'Tea', price: 1, unit: 'g' });
});

it('rejects with the problem that the store answers', async () => {
  const errors = [{ path: 'body.email', message: 'must be an e-mail address' }];
  const body = {
    type: 'urn:problem:store:x',
    title: 'Bad Request',
    status: 400,
    detail: 'The email is wrong.',
    errors,
    traceId: 'abc',
  };
  const { store } = await storeWith([{ status: 400, body }]);
  const failure = await store.logIn({ body: { email: 'x', password: 'y' } }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreProblem);
  expect(failure).toMatchObject({
    message: 'The email is wrong.',
    status: 400,
    type: 'urn:problem:store:x',
    errors,
    traceId: 'abc',
  });
});

it('has a problem also for a reply that is none', async () => {
  const { store } = await storeWith([{ status: 500 }]);
  await expect(store.checkHealth()).rejects.toMatchObject({
    status: 500,
    type: 'about:blank',
    message: 'The store answered 500.',
  });
});

describe('repetition', () => {
  it('repeats an order under the same key until it is answered', async () => {
    const { store, seen } = await storeWith(['gone', { status: 503, body: {} }, { status: 201, body: { id } }]);
    expect(await store.placeOrder({ body: order })).toEqual({ id });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
    expect(seen.map(({ body }) => JSON.parse(body))).toEqual([order, order, order]);
  });

  it('uses a key of the caller', async () => {
    const { store, seen } = await storeWith([{ status: 201, body: {} }]);
    await store.placeOrder({ body: order, header: { 'idempotency-key': 'mine' } });
    expect(seen[0]?.headers['idempotency-key']).toBe('mine');
  });

  it('waits as long as the store asks', async () => {
    const { store } = await storeWith([
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 200, body: [] },
    ]);
    const begin = Date.now();
    await store.listAccounts();
    expect(Date.now() - begin).toBeGreaterThanOrEqual(990);
  });

  it('does not wait longer than it may', async () => {
    const { store, seen } = await storeWith([{ status: 429, headers: { 'retry-after': '900' } }]);
    await expect(store.listAccounts()).rejects.toMatchObject({ status: 429, retryAfterMs: 900_000 });
    expect(seen).toHaveLength(1);
  });

  it('gives up after so many attempts', async () => {
    const unavailable = { status: 503, body: { detail: 'Away.' } };
    const { store, seen } = await storeWith([unavailable, unavailable, unavailable], { attempts: 2 });
    await expect(store.listAccounts()).rejects.toThrow('Away.');
    expect(seen).toHaveLength(2);
  });

  it.each<[string, Answer | 'gone']>([
    ['a broken connection', 'gone'],
    ['503', { status: 503, body: {} }],
  ])('does not repeat what may happen twice after %s', async (_, answer) => {
    const { store, seen } = await storeWith([answer, { status: 201, body: {} }]);
    await expect(store.createProduct({ body: { name: 'Tea', price: 1, unit: 'g' } })).rejects.toThrow();
    expect(seen).toHaveLength(1);
  });

  it('ends when the caller gives up', async () => {
    const { store, seen } = await storeWith([{ status: 503, headers: { 'retry-after': '5' } }]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    await expect(store.listAccounts(undefined, { signal: controller.signal })).rejects.toThrow(/abort/i);
    expect(seen).toHaveLength(1);
  });
});

describe('lists', () => {
  it('follow the links of an array', async () => {
    const { store, seen } = await storeWith([
      { status: 200, headers: { link: `</products?q=tea&after=one>; rel="next"` }, body: [1, 2] },
      { status: 200, body: [3] },
    ]);
    const found: unknown[] = [];
    for await (const one of store.each('listProducts', { query: { q: 'tea' } })) found.push(one);
    expect(found).toEqual([1, 2, 3]);
    expect(requests(seen)).toEqual(['GET /products?q=tea', 'GET /products?q=tea&after=one']);
  });

  it('follow the links of envelopes, and end where the caller does', async () => {
    const page = {
      status: 200,
      headers: { link: '</orders?after=x>; rel="next"' },
      body: { content: [1, 2], page: {} },
    };
    const { store, seen } = await storeWith([page, page, page]);
    const found: unknown[] = [];
    for await (const one of store.each('listOrders')) if (found.push(one) === 3) break;
    expect(found).toEqual([1, 2, 1]);
    expect(seen).toHaveLength(2);
  });
});
