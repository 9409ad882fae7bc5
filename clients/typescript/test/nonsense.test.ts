import { StoreProblem } from '../src/index.ts';
import { type Answer, id, order, problem, storeWith, tea } from './_server.ts';

const texts = ['', '{', 'null', '1', '"no"', '[]', '[1]', 'undefined', '\u0000'];
const values = [null, 0, false, '', [], {}, [null], [1], { a: 1 }];

it.each(texts)('a failure with the body %j is a problem', async (body) => {
  const { store } = await storeWith([{ status: 400, body }]);
  const failure = await store.getOrder({ path: { id } }).catch((error) => error);
  expect(failure).toBeInstanceOf(StoreProblem);
  expect(failure).toMatchObject({ status: 400, type: 'about:blank', message: 'The store answered 400.', errors: [] });
});

// Each field, with values of the wrong type.
it.each(['type', 'title', 'detail', 'errors', 'traceId', 'total', 'items', 'status'])(
  'drops a nonsensical %s from a problem',
  async (field) => {
    const { store } = await storeWith(values.map((value) => problem(409, { [field]: value })));
    for (const value of values) {
      const failure = await store.getOrder({ path: { id } }).catch((error) => error);
      expect(failure).toBeInstanceOf(StoreProblem);
      expect(failure.status).toBe(409);
      expect(failure.code).toBeUndefined();
      const { message, type, errors, traceId, total, items = [] } = failure;
      for (const text of [message, type, traceId ?? '']) expect(typeof text).toBe('string');
      expect({ value, errors, total, items }).toEqual({ value, errors: [], total: undefined, items: [] });
    }
  },
);

it('keeps the readable parts of a problem', async () => {
  const good = { path: 'body.name', message: 'is required' };
  const errors = [good, null, 'no', { path: 1, message: 'no' }, { path: 'body' }];
  const { store } = await storeWith([problem(400, { errors })]);
  await expect(store.getOrder({ path: { id } })).rejects.toMatchObject({ errors: [good] });
});

it.each(['{', 'undefined', '\u0000', '<p>'])(
  'rejects with a problem if the answer claims to be JSON but is %j',
  async (body) => {
    const { store, url } = await storeWith([{ status: 200, body }]);
    const failure = await store.getOrder({ path: { id } }).catch((error) => error);
    expect(failure).toBeInstanceOf(StoreProblem);
    expect(failure.message).toBe(`Got something else instead of JSON. Is ${url}/orders/${id} an address of the store?`);
  },
);

it.each([null, 1, 'no', {}, { content: null }, { content: { 0: 1 } }])(
  'rejects with a problem if the answer to a list is %j',
  async (body) => {
    const answer = { status: 200, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const { store } = await storeWith([answer, answer]);
    await expect(store.each('listOrders').next()).rejects.toBeInstanceOf(StoreProblem);
    await expect(store.pages('listProducts').next()).rejects.toBeInstanceOf(StoreProblem);
  },
);

it('rejects with a problem after the page if its link to the next page is no URL', async () => {
  const { store } = await storeWith([{ status: 200, headers: { link: '<http://[>; rel=next' }, body: [1] }]);
  const items = store.each('listProducts');
  expect(await items.next()).toMatchObject({ value: 1 });
  await expect(items.next()).rejects.toMatchObject({
    name: 'StoreProblem',
    message: expect.stringContaining('Got http://[ instead of a link to the next page.'),
  });
});

// All except 304, including statuses that fetch would not follow.
it.each([300, 301, 302, 303, 305, 307, 308])('does not follow a redirect by %i', async (status) => {
  const elsewhere = await storeWith([{ status: 200, body: {} }]);
  for (const location of ['/elsewhere', `${elsewhere.url}/elsewhere`]) {
    const redirect: Answer = { status, headers: { location } };
    const { store, url, requests } = await storeWith(Array.from({ length: 5 }, () => redirect));
    for (const call of [
      () => store.placeOrder({ body: order }),
      () => store.createProduct({ body: tea }),
      () => store.deleteAccount({ path: { id }, body: { password: 'a' } }),
      () => store.listProducts(),
    ]) {
      const message = `Got a redirect to ${location} instead of an answer.`;
      await expect(call()).rejects.toMatchObject({
        name: 'StoreProblem',
        status,
        message: expect.stringContaining(message),
      });
    }
    const failure = await store
      .orderEvents({ attempts: 1 })
      .next()
      .catch((error) => error);
    expect(failure).toMatchObject({ name: 'StoreProblem', status });
    expect(failure.message).toContain(`Is ${url}/orders/events an address of the store?`);
    expect(requests()).toEqual([
      'POST /orders',
      'POST /products',
      `DELETE /accounts/${id}`,
      'GET /products',
      'GET /orders/events',
    ]);
  }
  expect(elsewhere.seen).toEqual([]);
});

it('rejects with a problem for a redirect whose status the browser hides', async () => {
  const hidden = {
    type: 'opaqueredirect',
    status: 0,
    url: 'http://store/products',
    headers: new Headers(),
    text: async () => '',
  };
  const { store } = await storeWith([], { fetch: (async () => hidden) as unknown as typeof fetch });
  await expect(store.createProduct({ body: tea })).rejects.toMatchObject({
    name: 'StoreProblem',
    status: 0,
    message: 'Got a redirect instead of an answer. Is http://store/products an address of the store?',
  });
});
