import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { serve } from '../../../tests/kit/listen.ts';
import { until } from '../../../tests/kit/until.ts';
import { createProductClient } from '../src/contracts/product-client.ts';
import { runInTrace, traceFrom } from '../src/observability/trace-context.ts';
import { Decimal } from '../src/values/money.ts';

const tea = '00000000-0000-4000-8000-0000000007ea';
const salt = '00000000-0000-4000-8000-000000005a17';

const serveText = (text: string, status = 200) =>
  serve((_req, res) => {
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
  });

const teasOf = (prices: Record<string, string>) =>
  new Map(Object.entries(prices).map(([id, price]) => [id, { name: 'Tea', sku: null, price: new Decimal(price) }]));
const product = (price: string, id = tea) => `{"id":"${id}","name":"Tea","price":${price},"unit":"kg","since":"v2"}`;

it('product client requests all products at once, within the current trace', async () => {
  const requested: { url?: string; traceparent?: string }[] = [];
  const url = await serve((req, res) => {
    requested.push({ url: req.url ?? '', traceparent: String(req.headers.traceparent) });
    res.end(`[${product('4.50')},${product('999999999999.9999', salt)}]`);
  });
  const trace = traceFrom(undefined);
  const found = await runInTrace(trace, () => createProductClient(url).find([tea, salt]));
  expect(found).toEqual(teasOf({ [tea]: '4.5', [salt]: '999999999999.9999' }));
  expect(requested).toEqual([{ url: `/products?size=2&id=${tea}&id=${salt}`, traceparent: trace.traceparent }]);
});

it('product client asks for at most 100 products per request', async () => {
  const sizes: number[] = [];
  const url = await serve((req, res) => {
    const ids = new URL(req.url ?? '', 'http://products').searchParams.getAll('id');
    sizes.push(ids.length);
    res.end(`[${ids.map((id) => product('1', id)).join()}]`);
  });
  const ids = Array.from({ length: 230 }, () => randomUUID());
  expect([...(await createProductClient(url).find(ids)).keys()]).toEqual(ids);
  expect(sizes.sort()).toEqual([100, 100, 30]);
});

it('product client omits unknown products', async () => {
  const url = await serveText(`[${product('1')}]`);
  expect([...(await createProductClient(url).find([tea, salt])).keys()]).toEqual([tea]);
  expect((await createProductClient(await serveText('[]')).find([tea])).size).toBe(0);
});

const isUnavailable = {
  name: 'DomainError',
  kind: 'unavailable',
  retryAfterSeconds: 1,
  message: 'The product service is not available at the moment. Try again shortly.',
};

it.each([
  ['500', '{"detail":"secret"}', 500],
  ['503 with a proper body', `[${product('1')}]`, 503],
  ['an empty body', '', 200],
  ['a body that is not JSON', '<html>', 200],
  ['an object', product('1'), 200],
  ['a price as a string', `[${product('"1"')}]`, 200],
  ['no price', `[{"id":"${tea}"}]`, 200],
  ['a negative price', `[${product('-1')}]`, 200],
  ['a price of 0', `[${product('0')}]`, 200],
  ['a price with too many decimals', `[${product('0.00001')}]`, 200],
  ['an invalid id', `[${product('1', 'x')}]`, 200],
  ['no name', `[{"id":"${tea}","price":1}]`, 200],
  ['deeply nested arrays', '['.repeat(100_000), 200],
])('product client treats the service as unavailable when it returns %s', async (_name, text, status) => {
  await expect(createProductClient(await serveText(text, status)).find([tea])).rejects.toMatchObject(isUnavailable);
});

test.each<[string, RequestListener]>([
  ['never responds', () => undefined],
  ['never ends its response', (_req, res) => void res.writeHead(200).write('[')],
  [
    'truncates its response',
    (_req, res) => void res.writeHead(200, { 'Content-Length': 100 }).write('[', () => res.destroy()),
  ],
  ['closes the connection', (req) => void req.socket.destroy()],
  ['redirects in circles', (req, res) => void res.writeHead(302, { Location: req.url }).end()],
])('product client treats the service as unavailable when it %s', async (_name, listener) => {
  await expect(createProductClient(await serve(listener), 200).find([tea])).rejects.toMatchObject(isUnavailable);
});

it('product client treats the service as unavailable when its port is closed or its name unknown', async () => {
  await expect(createProductClient('http://127.0.0.1:1').find([tea])).rejects.toMatchObject(isUnavailable);
  await expect(createProductClient('http://product.invalid').find([tea])).rejects.toMatchObject(isUnavailable);
});

describe('calls at the same time', () => {
  /** A product service that answers when the test lets it, and the ids that were requested. */
  async function heldService(priceOf: (id: string) => string = () => '1') {
    const requests: { ids: string[]; answer(status?: number): void }[] = [];
    const url = await serve((req, res) => {
      const ids = new URL(req.url ?? '', 'http://products').searchParams.getAll('id');
      const text = `[${ids.map((id) => product(priceOf(id), id)).join()}]`;
      requests.push({ ids, answer: (status = 200) => void res.writeHead(status).end(text) });
    });
    return { client: createProductClient(url), requests, asked: () => requests.map(({ ids }) => ids) };
  }

  it('share a request, which begins after each of them', async () => {
    let price = '1';
    const { client, requests, asked } = await heldService(() => price);
    const first = client.find([tea]);
    await until('the first request has arrived', () => requests.length === 1);
    price = '2';
    const later = [client.find([tea, salt]), client.find([salt])];
    await until('the second request has arrived', () => requests.length === 2);
    for (const { answer } of requests) answer();
    expect(asked()).toEqual([[tea], [tea, salt]]);
    expect(await first).toEqual(teasOf({ [tea]: '1' }));
    expect(await Promise.all(later)).toEqual([teasOf({ [tea]: '2', [salt]: '2' }), teasOf({ [salt]: '2' })]);
  });

  it('do not fail together if one of them asks for more than fits into a request', async () => {
    const { client, requests } = await heldService();
    const many = client.find(Array.from({ length: 150 }, () => randomUUID()));
    many.catch(() => undefined);
    const few = [client.find([tea]), client.find([salt])];
    await until('both requests have arrived', () => requests.length === 2);
    for (const { ids, answer } of requests) answer(ids.includes(tea) ? 200 : 500);
    await expect(many).rejects.toMatchObject(isUnavailable);
    expect((await Promise.all(few)).map(({ size }) => size)).toEqual([1, 1]);
  });

  it('do not fail because of an invalid price or id of another call', async () => {
    const url = await serve((req, res) => {
      const ids = new URL(req.url ?? '', 'http://products').searchParams.getAll('id');
      res.end(`[${ids.map((id) => product(id === salt ? '0' : '1', id)).join()}]`);
    });
    const { find } = createProductClient(url);
    const calls = [find([tea, salt]), find([tea, 'x&size=0', '']), find([tea])];
    const [odd, ...others] = await Promise.allSettled(calls);
    expect(odd).toMatchObject({ status: 'rejected', reason: isUnavailable });
    for (const call of others) expect(call).toEqual({ status: 'fulfilled', value: teasOf({ [tea]: '1' }) });
  });
});
