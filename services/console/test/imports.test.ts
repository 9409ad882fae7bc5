import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../../tests/kit/listen.ts';
import { describePages, logIn, useConsole } from './_console.ts';

const id = '0b7f3f8e-52a1-4c36-9a55-8f4a1f0f6f11';
const job = {
  ...{ id, state: 'RUNNING', lines: 3, linesRead: 0, created: 0, replaced: 0, unchanged: 0, failed: 0, errors: [] },
  createdAt: '2026-01-31T09:30:00.000Z',
};
const done = {
  ...job,
  ...{ state: 'DONE', linesRead: 3, created: 1, replaced: 1, failed: 101 },
  errors: [{ line: 2, message: 'price: must be positive' }],
};
const refusal = { status: 0, detail: '' };
const seen = { text: '', operator: undefined as unknown, type: undefined as unknown, jobs: [job as object] };

const exported = '{"sku":"A","name":"Käse"}\n'.repeat(50_000);
/** How an export ends after its first line; default: with the others. */
let exportEnd: Promise<'cut off'> | undefined;

/** A product service that takes and has lines. */
const product = createServer(async (req, res) => {
  const text = Buffer.concat(await req.toArray()).toString();
  if (req.method === 'POST') {
    Object.assign(seen, { text, operator: req.headers['operator-name'], type: req.headers['content-type'] });
    if (refusal.status !== 0) return res.writeHead(refusal.status).end(JSON.stringify({ detail: refusal.detail }));
    return res.writeHead(202, { 'Content-Type': 'application/json' }).end(JSON.stringify(job));
  }
  if (req.url === '/internal/products/export') {
    seen.operator = req.headers['operator-name'];
    if (refusal.status !== 0) return res.writeHead(refusal.status).end(JSON.stringify({ detail: refusal.detail }));
    res.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    if (exportEnd === undefined) return res.end(exported);
    res.write('{"sku":"A"}\n');
    await exportEnd;
    return res.destroy();
  }
  if (req.url === `/internal/products/imports/${id}`) {
    const now = seen.jobs.length > 1 ? seen.jobs.shift() : seen.jobs[0];
    return res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(now));
  }
  return res.writeHead(200, { 'Content-Type': 'application/json' }).end('[]');
});
let address = '';
beforeAll(async () => {
  address = `http://127.0.0.1:${await listen(product)}`;
});
afterAll(() => product.close().closeAllConnections());

describe('an import', () => {
  const console = useConsole(() => ({ product: address }));
  const send = (lines: string) =>
    console.send('post', '/api/imports').set('Content-Type', 'application/x-ndjson').send(lines);

  it('is passed on as it is, by the operator, and its progress is shown', async () => {
    const lines = '{"sku":"A"}\n'.repeat(50_000);
    expect((await send(lines).expect(200)).body).toEqual(job);
    expect(seen).toMatchObject({ text: lines, type: 'application/x-ndjson', operator: 'ann%20(shared%20token)' });
    expect((await console.read(`/api/imports/${id}`).expect(200)).body).toEqual(job);
    expect(console.logged).toContainEqual(
      expect.objectContaining({ msg: 'An import of products was begun', lines: 3 }),
    );
  });

  it.each([
    [400, 400],
    [413, 413],
    [429, 429],
    [503, 503],
  ])('that is refused by %i is %i, in the words of the product service', async (status, expected) => {
    Object.assign(refusal, { status, detail: 'No.' });
    const { body } = await send('{}').expect(expected);
    if (status < 500) expect(body.detail).toBe('No.');
    refusal.status = 0;
  });

  it('needs a session', async () => {
    await console.send('post', '/api/imports', '').set('Content-Type', 'application/x-ndjson').send('{}').expect(401);
  });
});

describe('an export', () => {
  const console = useConsole(() => ({ product: address }));
  const read = () => fetch(`${console.origin}/console/api/export`, { headers: { cookie: console.cookie } });

  it('is passed on as it is, by the operator', async () => {
    const answer = await read();
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect((await answer.text()) === exported).toBe(true);
    expect(seen.operator).toBe('ann%20(shared%20token)');
  });

  it('is passed on as it comes, and is cut off if it does not come to its end', async () => {
    const end = Promise.withResolvers<'cut off'>();
    exportEnd = end.promise;
    const reader = (await read()).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('{"sku":"A"}\n');
    end.resolve('cut off');
    await expect(reader?.read()).rejects.toThrow();
    exportEnd = undefined;
  });

  it.each([403, 503])('that is refused by %i is 503', async (status) => {
    Object.assign(refusal, { status, detail: 'No.' });
    expect((await read()).status).toBe(503);
    refusal.status = 0;
  });

  it('needs a session', async () => {
    await console.read('/api/export', '').expect(401);
  });
});

describePages('the page of an import', (open) => {
  const console = useConsole(() => ({ product: address }));

  it('sends the file, shows how far it is, and lists the lines that failed', async () => {
    const page = await logIn(await open(), console, '#/stock');
    seen.jobs = [{ ...job, linesRead: 1 }, done];
    await page.getByText('Import products').click();
    await page
      .getByLabel('File with a product as JSON in each line')
      .setInputFiles({ name: 'a.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from('{"sku":"A"}\n') });
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 of 3 lines read').waitFor();
    await page.getByText('1 created, 1 replaced, 0 unchanged, 101 failed.').waitFor();
    await page.getByRole('cell', { name: 'price: must be positive' }).waitFor();
    await page.getByText('100 more lines failed.').waitFor();
    expect(seen.text).toBe('{"sku":"A"}\n');
    Object.assign(refusal, { status: 429, detail: 'Your last import has not ended yet.' });
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('alert').getByText('Your last import has not ended yet.').waitFor();
    // The result of the earlier file would be taken for that of this one.
    expect(await page.getByText('1 created, 1 replaced').count()).toBe(0);
  });

  it('is not sent twice by a double click', async () => {
    const page = await logIn(await open(), console, '#/stock');
    Object.assign(refusal, { status: 0 });
    await page.route('**/api/imports/*', () => new Promise(() => undefined));
    await page.getByText('Import products').click();
    await page
      .getByLabel('File with a product as JSON in each line')
      .setInputFiles({ name: 'a.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from('{"sku":"A"}\n') });
    const asked = page.waitForRequest('**/api/imports/*');
    const button = page.getByRole('button', { name: 'Import' });
    await button.click();
    await asked;
    expect(await button.isDisabled()).toBe(true);
  });

  it('saves an export as a file, and says when there is none', async () => {
    const page = await logIn(await open(), console, '#/stock');
    await page.getByText('Export products').click();
    const button = page.getByRole('button', { name: 'Export' });
    const saving = page.waitForEvent('download');
    await button.click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('products.ndjson');
    expect((await text(await file.createReadStream())) === exported).toBe(true);
    Object.assign(refusal, { status: 503, detail: 'No.' });
    await button.click();
    await page.getByRole('alert').getByText('The product service').waitFor();
    refusal.status = 0;
  });
});
