import { order, storeWith, tea } from './_server.ts';

const answered = () => storeWith(Array.from({ length: 20 }, () => ({ status: 200, body: {} })));
// As JavaScript would call it.
const untyped = async () => {
  const { store, requests, seen } = await answered();
  return { store: store as unknown as Record<string, (input: object) => Promise<unknown>>, requests, seen };
};

it('sends a Date in a query as a time of RFC 3339, alone, in a list and in an object', async () => {
  const { store, requests } = await untyped();
  const time = new Date('2026-03-01T12:00:00.5Z');
  await store.listOrders?.({ query: { createdFrom: time, size: 1 } });
  await store.listOrders?.({ query: { createdFrom: [time], metadata: { at: time, no: true } } });
  expect(requests()).toEqual([
    'GET /orders?createdFrom=2026-03-01T12%3A00%3A00.500Z&size=1',
    'GET /orders?createdFrom=2026-03-01T12%3A00%3A00.500Z&metadata%5Bat%5D=2026-03-01T12%3A00%3A00.500Z&metadata%5Bno%5D=true',
  ]);
});

it.each<[string, unknown]>([
  ['query.q cannot be sent: it is null.', null],
  ['query.q cannot be sent: it is NaN.', Number.NaN],
  ['query.q cannot be sent: it is Infinity.', Number.POSITIVE_INFINITY],
  ['query.q cannot be sent: it is an invalid Date.', new Date('soon')],
  ['query.q cannot be sent: it is of the kind Map.', new Map([['a', 1]])],
  ['query.q cannot be sent: it is of the kind Set.', new Set(['a'])],
  ['query.q cannot be sent: it is a function.', () => 1],
  ['query.q cannot be sent: it is a symbol.', Symbol('a')],
  ['query.q cannot be sent: it is of the kind Array.', [['a']]],
  ['query.q cannot be sent: it is of the kind Object.', [{ a: 1 }]],
  ['query.q[a] cannot be sent: it is of the kind Object.', { a: { b: 1 } }],
  ['query.q cannot be sent: it is "\\ud83d".', '\ud83d'],
])('says that %s', async (message, q) => {
  const { store, seen } = await untyped();
  await expect(store.listProducts?.({ query: { q } })).rejects.toEqual(new TypeError(message));
  expect(seen).toEqual([]);
});

it.each<[string, object | undefined]>([
  ['missing', undefined],
  ['missing', {}],
  ['missing', { id: undefined }],
  ['null', { id: null }],
  ['empty', { id: '' }],
  ['"."', { id: '.' }],
  ['".."', { id: '..' }],
  ['NaN', { id: Number.NaN }],
  ['of the kind Object', { id: {} }],
  ['of the kind Array', { id: ['a'] }],
  ['a Date', { id: new Date(0) }],
  ['true', { id: true }],
])('sends no request if a path parameter is %s: %j', async (what, path) => {
  const { store, seen } = await untyped();
  for (const operation of ['getOrder', 'deleteOrder', 'cancelOrder', 'replaceProduct']) {
    const failure = await store[operation]?.({ path }).catch((error) => error);
    expect(failure).toEqual(new TypeError(`path.id cannot be sent: it is ${what}.`));
  }
  expect(seen).toEqual([]);
});

it.each(['a/../b', './a', 'a?b#c', '%2e%2e', '...', 'ü', 1])('keeps %j as one segment of the path', async (id) => {
  const { store, requests } = await untyped();
  await store.getOrder?.({ path: { id } });
  expect(requests()).toEqual([`GET /orders/${encodeURIComponent(id)}`]);
});

it.each<[string, unknown]>([
  ['null', null],
  ['of the kind Object', {}],
  ['an invalid Date', new Date('soon')],
])('sends no header that is %s', async (what, tag) => {
  const { store, seen } = await untyped();
  const message = `header.if-match cannot be sent: it is ${what}.`;
  await expect(store.deleteProduct?.({ path: { id: 'a' }, header: { 'if-match': tag } })).rejects.toThrow(message);
  expect(seen).toEqual([]);
});

// JSON cannot express these values: JSON.stringify writes null or {}, or omits them.
it.each<[string, unknown]>([
  ['NaN', Number.NaN],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['1', 1n],
  ['an invalid Date', new Date('soon')],
  ['of the kind Map', new Map([['a', 1]])],
  ['of the kind Promise', Promise.resolve(1)],
  ['a function', () => 1],
])('sends no body whose price is %s', async (what, price) => {
  const { store, seen } = await untyped();
  const failure = await store.createProduct?.({ body: { ...tea, price } }).catch((error) => error);
  expect(failure).toEqual(new TypeError(`body.price cannot be sent: it is ${what}.`));
  expect(seen).toEqual([]);
});

it('sends every body that JSON can express', async () => {
  const { store, seen } = await untyped();
  class Item {
    productId = 'a';
    quantity = 1;
    note = undefined;
  }
  const at = new Date(0);
  const body = { ...order, items: [new Item()], a: null, b: false, c: '\ud83d', d: at, e: {}, f: [], g: undefined };
  await store.placeOrder?.({ body });
  expect(seen[0]?.body).toBe(JSON.stringify(body));
});
