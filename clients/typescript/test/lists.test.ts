import { storeWith } from './_server.ts';

const page = (link: string, ...body: unknown[]) => ({ status: 200, headers: { link }, body });

it('follows the links of an array', async () => {
  const { store, requests } = await storeWith([
    page('</products?q=tea&after=one>; rel="next"', 1, 2),
    { status: 200, body: [3] },
  ]);
  const found: unknown[] = [];
  for await (const one of store.each('listProducts', { query: { q: 'tea' } })) found.push(one);
  expect(found).toEqual([1, 2, 3]);
  expect(requests()).toEqual(['GET /products?q=tea', 'GET /products?q=tea&after=one']);
});

it('follows the links of envelopes, and stops when the caller does', async () => {
  const envelope = { ...page('</orders?after=x>; rel="next"'), body: { content: [1, 2], page: {} } };
  const { store, seen } = await storeWith([envelope, envelope, envelope]);
  const found: unknown[] = [];
  for await (const one of store.each('listOrders')) if (found.push(one) === 3) break;
  expect(found).toEqual([1, 2, 1]);
  expect(seen).toHaveLength(2);
});

it('reads changes of orders to the end, with the position to continue from', async () => {
  const orders = (next: string, ...content: unknown[]) => ({ status: 200, body: { content, next } });
  const { store, requests } = await storeWith([
    { ...orders('p1', 1, 2), headers: { link: '</store/orders?limit=2&changedAfter=p1>; rel="next"' } },
    orders('p2', 3),
  ]);
  const found: unknown[] = [];
  let position = 'p0';
  for await (const { content, next } of store.pages('listStoreOrders', {
    query: { changedAfter: position, limit: 2 },
  })) {
    found.push(...content);
    position = next;
  }
  expect([found, position]).toEqual([[1, 2, 3], 'p2']);
  expect(requests()).toEqual([
    'GET /store/orders?changedAfter=p0&limit=2',
    'GET /store/orders?limit=2&changedAfter=p1',
  ]);
});

// RFC 8288, 3.
it.each([
  '</products?after=x>; rel=next',
  '</products?after=x>;rel="next"',
  '<?after=x> ; title="a, b; c" ; REL="last Next"',
  '</products?page=0>; rel="first", <https://elsewhere.example/products?after=x>; rel="next"',
  '</products?page=0>; title="<no>; rel=next, \\"no\\""; rel=prev,</products?after=x>; rel=next',
  '</products?page=0>; rel=prev; rel=next, </products?after=x>; rel=next',
  '</products?page=0>; rel=next; anchor="/elsewhere", </products?after=x>; rel=next',
])('finds the next page in %s', async (link) => {
  const { store, requests } = await storeWith([page(link), page('</products?page=0>; rel="prev"')]);
  for await (const _ of store.pages('listProducts'));
  expect(requests()).toEqual(['GET /products', 'GET /products?after=x']);
});

it.each([
  '</products?page=0>; rel="prev next-archive"',
  '</products?page=0>; rel=last; title="rel=next"',
  '</products?page=0>; rel="nextish"',
  'rel=next',
  '<',
])('finds no next page in %s', async (link) => {
  const { store, seen } = await storeWith([page(link)]);
  for await (const _ of store.pages('listProducts'));
  expect(seen).toHaveLength(1);
});
