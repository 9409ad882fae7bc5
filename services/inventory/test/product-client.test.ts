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

const product = (id = tea) => `{"id":"${id}","name":"Tea","price":12.50,"unit":"kg","since":"v2"}`;

it('asks for all products at once, within the trace of the event', async () => {
  const asked: { url?: string; traceparent?: string }[] = [];
  const url = await serve((req, res) => {
    asked.push({ url: req.url ?? '', traceparent: String(req.headers.traceparent) });
    res.end(`[${product()}]`);
  });
  const trace = traceFrom(undefined);
  const existing = await runInTrace(trace, () => createProductClient(url).existing([tea, salt]));
  expect(existing).toEqual(new Set([tea]));
  expect(asked).toEqual([{ url: `/products?size=2&id=${tea}&id=${salt}`, traceparent: trace.traceparent }]);
});

it('asks for no more than 100 at a time', async () => {
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

it.each([
  ['500', '{"detail":"secret"}', 500],
  ['404', `[${product()}]`, 404],
  ['503 with a proper body', `[${product()}]`, 503],
  ['nothing', '', 200],
  ['something that is no JSON', '<html>', 200],
  ['half a JSON text', '[{"id":', 200],
  ['an object', product(), 200],
  ['null', 'null', 200],
  ['an id that is none', `[${product('x')}]`, 200],
  ['no id', '[{}]', 200],
  ['nesting without end', '['.repeat(100_000), 200],
])('is away when the service answers %s', async (_name, text, status) => {
  await expect(createProductClient(await answering(text, status)).existing([tea])).rejects.toMatchObject(isUnavailable);
});

it.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  ['never ends its answer', (_req, res) => void res.writeHead(200).write('[')],
  ['breaks off', (_req, res) => void res.writeHead(200, { 'Content-Length': 100 }).write('[', () => res.destroy())],
  ['hangs up', (req) => void req.socket.destroy()],
  ['leads round in circles', (req, res) => void res.writeHead(302, { Location: req.url }).end()],
])('is away when the service %s', async (_name, listener) => {
  await expect(createProductClient(await serve(listener), 200).existing([tea])).rejects.toMatchObject(isUnavailable);
});

it('is away when nobody listens or nobody has the name', async () => {
  await expect(createProductClient('http://127.0.0.1:1').existing([tea])).rejects.toMatchObject(isUnavailable);
  await expect(createProductClient('http://product.invalid').existing([tea])).rejects.toMatchObject(isUnavailable);
});

it('is there again when the service is', async () => {
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
