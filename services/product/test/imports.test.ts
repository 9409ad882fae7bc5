import { createLog } from '@store/shared/observability/log';
import type { Response } from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import { accountId, tea, testApp } from './_app.ts';
import { counts, importsOf, lineOf, lines, ndjson } from './_imports.ts';

const credential = newCredential();
const database = useDatabase('product', 'each');
const product = database.open((url) => testApp(url, { env: { INTERNAL_CREDENTIALS: credential } }));
const quiet = database.open((url) => testApp(url, { log: createLog('product', 'silent') }));
const { imported, rows, audited } = importsOf(product);
const other = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c002';
const jobOf = (path: string, account = accountId) => product.get(path).set('id-account', account);

describe('POST /products/imports', () => {
  it('creates and replaces products by their sku, and tells how many', async () => {
    await product.put('/products?sku=T-000001', { ...tea, name: 'Old' }).expect(201);
    await product.put('/products?sku=KEPT', tea).expect(201);
    const { headers, body } = await product.upload(ndjson(lines(1_234))).expect(202);
    expect(headers.location).toBe(`/products/imports/${body.id}`);
    expect(body).toMatchObject({ state: 'RUNNING', lines: 1_234, linesRead: 0, errors: [] });
    await product.importNext();
    expect((await jobOf(headers.location ?? '')).body).toMatchObject({
      state: 'RUNNING',
      linesRead: 500,
      created: 499,
    });
    while (await product.importNext());
    expect((await jobOf(headers.location ?? '')).body).toEqual({
      ...{ id: body.id, state: 'DONE', lines: 1_234, linesRead: 1_234, errors: [], ...counts(1_233, 1, 0, 0) },
      ...{ createdAt: body.createdAt, endedAt: expect.stringMatching(/Z$/) },
    });
    const stored = await rows();
    expect(stored).toHaveLength(1_235);
    expect((await product.get('/products?sku=T-000001')).body).toEqual([
      { ...tea, ...lineOf(1), id: expect.any(String), version: 2 },
    ]);
    expect(await product.prisma.productImportPart.count()).toBe(0);
  });

  it('takes all fields of a product, with all digits, and removes those that are absent', async () => {
    const details = {
      description: 'First harvest.\n<b>No</b> HTML.',
      images: [{ url: 'https://images.example.com/tea.jpg?w=1&h=2', alt: 'A cup of "tea"' }],
      category: 'Drinks',
      taxPermille: 60,
    };
    const exact = '{"sku":"A","name":"Tea","price":999999999999.9999,"unit":"kg","unknown":[1]}';
    await imported([exact, lineOf(1, details)]);
    expect((await product.get('/products?sku=A')).text).toContain('"price":999999999999.9999');
    expect((await product.get('/products?sku=T-000001')).body).toMatchObject([details]);
    await imported([lineOf(1)]);
    expect((await product.get('/products?sku=T-000001')).body).toMatchObject([
      { description: null, images: [], category: null, taxPermille: null, version: 2 },
    ]);
  });

  it('changes nothing when it is repeated: no version, no entry in the audit trail, no version of the catalogue', async () => {
    const file = [
      ...lines(700, { images: [{ url: 'https://example.com/a.jpg', alt: '' }] }),
      lineOf(900, { price: 1e-4 }),
    ];
    await imported(file);
    const state = async () => [
      await rows(),
      await audited(),
      await product.prisma.catalogueVersion.findMany({ orderBy: { part: 'asc' } }),
      await queryOnce(database.url, 'select xmin, xmax, ctid from products order by sku'),
    ];
    const before = await state();
    expect(await imported(file)).toMatchObject({ state: 'DONE', ...counts(0, 0, 701, 0) });
    expect(await state()).toEqual(before);
  });

  it('reports bad lines by their numbers while the others go in', async () => {
    const long = JSON.stringify(lineOf(1, { description: 'x'.repeat(70_000) }));
    const { errors, ...job } = await imported(
      [
        '\ufeff{"sku":"first","name":"Tea","price":1,"unit":"kg"}\r',
        '{',
        '',
        '[]',
        '{"sku":" ","name":"","price":0,"unit":1}',
        long,
        '{"name":"Tea","price":1,"unit":"kg"}',
        JSON.stringify(lineOf(7)).replace('Tea', '\\u0000'),
        JSON.stringify(lineOf(7)).replace('Tea', '\\ud800'),
        ' \t',
        JSON.stringify(lineOf(7)),
        JSON.stringify(lineOf(7, { name: 'Again' })),
      ].join('\n'),
    );
    expect(job).toMatchObject({ state: 'DONE', lines: 12, linesRead: 12, ...counts(2, 0, 0, 8) });
    expect(errors).toEqual([
      { line: 2, message: 'The line is not valid JSON.' },
      { line: 4, message: 'the line: must be an object' },
      { line: 5, message: expect.stringContaining('price: must be positive') },
      { line: 6, message: 'is longer than 64 KiB' },
      { line: 7, message: 'sku: is required' },
      { line: 8, message: 'name: must not contain control characters' },
      { line: 9, message: 'name: must not contain control characters' },
      { line: 12, message: 'repeats the sku of an earlier line' },
    ]);
    expect((await rows()).map(({ sku, name }) => [sku, name])).toEqual([
      ['T-000007', 'Tea 7'],
      ['first', 'Tea'],
    ]);
  });

  it('takes of a sku the first line, also if the next one is in another part', async () => {
    const repeated = lines(501).map((line) => ({ ...line, name: 'Again' }));
    const { errors, ...job } = await imported([...lines(501), ...repeated]);
    expect(job).toMatchObject(counts(501, 0, 0, 501));
    expect(errors).toHaveLength(100);
    expect(errors[0]).toEqual({ line: 502, message: 'repeats the sku of an earlier line' });
    expect((await rows()).some(({ name }) => name === 'Again')).toBe(false);
  });

  it('records each change with the state before and after, by the account', async () => {
    const { body: old } = await product.put('/products?sku=T-000001', { ...tea, price: 7 }).expect(201);
    await imported(lines(2));
    const { body: changed } = await product.get(`/products/${old.id}`);
    const { body: made } = await product.get('/products?sku=T-000000');
    const entries = (await audited()).slice(1).map(({ id, at, ...entry }) => entry);
    const entry = { actor: `account ${accountId}`, kind: 'product' };
    expect(entries).toEqual(
      expect.arrayContaining([
        { ...entry, subject: old.id, before: old, after: changed },
        { ...entry, subject: made[0].id, before: null, after: made[0] },
      ]),
    );
    expect(entries).toHaveLength(2);
  });

  it('of a part either changes all or nothing, and goes on', async () => {
    await product.upload(ndjson(lines(600))).expect(202);
    await product.importNext();
    await whileCommitsFail(database.url, 'products', async () => {
      await expect(product.importNext()).rejects.toThrow('refused at commit');
    });
    expect(await rows()).toHaveLength(500);
    const [job] = await product.prisma.productImport.findMany();
    expect(job).toMatchObject({ state: 'INTERRUPTED', linesRead: 500 });
    expect(await imported(lines(600))).toMatchObject(counts(100, 0, 500, 0));
  });

  it('is one at a time for an account, and others take turns', async () => {
    const first = await product.upload(ndjson(lines(1_200))).expect(202);
    const refused = await product.upload(ndjson(lines(1))).expect(429);
    expect(refused.body.type).toBe('urn:problem:store:too-many-imports');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const second = await product.upload(ndjson([lineOf(5_000)]), undefined, other).expect(202);
    for (let n = 0; n < 3; n += 1) await product.importNext();
    expect((await jobOf(second.headers.location ?? '', other)).body).toMatchObject({ state: 'RUNNING', created: 1 });
    expect((await jobOf(first.headers.location ?? '')).body).toMatchObject({ state: 'RUNNING', linesRead: 1_000 });
    while (await product.importNext());
    await product.upload(ndjson(lines(1))).expect(202);
  });

  it('is imported once by several processes', async () => {
    await product.upload(ndjson(lines(3_000))).expect(202);
    const run = async () => {
      while (await product.importNext());
    };
    await Promise.all([run(), run(), run()]);
    await run();
    const [job] = await product.prisma.productImport.findMany();
    expect(job).toMatchObject({ state: 'DONE', linesRead: 3_000, ...counts(3_000, 0, 0, 0) });
    expect(await audited()).toHaveLength(3_000);
  });

  it('and a write of the same product at the same moment both take effect, one after the other', async () => {
    await product.upload(ndjson(lines(400))).expect(202);
    const puts = Array.from({ length: 8 }, (_, n) => product.put(`/products?sku=${lineOf(n * 40).sku}`, tea));
    const answers = await Promise.all([...puts, product.importNext()]);
    for (const answer of answers.slice(0, -1)) expect([200, 201]).toContain((answer as { status: number }).status);
    while (await product.importNext());
    expect(await rows()).toHaveLength(400);
    const changes = await audited();
    for (const { id, version } of await rows()) {
      const own = changes.filter(({ subject }) => subject === id);
      expect(own.map(({ after }) => (after as { version: number }).version)).toEqual([1, 2].slice(0, version));
    }
    const [job] = await product.prisma.productImport.findMany();
    expect(job).toMatchObject({ state: 'DONE', linesRead: 400, failed: 0 });
  });

  it('that was lost while it was received is INTERRUPTED, has changed nothing, and keeps nobody from another', async () => {
    const id = await product.importing.open(`account ${accountId}`);
    await product.importing.add(id, 0, { firstLine: 1, lineCount: 1, lines: Buffer.from(ndjson([lineOf(1)])) });
    await product.upload(ndjson(lines(1))).expect(429);
    await queryOnce(database.url, `update product_imports set created_at = now() - interval '91 s'`);
    expect((await jobOf(`/products/imports/${id}`)).body).toMatchObject({
      state: 'INTERRUPTED',
      lines: 1,
      linesRead: 0,
    });
    expect(await product.importing.begin(id)).toBeDefined();
    await queryOnce(database.url, `update product_imports set state = 'RECEIVING'`);
    await imported([lineOf(2)]);
    expect(await product.importing.begin(id)).toBeUndefined();
    expect((await rows()).map(({ sku }) => sku)).toEqual(['T-000002']);
    expect(await product.prisma.productImportPart.count()).toBe(0);
  });

  it('is forgotten after 30 days, and its skus at its end', async () => {
    const { id } = await imported(lines(3));
    await product.importing.cleanUp();
    expect(await product.prisma.productImportSku.count()).toBe(0);
    await jobOf(`/products/imports/${id}`).expect(200);
    await queryOnce(database.url, `update product_imports set ended_at = now() - interval '31 days'`);
    await product.importing.cleanUp();
    await jobOf(`/products/imports/${id}`).expect(404);
  });

  it('is imported for operators, who see all imports', async () => {
    const operator = { authorization: `Bearer ${credential}`, 'operator-name': 'ann' };
    const { headers } = await product
      .upload(ndjson(lines(1)), '/internal/products/imports')
      .set(operator)
      .expect(202);
    while (await product.importNext());
    expect((await product.get(headers.location ?? '').set(operator)).body).toMatchObject({ state: 'DONE' });
    await product.upload(ndjson(lines(1)), '/internal/products/imports').expect(403);
    await product.get(headers.location ?? '').expect(403);
    const own = await imported(lines(1));
    await product.get(`/internal/products/imports/${own.id}`).set(operator).expect(200);
  });

  it('leaves nothing if it cannot be stored', async () => {
    await queryOnce(database.url, 'alter table product_import_parts rename to away');
    await quiet.upload(ndjson(lines(1))).expect(500);
    expect(await product.prisma.productImport.count()).toBe(0);
  });
});

