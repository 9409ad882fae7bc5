import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { COOKIE, goodAuth, useGateway } from './_fixture.ts';
import { reply } from './_upstream.ts';

// See docs/security.md, Lengths of compressed answers.

const gateway = useGateway({ open: ['POST /auth/login', 'GET /products'] });

const list = JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ id: n, name: `Tea ${n}`, unit: 'kg' })));
const tag = '"an-entity-tag"';

/** Makes every service answer in this way. */
function answerAll(headers: string[] = [], body = list) {
  const answer = reply(200, ['content-type: application/json; charset=utf-8', `etag: ${tag}`, ...headers], body);
  for (const service of Object.values(gateway.services)) service.answer(answer);
  gateway.auth.answer((seen) => (seen.path === '/check' ? goodAuth(seen) : answer));
}
beforeEach(() => answerAll());

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const given = { cookie: COOKIE, 'accept-encoding': 'gzip, deflate, br, zstd', ...headers };
  const sent = request({ port: gateway.port, host: '127.0.0.1', path, method, headers: given });
  const [response] = await once(sent.end(), 'response');
  /** The body as it came over the wire. */
  const bytes = await buffer(response);
  return { status: response.statusCode, headers: response.headers as IncomingHttpHeaders, bytes };
}

const variesBy = ({ vary = '' }: IncomingHttpHeaders) => vary.toLowerCase().split(/, ?/).sort();

describe.each(['/products', '/products?q=tea&size=1000', '/api/v1/status/?limit=1000'])('GET %s', (path) => {
  it('is compressed for clients that accept gzip, and has a weak ETag', async () => {
    const { headers, bytes } = await get(path);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', etag: `W/${tag}` });
    expect(variesBy(headers)).toEqual(['accept-encoding', 'origin']);
    expect(gunzipSync(bytes).toString()).toBe(list);
    expect(bytes.length).toBeLessThan(list.length / 3);
  });

  it.each(['identity', 'gzip;q=0', 'br', ''])('is uncompressed for Accept-Encoding: %s', async (encoding) => {
    const { headers, bytes } = await get(path, { 'accept-encoding': encoding });
    expect(headers).toMatchObject({ etag: tag, 'content-length': String(list.length) });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(variesBy(headers)).toEqual(['accept-encoding', 'origin']);
    expect(bytes.toString()).toBe(list);
  });

  it('forwards its weak ETag as a condition, and returns it with Vary in a 304', async () => {
    const known = ['HTTP/1.1 304 Not Modified', `etag: W/${tag}`, '', ''].join('\r\n');
    for (const service of Object.values(gateway.services)) service.answer(known);
    const { status, headers, bytes } = await get(path, { 'if-none-match': `W/${tag}` });
    expect(gateway.reached()).toMatchObject([{ headers: { 'if-none-match': `W/${tag}` } }]);
    expect([status, headers.etag, bytes.length]).toEqual([304, `W/${tag}`, 0]);
    expect(variesBy(headers)).toEqual(['accept-encoding', 'origin']);
  });
});

it('a list is compressed without a token if the open list has it', async () => {
  expect((await get('/products', { cookie: '' })).headers).toMatchObject({ 'content-encoding': 'gzip' });
});

describe('uncompressed is', () => {
  function expectAsItIs({ headers, bytes }: Awaited<ReturnType<typeof get>>, body = list) {
    expect(headers).not.toHaveProperty('content-encoding');
    expect(bytes.toString()).toBe(body);
    expect(headers.etag).toBe(tag);
  }

  it.each([
    ...['/orders', '/orders?size=100', '/orders/1', '/accounts', '/accounts/1', '/accounts?x=/products'],
    ...['/products/1', '/products/', '/api/v1/status', '/orders/../accounts?/products', '/auth/logout'],
  ])('GET %s, which may contain a customer’s data', async (path) => {
    expectAsItIs(await get(path));
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s /products, which echoes the request', async (method) => {
    expectAsItIs(await get('/products', {}, method));
  });

  it('HEAD, with the length and the ETag of the uncompressed answer', async () => {
    const got = await get('/products', {}, 'HEAD');
    expectAsItIs(got, '');
    expect(got.headers['content-length']).toBe(String(list.length));
  });

  it.each([
    ['POST', '/auth/login'],
    ['GET', '/products'],
  ])('an answer that sets a cookie, even a list: %s %s', async (method, path) => {
    answerAll(['set-cookie: a=secret']);
    const got = await get(path, {}, method);
    expect(got.headers['set-cookie']).toEqual(['a=secret']);
    expectAsItIs(got);
  });

  it('a problem, which contains the requested path', async () => {
    const problem = JSON.stringify({ detail: 'x'.repeat(2000) });
    gateway.services.product.answer(reply(400, ['content-type: application/problem+json', `etag: ${tag}`], problem));
    expectAsItIs(await get('/products?size=x'), problem);
  });

  it('an answer that fits in a packet', async () => {
    answerAll([], '[]');
    expectAsItIs(await get('/products'), '[]');
  });
});
