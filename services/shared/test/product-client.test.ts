import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProductClient } from '../src/contracts/product-client.ts';
import { runInTrace, traceFrom } from '../src/observability/trace-context.ts';
import { Decimal } from '../src/values/money.ts';

const tea = '00000000-0000-4000-8000-0000000007ea';
const salt = '00000000-0000-4000-8000-000000005a17';

const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

/** A fake product service. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serveText = (text: string, status = 200) =>
  serve((_req, res) => {
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
  });

const product = (price: string, id = tea) => `{"id":"${id}","name":"Tea","price":${price},"unit":"kg","since":"v2"}`;

test('product client requests all products at once, within the current trace', async () => {
  const requested: { url?: string; traceparent?: string }[] = [];
  const url = await serve((req, res) => {
    requested.push({ url: req.url ?? '', traceparent: String(req.headers.traceparent) });
    res.end(`[${product('4.50')},${product('1', salt)}]`);
  });
  const trace = traceFrom(undefined);
  const prices = await runInTrace(trace, () => createProductClient(url).prices([tea, salt]));
  expect(prices).toEqual(
    new Map([
      [tea, new Decimal('4.5')],
      [salt, new Decimal(1)],
    ]),
  );
  expect(requested).toEqual([{ url: `/products?size=2&id=${tea}&id=${salt}`, traceparent: trace.traceparent }]);
});

test('product client keeps every digit of a price', async () => {
  for (const price of ['123456789012.3456', '999999999999.9999', '0.0001']) {
    const prices = await createProductClient(await serveText(`[${product(price)}]`)).prices([tea]);
    expect(prices.get(tea)?.toFixed()).toBe(price);
  }
});

test('product client asks for at most 100 products per request', async () => {
  const sizes: number[] = [];
  const url = await serve((req, res) => {
    const ids = new URL(req.url ?? '', 'http://products').searchParams.getAll('id');
    sizes.push(ids.length);
    res.end(`[${ids.map((id) => product('1', id)).join()}]`);
  });
  const ids = Array.from({ length: 230 }, () => randomUUID());
  expect([...(await createProductClient(url).prices(ids)).keys()]).toEqual(ids);
  expect(sizes).toEqual([100, 100, 30]);
});

test('product client omits unknown products', async () => {
  const url = await serveText(`[${product('1')}]`);
  expect([...(await createProductClient(url).prices([tea, salt])).keys()]).toEqual([tea]);
  expect((await createProductClient(await serveText('[]')).prices([tea])).size).toBe(0);
});

const isUnavailable = {
  name: 'DomainError',
  kind: 'unavailable',
  retryAfterSeconds: 1,
  message: 'The product service is not available at the moment. Try again shortly.',
};

test.each([
  ['500', '{"detail":"secret"}', 500],
  ['404', `[${product('1')}]`, 404],
  ['503 with a proper body', `[${product('1')}]`, 503],
  ['an empty body', '', 200],
  ['a body that is not JSON', '<html>', 200],
  ['truncated JSON', '[{"id":', 200],
  ['an object', product('1'), 200],
  ['null', 'null', 200],
  ['a price as a string', `[${product('"1"')}]`, 200],
  ['no price', `[{"id":"${tea}"}]`, 200],
  ['a negative price', `[${product('-1')}]`, 200],
  ['a price of 0', `[${product('0')}]`, 200],
  ['a price that is too large', `[${product('1e12')}]`, 200],
  ['a price with too many decimals', `[${product('0.00001')}]`, 200],
  ['an invalid id', `[${product('1', 'x')}]`, 200],
  ['deeply nested arrays', '['.repeat(100_000), 200],
])('product client treats the service as unavailable when it returns %s', async (_name, text, status) => {
  await expect(createProductClient(await serveText(text, status)).prices([tea])).rejects.toMatchObject(isUnavailable);
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
  await expect(createProductClient(await serve(listener), 200).prices([tea])).rejects.toMatchObject(isUnavailable);
});

test('product client treats the service as unavailable when its port is closed or its name unknown', async () => {
  await expect(createProductClient('http://127.0.0.1:1').prices([tea])).rejects.toMatchObject(isUnavailable);
  await expect(createProductClient('http://product.invalid').prices([tea])).rejects.toMatchObject(isUnavailable);
});

test('product client works again once the service is available', async () => {
  let isUp = false;
  const url = await serve((req, res) => {
    if (isUp) res.end(`[${product('1')}]`);
    else req.socket.destroy();
  });
  const client = createProductClient(url);
  await expect(client.prices([tea])).rejects.toMatchObject(isUnavailable);
  isUp = true;
  expect((await client.prices([tea])).size).toBe(1);
});