describe('GET /products/export', () => {
  const exported = () => product.get('/products/export').set('id-account', accountId).buffer(true).parse(asText);

  it('has all products with a sku as lines that import without a difference', async () => {
    const images = [{ url: 'https://example.com/a.jpg', alt: 'line\nend "quoted" \\ 🍵' }];
    await imported([...lines(2_500), lineOf(3_000, { description: 'a\u2028b', images, category: 'Drinks' })]);
    await product.post(tea).expect(201);
    await queryOnce(
      database.url,
      `update products set images = E'[\\n{"url" : "https://example.com/b.jpg", "alt":""}]' where sku = 'T-000001'`,
    );
    await product.post('{"name":"Gold","price":999999999999.9999,"unit":"kg","sku":"gold"}').expect(201);
    const { body: file, headers } = await exported().expect(200);
    expect(headers['content-type']).toBe('application/x-ndjson');
    const before = await rows();
    expect(await imported(file)).toMatchObject({ lines: 2_502, ...counts(0, 0, 2_502, 0) });
    expect(await rows()).toEqual(before);
    expect((await exported()).body).toBe(file);
    const copy = await queryOnce(database.url, 'select * from products where sku is not null order by sku');
    await queryOnce(database.url, 'delete from products');
    expect(await imported(file)).toMatchObject(counts(2_502, 0, 0, 0));
    const again = await queryOnce(database.url, 'select * from products order by sku');
    const content = (all: object[]) => all.map((one) => ({ ...one, id: 0, version: 0, created_at: 0 }));
    expect(content(again)).toEqual(content(copy));
  });

  it('is an empty file if there is no product', async () => {
    expect((await exported().expect(200)).body).toBe('');
  });
});

/** supertest does not buffer a type that it does not know. */
function asText(res: Response, done: (error: Error | null, text: string) => void): void {
  let text = '';
  res.setEncoding('utf8');
  res.on('data', (chunk) => {
    text += chunk;
  });
  res.on('end', () => done(null, text));
}
