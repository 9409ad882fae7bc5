import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { uploadOf } from '@store/shared/http/body';
import { serve } from '../../../tests/kit/listen.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { partsOf } from '../src/imports/part-splitter.ts';
import { accountId, tea, testApp } from './_app.ts';
import { counts, importsOf, lineOf, lines, ndjson } from './_imports.ts';

const database = useDatabase('product', 'each');
const product = database.open(testApp);
const stranger = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c002';
const restricted = database.open((url) => testApp(url, { env: { PRODUCT_WRITERS: 'role:catalogue' } }));
const { imported, rows } = importsOf(product);
const lineOfJson = (json: string) => `{"sku":"A","name":"Tea","price":1,"unit":"kg",${json}}`;

/** Sends a body as it is made, without a stated length. */
async function stream(body: AsyncIterable<string | Buffer>) {
  const address = await serve(product.app);
  const answer = await fetch(`${address}/products/imports`, {
    method: 'POST',
    headers: { 'id-account': accountId, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(body)) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

async function* repeated(text: string, count: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.from(text);
  for (let n = 0; n < count; n += 1) yield chunk;
}

describe('an import', () => {
  it.each([
    ['a million keys', lineOfJson(Array.from({ length: 4_000 }, (_, n) => `"k${n}":1`).join()), 'holds more than 1000'],
    ['deep nesting', lineOfJson(`"x":${'['.repeat(20_000)}${']'.repeat(20_000)}`), 'nested deeper than 20'],
    ['unclosed nesting', `{"sku":${'{"a":'.repeat(10_000)}`, 'nested deeper than 20'],
    ['a number of many digits', `{"sku":"A","name":"Tea","unit":"kg","price":${'9'.repeat(50_000)}}`, 'price:'],
    ['a large exponent', `{"sku":"A","name":"Tea","unit":"kg","price":1e999999999}`, 'price:'],
    ['NUL', lineOfJson('"description":"\\u0000"'), 'description: must not contain control characters'],
    ['a raw control character', lineOfJson('"description":"\u0001"'), 'not valid JSON'],
    ['a lone surrogate', lineOfJson('"category":"\\udc00"'), 'category: must not contain control characters'],
    ['no text', 'null', 'the line: must be an object'],
  ])('with a line of %s refuses the line alone', async (_, line, message) => {
    const job = await imported(ndjson([line, lineOf(1)]));
    expect(job).toMatchObject({ state: 'DONE', ...counts(1, 0, 0, 1) });
    expect(job.errors).toEqual([{ line: 1, message: expect.stringContaining(message) }]);
    expect(JSON.stringify(job.errors).length).toBeLessThan(500);
  });

  it.each<[string, Buffer]>([
    ['an overlong NUL', Buffer.from([0xc0, 0x80])],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
    ['half a character', Buffer.from([0xe2, 0x82])],
    ['a character beyond the last', Buffer.from([0xf4, 0x90, 0x80, 0x80])],
    ['Latin-1', Buffer.from([0xe9])],
  ])('with %s in the bytes of a line refuses the line alone', async (_, bytes) => {
    const [before = '', after = ''] = ndjson([lineOf(1, { name: 'A|B' })]).split('|');
    const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after + ndjson([lineOf(2)]))]);
    expect(await imported(body)).toMatchObject({ ...counts(1, 0, 0, 1), errors: [{ line: 1 }] });
  });

  it('takes CRLF and a mark of UTF-8, also where files were joined', async () => {
    const file = `\ufeff${ndjson([lineOf(1), lineOf(2)]).replaceAll('\n', '\r\n')}\r\n`;
    expect(await imported(file)).toMatchObject({ lines: 3, ...counts(2, 0, 0, 0) });
    expect(await imported(ndjson([lineOf(3)]) + file)).toMatchObject({ lines: 4, ...counts(1, 0, 2, 0) });
    expect((await rows()).map(({ sku }) => sku)).toEqual([1, 2, 3].map((n) => lineOf(n).sku));
  });

  it('reads bytes that are not UTF-8 as an error', async () => {
    const body = Buffer.concat([
      Buffer.from('{"sku":"\xff'),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from(ndjson([lineOf(1)])),
    ]);
    expect(await imported(body)).toMatchObject({ ...counts(1, 0, 0, 1), errors: [{ line: 1 }] });
  });

  it.each(['__proto__', 'constructor', 'toString'])('ignores the key %s', async (key) => {
    const json = lineOfJson(`"${key}":{"category":"polluted","polluted":true}`);
    expect(
      await imported(ndjson([json, json.replace('"A"', '"B"').replace('"price":1', '"price":12345678901234.123456')])),
    ).toMatchObject(counts(1, 0, 0, 1));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((await rows()).map(({ category }) => category)).toEqual([null]);
  });

  it('of a million lines with one sku imports the first, in bounded memory', async () => {
    const line = ndjson([{ sku: 'A', name: 'T', price: 1, unit: 'k' }]);
    const { status } = await stream(repeated(line.repeat(10_000), 100));
    expect(status).toBe(202);
    for (let n = 0; n < 20; n += 1) await product.importNext();
    const [job] = await product.prisma.productImport.findMany();
    expect(job).toMatchObject({ lines: 1_000_000, linesRead: 10_000, ...counts(1, 0, 0, 9_999) });
    expect(job?.errors).toHaveLength(100);
  });

  it('of more than a million lines is 413, and leaves nothing', async () => {
    expect(await stream(repeated('\n'.repeat(100_001), 10))).toMatchObject({ status: 413 });
    expect(await product.prisma.productImport.count()).toBe(0);
  });

  it('of one endless line holds its beginning, and is 413 at the limit', async () => {
    let held = 0;
    const endless = partsOf(repeated('x'.repeat(65_536), 1_000));
    for await (const { lines } of endless) held = lines.length;
    expect(held).toBe(65_537);
    expect(await stream(repeated('x'.repeat(1_048_576), 66))).toMatchObject({
      status: 413,
      body: { detail: 'The body is larger than 65536 KiB.' },
    });
    expect(await product.prisma.productImport.count()).toBe(0);
  });

  it('with a stated length beyond the limit is 413 before it is read', async () => {
    const refused = await product.upload('x').set('content-length', '67108865');
    expect(refused.status).toBe(413);
    expect(await product.prisma.productImport.count()).toBe(0);
  });

  it('whose client goes away leaves nothing, and the next one is accepted', async () => {
    const { port } = new URL(await serve(product.app));
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /products/imports HTTP/1.1\r\nhost: x\r\nid-account: ${accountId}\r\ncontent-type: application/x-ndjson\r\ncontent-length: 1000000\r\n\r\n`,
    );
    socket.write(ndjson(lines(600)));
    await until('a part was stored', async () => (await product.prisma.productImportPart.count()) > 0);
    socket.destroy();
    await until('the import is gone', async () => (await product.prisma.productImport.count()) === 0);
    expect(await imported(lines(1))).toMatchObject({ state: 'DONE' });
    expect(await rows()).toHaveLength(1);
  });

  it('whose client trickles bytes or never ends is cut off in time', async () => {
    const address = await serve(async (req, res) => {
      let bytes = 0;
      try {
        for await (const chunk of uploadOf(req as never, 1_000, 300)) bytes += chunk.length;
        res.end(String(bytes));
      } catch (error) {
        cutOff = (error as Error).message;
      }
    });
    let cutOff = '';
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const trickle = setInterval(() => socket.write('1\r\nx\r\n'), 20);
    // Not once(), which rejects with the reset that some machines see first.
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(trickle);
    expect(cutOff).toBe('The request was aborted.');
  });

  it.each([
    ['application/json', {}],
    ['text/plain', {}],
    ['', {}],
    ['application/x-ndjson; charset=latin1', {}],
    ['application/x-ndjson', { 'content-encoding': 'gzip' }],
  ])('as %s %j is 415', async (type, headers) => {
    await product
      .upload(ndjson(lines(1)))
      .set({ 'content-type': type, ...headers })
      .expect(415);
    expect(await product.prisma.productImport.count()).toBe(0);
  });
});

describe('imports and exports', () => {
  it('of an account are one at a time, also if several are sent at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 3 }, () => product.upload(ndjson(lines(600)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 429, 429]);
    expect(await product.prisma.productImport.count()).toBe(1);
    while (await product.importNext());
    expect(await rows()).toHaveLength(600);
  });

  it('of other accounts are neither seen, listed, changed nor repeated, whatever is asked', async () => {
    const { id } = await imported(lines(2));
    const [before, products] = [await product.prisma.productImport.findMany(), await rows()];
    const asStranger = { 'id-account': stranger, 'account-roles': 'operator,catalogue' };
    const guesses = [
      `/products/imports/${id}`,
      `/products/imports/${id.toUpperCase()}`,
      `/products/imports/${id}?id=${id}`,
    ];
    for (const path of guesses) {
      const answer = await product.get(path).set(asStranger).expect(404);
      expect(answer.text).not.toMatch(/T-00000|DONE/);
    }
    await product.get('/products/imports').set(asStranger).expect(405);
    for (const path of [...guesses, `/products/imports/${id}/attempts`]) {
      const { status } = await product.upload(ndjson(lines(1)), path, stranger);
      expect([404, 405]).toContain(status);
    }
    expect(await product.prisma.productImport.findMany()).toEqual(before);
    expect(await rows()).toEqual(products);
  });

  it('of another account are 404', async () => {
    const { id } = await imported(lines(1));
    await product.get(`/products/imports/${id}`).set('id-account', stranger).expect(404);
    await product.get(`/products/imports/${id}`).expect(401);
  });

  it('are refused without the right to write, and for keys without the scope', async () => {
    const file = ndjson(lines(1));
    const as = (roles: string) => ({ 'account-roles': roles });
    await restricted.upload(file).expect(403);
    await restricted.upload(file).set(as('operator')).expect(403);
    await restricted.get('/products/export').set('id-account', accountId).expect(403);
    await restricted.put('/products?sku=A', tea).expect(403);
    const { headers } = await restricted.upload(file).set(as('catalogue')).expect(202);
    for (const scopes of ['', 'orders:write,stock:write']) {
      const key = { 'account-scopes': scopes };
      await product.upload(file).set(key).expect(403);
      await product.put('/products?sku=A', tea).set(key).expect(403);
      await product
        .get(headers.location ?? '')
        .set({ 'id-account': accountId, ...key })
        .expect(403);
      await product
        .get('/products/export')
        .set({ 'id-account': accountId, ...key })
        .expect(403);
    }
    const key = { 'id-account': accountId, 'account-scopes': 'products:write' };
    await product
      .get(headers.location ?? '')
      .set(key)
      .expect(200);
    await product.get('/products/export').set(key).expect(200);
    expect(await rows()).toEqual([]);
  });
});
