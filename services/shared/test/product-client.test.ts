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

/** A product service that answers as a test wants it. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = (text: string, status = 200) =>
  serve((_req, res) => {
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
  });

const product = (price: string, id = tea) => `{"id":"${id}","name":"Tea","price":${price},"unit":"kg","since":"v2"}`;

it('asks for all products at once, within the trace of the request', async () => {
  const asked: { url?: string; traceparent?: string }[] = [];
  const url = await serve((req, res) => {
    asked.push({ url: req.url ?? '', traceparent: String(req.headers.traceparent) });
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
  expect(asked).toEqual([{ url: `/products?size=2&id=${tea}&id=${salt}`, traceparent: trace.traceparent }]);
});

it('keeps every digit of a price', async () => {
  for (const price of ['123456789012.3456', '999999999999.9999', '0.0001']) {
    const prices = await createProductClient(await answering(`[${product(price)}]`)).prices([tea]);
    expect(prices.get(tea)?.toFixed()).toBe(price);
  }
});

it('asks for at most 100 products per request', async () => {
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

it('leaves out products that there are not', async () => {
  const url = await answering(`[${product('1')}]`);
  expect([...(await createProductClient(url).prices([tea, salt])).keys()]).toEqual([tea]);
  expect((await createProductClient(await answering('[]')).prices([tea])).size).toBe(0);
});

const isUnavailable = {
  name: 'DomainError',
  kind: 'unavailable',
  retryAfterSeconds: 1,
  message: 'The product service is not available at the moment. Try again shortly.',
};

it.each([
  ['500', '{"detail":"secret"}', 500],
  ['404', `[${product('1')}]`, 404],
  ['503 with a proper body', `[${product('1')}]`, 503],
  ['nothing', '', 200],
  ['something that is no JSON', '<html>', 200],
  ['half a JSON text', '[{"id":', 200],
  ['an object', product('1'), 200],
  ['null', 'null', 200],
  ['a price as text', `[${product('"1"')}]`, 200],
  ['no price', `[{"id":"${tea}"}]`, 200],
  ['a negative price', `[${product('-1')}]`, 200],
  ['a price of 0', `[${product('0')}]`, 200],
  ['a price too large', `[${product('1e12')}]`, 200],
  ['a price too fine', `[${product('0.00001')}]`, 200],
  ['an id that is none', `[${product('1', 'x')}]`, 200],
  ['nesting without end', '['.repeat(100_000), 200],
])('is away when the service answers %s', async (_name, text, status) => {
  await expect(createProductClient(await answering(text, status)).prices([tea])).rejects.toMatchObject(isUnavailable);
});

it.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  ['never ends its answer', (_req, res) => void res.writeHead(200).write('[')],
  ['breaks off', (_req, res) => void res.writeHead(200, { 'Content-Length': 100 }).write('[', () => res.destroy())],
  ['hangs up', (req) => void req.socket.destroy()],
  ['leads round in circles', (req, res) => void res.writeHead(302, { Location: req.url }).end()],
])('is away when the service %s', async (_name, listener) => {
  await expect(createProductClient(await serve(listener), 200).prices([tea])).rejects.toMatchObject(isUnavailable);
});

it('is away when nobody listens or nobody has the name', async () => {
  await expect(createProductClient('http://127.0.0.1:1').prices([tea])).rejects.toMatchObject(isUnavailable);
  await expect(createProductClient('http://product.invalid').prices([tea])).rejects.toMatchObject(isUnavailable);
});

it('is there again when the service is', async () => {
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
