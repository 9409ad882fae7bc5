import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { COOKIE, type Fixture, startUnlimited } from './_fixture.ts';
import { reply } from './_upstream.ts';

// docs/security.md, Lengths of compressed answers.

let gateway: Fixture;
beforeAll(async () => {
  gateway = await startUnlimited({ open: ['POST /auth/login', 'GET /products'] });
});
afterAll(() => gateway?.stop());

const list = JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ id: n, name: `Tea ${n}`, unit: 'kg' })));
const json = 'content-type: application/json; charset=utf-8';
const tag = '"an-entity-tag"';

/** Every service answers in this way. */
function answerAll(headers: string[] = [], body = list) {
  for (const service of [gateway.auth, ...Object.values(gateway.services)]) {
    const isAuth = service === gateway.auth;
    const given = reply(200, [json, `etag: ${tag}`, ...headers], body);
    service.answer(({ path }) => {
      if (isAuth && path === '/check') return reply(200, [`id-account: 0a6f3b86-5f0e-4f57-9d3e-3f5d7a1c0b11`]);
      return given;
    });
  }
}
beforeEach(() => answerAll());

interface Got {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  /** As it came over the wire. */
  bytes: Buffer;
}

async function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const sent = request({
    port: gateway.port,
    host: '127.0.0.1',
    path,
    method,
    headers: { cookie: COOKIE, 'accept-encoding': 'gzip, deflate, br, zstd', ...headers },
  });
  sent.end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

const variesBy = ({ vary = '' }: IncomingHttpHeaders) => vary.toLowerCase().split(/, ?/).sort();

describe.each(['/products', '/products?q=tea&size=1000', '/api/v1/status/?limit=1000'])('GET %s', (path) => {
  it('is compressed for who takes gzip, and has a weak tag', async () => {
    const { headers, bytes } = await get(path);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', etag: `W/${tag}` });
    expect(variesBy(headers)).toEqual(['accept-encoding', 'origin']);
    expect(gunzipSync(bytes).toString()).toBe(list);
    expect(bytes.length).toBeLessThan(list.length / 3);
  });

  it.each(['identity', 'gzip;q=0', 'br', ''])('comes as it is for Accept-Encoding: %s', async (encoding) => {
    const { headers, bytes } = await get(path, { 'accept-encoding': encoding });
    expect(headers).toMatchObject({ etag: tag, 'content-length': String(list.length) });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(variesBy(headers)).toEqual(['accept-encoding', 'origin']);
    expect(bytes.toString()).toBe(list);
  });

  it('is asked by the weak tag that came with it', async () => {
    gateway.clear();
    await get(path, { 'if-none-match': `W/${tag}` });
    expect(gateway.reached()).toMatchObject([{ headers: { 'if-none-match': `W/${tag}` } }]);
  });

  it('has the tag and the Vary of the 200 in its 304', async () => {
    const known = ['HTTP/1.1 304 Not Modified', `etag: W/${tag}`, '', ''].join('\r\n');
    for (const service of Object.values(gateway.services)) service.answer(known);
    const { status, headers, bytes } = await get(path, { 'if-none-match': `W/${tag}` });
    expect([status, headers.etag, bytes.length]).toEqual([304, `W/${tag}`, 0]);
    expect(variesBy(headers)).toEqual(['accept-encoding', 'origin']);
  });
});

it('is compressed without a token where the open list has it', async () => {
  expect((await get('/products', { cookie: '' })).headers).toMatchObject({ 'content-encoding': 'gzip' });
});

describe('as it is comes', () => {
  function expectAsItIs({ headers, bytes }: Got, body = list) {
    expect(headers).not.toHaveProperty('content-encoding');
    expect(bytes.toString()).toBe(body);
    expect(headers.etag).toBe(tag);
  }

  it.each([
    '/orders',
    '/orders?size=100',
    '/orders/1',
    '/accounts',
    '/accounts/1',
    '/products/1',
    '/products/',
    '/productsx',
    '/api/v1/status',
    '/orders/../accounts?/products',
    '/accounts?x=/products',
    '/auth/logout',
  ])('GET %s, which may have what is one customer’s', async (path) => {
    const got = await get(path);
    if (got.status === 404) expect(got.headers).not.toHaveProperty('content-encoding');
    else expectAsItIs(got);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s /products, which echoes what was sent', async (method) => {
    expectAsItIs(await get('/products', {}, method));
  });

  it('HEAD, with the length and the tag of the answer as it is', async () => {
    const got = await get('/products', {}, 'HEAD');
    expectAsItIs(got, '');
    expect(got.headers['content-length']).toBe(String(list.length));
  });

  it('POST /auth/login, which sets the cookie', async () => {
    answerAll(['set-cookie: __store_jwt_token=a.b.c']);
    expectAsItIs(await get('/auth/login', {}, 'POST'));
  });

  it('even a list, if it sets a cookie', async () => {
    answerAll(['set-cookie: a=secret']);
    const got = await get('/products');
    expect(got.headers['set-cookie']).toEqual(['a=secret']);
    expectAsItIs(got);
  });

  it('a problem, which has the path that was asked for', async () => {
    const problem = JSON.stringify({ detail: 'x'.repeat(2000) });
    gateway.services.product.answer(reply(400, ['content-type: application/problem+json', `etag: ${tag}`], problem));
    expectAsItIs(await get('/products?size=x'), problem);
  });

  it('what fits in a packet', async () => {
    answerAll([], '[]');
    expectAsItIs(await get('/products'), '[]');
  });
});
