import { createLog } from '@store/shared/observability/log';
import request from 'supertest';
import { testLog } from '../../../tests/kit/observability/log.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';
import { accountId, tea, testApp, unknown } from './_app.ts';

const database = useDatabase('product');
const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

function appWith(options: Parameters<typeof testApp>[1], url = database.url) {
  const product = testApp(url, options);
  opened.push(product);
  return product;
}

function recordingLog() {
  const lines: string[] = [];
  const log = createLog('product', 'info', { write: (line) => void lines.push(line) });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}

describe('unavailable database', () => {
  it('makes every route return 503 with Retry-After until it is back, and loses no data', async () => {
    const proxy = await createTcpProxy(database.url);
    const { log, lines } = recordingLog();
    const product = appWith({ log }, proxy.url);
    opened.push(proxy);
    const { headers } = await product.post(tea);
    const path = headers.location ?? '';
    const direct = appWith({});
    const before = await direct.prisma.product.count();
    // Kept replies are no more than others.
    for (const kept of ['/products', path]) for (const _ of [1, 2, 3]) await product.get(kept).expect(200);

    await proxy.set('refuse');
    for (const attempt of [
      product.get('/products'),
      product.get(path),
      product.post(tea),
      product.put(path, { ...tea, name: 'Coffee' }),
      product.delete(path),
    ]) {
      const { status, headers: received, body, text } = await attempt;
      expect({ status, retryAfter: received['retry-after'] }).toEqual({ status: 503, retryAfter: '1' });
      expect(body).toMatchObject({
        type: 'urn:problem:store:database-away',
        title: 'Service Unavailable',
        status: 503,
      });
      expect(text).not.toMatch(/ECONN|prisma|127\.0\.0\.1|postgres/i);
    }
    expect(lines.filter((line) => line.includes('"level":"warn"'))).toHaveLength(5);

    await proxy.set('pass');
    expect((await product.get(path)).body).toMatchObject(tea);
    expect(await direct.prisma.product.count()).toBe(before);
  });

  it('makes only writes return 503 while it is read-only', async () => {
    const readOnly = new URL(database.url);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    const { log, parsed } = recordingLog();
    const product = appWith({ log }, readOnly.href);
    expect((await product.get('/products')).status).toBe(200);
    const { status, headers, body } = await product.post(tea);
    expect({ status, retryAfter: headers['retry-after'], type: body.type }).toEqual({
      status: 503,
      retryAfter: '1',
      type: 'urn:problem:store:database-away',
    });
    expect(JSON.stringify(parsed())).toContain('read-only transaction');
  });

  it('makes kept replies 503 within seconds when its connections bring no answers any more, and no later ones', async () => {
    const proxy = await createTcpProxy(database.url);
    opened.push(proxy);
    const product = appWith({}, proxy.url);
    for (const _ of [1, 2, 3]) await product.get('/products').expect(200);
    await proxy.set('silent');
    const silent = product.get('/products').then(({ status }) => status);
    expect(await silent).toBe(503);
    await proxy.set('pass');
    await product.get('/products').expect(200);
  });

  it('makes requests return 503 within seconds when it accepts connections without responding', async () => {
    const proxy = await createTcpProxy(database.url);
    await proxy.set('silent');
    opened.push(proxy);
    const product = appWith({}, proxy.url);
    expect(await product.get('/products')).toMatchObject({
      status: 503,
      body: { type: 'urn:problem:store:database-away' },
    });
  });
});

describe('unexpected error', () => {
  const secret = 'relation "products" does not exist: password=hunter2';
  const failing = {
    list: () => Promise.reject(new Error(secret)),
    insert: () => Promise.reject(new TypeError(secret)),
    find: () => {
      throw new Error(secret);
    },
  };
  const traceId = '0af7651916cd43dd8448eb211c80319c';

  it.each([true, false])(
    'returns 500 with nothing but a trace id and logs the details (production: %s)',
    async (production) => {
      const { log, parsed } = recordingLog();
      const product = appWith({ log, production, writers: 'everybody', repository: failing });
      for (const sent of [product.get('/products'), product.get(unknown), product.post(tea)]) {
        const { status, body, headers, text } = await sent.set('traceparent', `00-${traceId}-b7ad6b7169203331-01`);
        expect({ status, body }).toEqual({
          status: 500,
          body: {
            type: 'about:blank',
            title: 'Internal Server Error',
            status: 500,
            instance: expect.stringMatching(/^\/products/),
            detail: 'Something went wrong on our side. Please mention the trace id when you report it.',
            traceId,
          },
        });
        expect(headers['content-type']).toContain('application/problem+json');
        expect(text).not.toMatch(/hunter2|relation|\.ts/);
      }
      const failures = parsed().filter(({ msg }) => msg === 'Request failed unexpectedly');
      expect(failures).toHaveLength(3);
      expect(parsed().filter(({ level }) => level === 'error')).toEqual(failures);
      for (const line of failures) {
        expect(line).toMatchObject({ level: 'error', traceId, err: { message: secret, stack: expect.any(String) } });
      }
    },
  );

  it('returns a new trace id when the request has none', async () => {
    const { log, parsed } = recordingLog();
    const { body } = await appWith({ log, repository: failing }).get('/products');
    expect(body.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(parsed().map((line) => line.traceId)).toEqual([body.traceId, body.traceId]);
  });

  it('is reported for responses that violate the OpenAPI document, except in production', async () => {
    const repository = { list: async () => ({ json: '[{"id":"x"}]', next: undefined, version: '' }) };
    const log = testLog('product', /does not declare/);
    expect((await appWith({ repository, log }).get('/products')).status).toBe(500);
    expect((await appWith({ repository, production: true }).get('/products')).body).toEqual([{ id: 'x' }]);
  });
});

describe('request log', () => {
  it('has one JSON line per request with path, status and trace id', async () => {
    const { log, parsed } = recordingLog();
    const product = appWith({ log });
    await product.get('/products?size=1').set('x-request-id', '0af76519-16cd-43dd-8448-eb211c80319c');
    expect(parsed()).toEqual([
      expect.objectContaining({
        level: 'info',
        service: 'product',
        msg: 'Request handled',
        traceId: '0af7651916cd43dd8448eb211c80319c',
        req: { method: 'GET', path: '/products' },
        res: { status: 200 },
        durationMs: expect.any(Number),
      }),
    ]);
  });

  it('contains no token, cookie, body or query', async () => {
    const { log, lines } = recordingLog();
    const unavailable = appWith({ log }, 'postgresql://nobody:hidden-db@127.0.0.1:1/unreachable');
    const product = appWith({ log, repository: { find: () => Promise.reject(new Error('broken')) } });
    const send = (app: typeof product.app, path: string) =>
      request(app)
        .post(path)
        .set({
          'id-account': accountId,
          cookie: '__store_jwt_token=hidden-cookie',
          authorization: 'Bearer hidden-bearer',
        })
        .send({ ...tea, name: 'hidden-name', price: 'hidden-price' });
    await send(product.app, '/products?token=hidden-query');
    await product.get(`${unknown}?q=hidden-query`).set('cookie', '__store_jwt_token=hidden-cookie');
    await product.get('/products?size=hidden-size');
    await unavailable.post({ ...tea, name: 'hidden-name' });
    await unavailable.get('/products?q=hidden-query');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes('hidden'))).toEqual([]);
  });
});
