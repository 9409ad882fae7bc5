import { createLog } from '@store/shared/observability/log';
import request from 'supertest';
import { testLog } from '../../../tests/kit/observability/log.ts';
import { queryOnce, unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../tests/kit/until.ts';
import { accountId, tea, testApp, unknown } from './_app.ts';

const database = useDatabase('product');
const appWith = (options: Parameters<typeof testApp>[1], url = database.url) =>
  database.closeLater(testApp(url, options));

function recordingLog() {
  const lines: string[] = [];
  const log = createLog('product', 'info', { write: (line) => void lines.push(line) });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}

const databaseAway = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: { type: 'urn:problem:store:database-away' },
};

describe('an unavailable database', () => {
  const proxy = database.open((url) => createTcpProxy(url), 'each');
  const product = database.open(() => testApp(proxy.url), 'each');

  it('makes routes return 503 until it is back, without revealing its address', async () => {
    const path = (await product.post(tea)).headers.location ?? '';
    await proxy.set('refuse');
    for (const attempt of [product.get('/products'), product.get(path), product.post(tea)]) {
      const answer = await attempt;
      expect(answer).toMatchObject(databaseAway);
      expect(answer.text).not.toMatch(/ECONN|prisma|127\.0\.0\.1|postgres/i);
    }
    await proxy.set('pass');
    await until('the product is found', async () => (await product.get(path)).status === 200);
    expect((await product.get(path)).body).toMatchObject(tea);
  });

  it('makes only writes return 503 while it is read-only', async () => {
    const readOnly = new URL(database.url);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    const { log, lines } = recordingLog();
    const replica = appWith({ log }, readOnly.href);
    await replica.get('/products').expect(200);
    expect(await replica.post(tea)).toMatchObject(databaseAway);
    expect(lines.join()).toContain('read-only transaction');
  });

  describe.each(['40001', '40P01'])('that rolls back a write because of concurrent ones (%s)', (code) => {
    const rollBackFirst = (times: number) =>
      queryOnce(
        database.url,
        `create sequence attempts;
         create function conflict() returns trigger language plpgsql as $$ begin
           if nextval('attempts') <= ${times} then raise exception 'conflict' using errcode = '${code}'; end if;
           return new;
         end $$;
         create trigger conflict before insert on products for each row execute function conflict()`,
      );
    afterEach(() => queryOnce(database.url, 'drop function conflict cascade; drop sequence attempts'));

    it('causes a retry', async () => {
      await rollBackFirst(3);
      expect((await product.post(tea)).status).toBe(201);
    });

    it('causes 503 after ten failed attempts', async () => {
      await rollBackFirst(1_000);
      expect(await product.post(tea)).toMatchObject(databaseAway);
      expect(await queryOnce(database.url, 'select last_value::int as attempts from attempts')).toEqual([
        { attempts: 10 },
      ]);
    });
  });

  it('makes a request return 503 within seconds when its connections go silent, but no later request', async () => {
    await product.get('/products').expect(200);
    await proxy.set('silent');
    await product.get('/products').expect(503);
    await proxy.set('pass');
    await product.get('/products').expect(200);
  });
});

describe('an unexpected error', () => {
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
      const env = { APP_PROFILE: production ? 'prod' : 'dev', PRODUCT_WRITERS: 'everybody' };
      const product = appWith({ log, env, repository: failing });
      for (const sent of [product.get('/products'), product.get(unknown), product.post(tea)]) {
        const answer = await sent.set('traceparent', `00-${traceId}-b7ad6b7169203331-01`);
        expect(answer).toMatchObject({ status: 500, type: 'application/problem+json', body: { traceId } });
        expect(answer.text).not.toMatch(/hunter2|relation|\.ts/);
      }
      const failures = parsed().filter(({ level }) => level === 'error');
      const logged = { traceId, err: { message: secret, stack: expect.any(String) } };
      expect(failures).toMatchObject([logged, logged, logged]);
    },
  );

  it('is reported for responses that violate the OpenAPI document, except in production', async () => {
    const repository = { list: async () => ({ json: '[{"id":"x"}]', next: undefined, version: '' }) };
    const log = testLog('product', /does not declare/);
    expect((await appWith({ repository, log }).get('/products')).status).toBe(500);
    expect((await appWith({ repository, env: { APP_PROFILE: 'prod' } }).get('/products')).body).toEqual([{ id: 'x' }]);
  });
});

describe('the request log', () => {
  it('has one JSON line per request with path, status and trace id', async () => {
    const { log, parsed } = recordingLog();
    const product = appWith({ log });
    await product.get('/products?size=1').set('x-request-id', '0af76519-16cd-43dd-8448-eb211c80319c');
    const line = {
      level: 'info',
      service: 'product',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      req: { method: 'GET', path: '/products' },
      res: { status: 200 },
      durationMs: expect.any(Number),
    };
    expect(parsed()).toEqual([expect.objectContaining(line)]);
  });

  it('contains no token, cookie, body or query', async () => {
    const { log, lines } = recordingLog();
    const broken = appWith({ log, repository: { find: () => Promise.reject(new Error('broken')) } });
    const unavailable = appWith({ log }, unreachableDatabaseUrl.replace('nothing', 'hidden-password'));
    const secrets = {
      'id-account': accountId,
      cookie: '__store_jwt_token=hidden-cookie',
      authorization: 'Bearer hidden-bearer',
    };
    const invalid = { ...tea, name: 'hidden-name', price: 'hidden-price' };
    await request(broken.app).post('/products?token=hidden-query').set(secrets).send(invalid);
    await broken.get(`${unknown}?q=hidden-query`).set(secrets);
    await broken.get('/products?size=hidden-size');
    await unavailable.post({ ...tea, name: 'hidden-name' });
    await unavailable.get('/products?q=hidden-query');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes('hidden'))).toEqual([]);
  });
});
