import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { createProductClient } from '../src/product-client.ts';

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

const product = (id = tea) => `{"id":"${id}","name":"Tea","price":12.50,"unit":"kg","since":"v2"}`;

test('product client requests all products at once, within the current trace', async () => {
  const requested: { url?: string; traceparent?: string }[] = [];
  const url = await serve((req, res) => {
    requested.push({ url: req.url ?? '', traceparent: String(req.headers.traceparent) });
    res.end(`[${product()}]`);
  });
  const trace = traceFrom(undefined);
  const existing = await runInTrace(trace, () => createProductClient(url).existing([tea, salt]));
  expect(existing).toEqual(new Set([tea]));
  expect(requested).toEqual([{ url: `/products?size=2&id=${tea}&id=${salt}`, traceparent: trace.traceparent }]);
});

test('product client requests at most 100 products at a time', async () => {
  const sizes: number[] = [];
  const url = await serve((req, res) => {
    const ids = new URL(req.url ?? '', 'http://products').searchParams.getAll('id');
    sizes.push(ids.length);
    res.end(`[${ids.map((id) => product(id)).join()}]`);
  });
  const ids = Array.from({ length: 230 }, () => randomUUID());
  expect(await createProductClient(url).existing(ids)).toEqual(new Set(ids));
  expect(sizes).toEqual([100, 100, 30]);
});

const isUnavailable = {
  name: 'DomainError',
  kind: 'unavailable',
  retryAfterSeconds: 1,
  message: 'The product service is not available at the moment. Try again shortly.',
};

test.each([
  ['500', '{"detail":"secret"}', 500],
  ['404', `[${product()}]`, 404],
  ['503 with a proper body', `[${product()}]`, 503],
  ['an empty body', '', 200],
  ['a body that is not JSON', '<html>', 200],
  ['truncated JSON', '[{"id":', 200],
  ['an object', product(), 200],
  ['null', 'null', 200],
  ['an invalid id', `[${product('x')}]`, 200],
  ['no id', '[{}]', 200],
  ['deeply nested arrays', '['.repeat(100_000), 200],
])('product client treats the service as unavailable when it returns %s', async (_name, text, status) => {
  await expect(createProductClient(await serveText(text, status)).existing([tea])).rejects.toMatchObject(isUnavailable);
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
  await expect(createProductClient(await serve(listener), 200).existing([tea])).rejects.toMatchObject(isUnavailable);
});

test('product client treats the service as unavailable when its port is closed or its name unknown', async () => {
  await expect(createProductClient('http://127.0.0.1:1').existing([tea])).rejects.toMatchObject(isUnavailable);
  await expect(createProductClient('http://product.invalid').existing([tea])).rejects.toMatchObject(isUnavailable);
});

test('product client works again once the service is available', async () => {
  let isUp = false;
  const url = await serve((req, res) => {
    if (isUp) res.end(`[${product()}]`);
    else req.socket.destroy();
  });
  const client = createProductClient(url);
  await expect(client.existing([tea])).rejects.toMatchObject(isUnavailable);
  isUp = true;
  expect((await client.existing([tea])).size).toBe(1);
});
