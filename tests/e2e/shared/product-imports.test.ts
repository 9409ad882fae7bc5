import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createStore } from '@store-platform/client';
import { exportProducts, importProducts, type ProductLine } from '@store-platform/client/products';
import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { newCustomer } from '../../kit/customer.ts';
import { useFolder } from '../../kit/folder.ts';
import { createSend } from '../../kit/http.ts';
import { sharedStore } from '../_shared-store.ts';
import { until } from '../_store.ts';

// Imports and exports (contract 4.4) through the gateway with one API key, and by the commands for operators.

const store = sharedStore();
const url = store.url('gateway');
const folder = useFolder();
const word = `e2e${Date.now()}`;
const lineOf = (n: number): ProductLine => ({ sku: `${word}-${n}`, name: `Tea ${n}`, price: n + 0.25, unit: 'kg' });
const lines = Array.from({ length: 2_000 }, (_, n) => lineOf(n));

async function makeKey(scopes: string[]): Promise<string> {
  const ada = await newCustomer(createSend(url));
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { status, body } = await ada.send('POST', '/auth/keys', { name: 'ERP', scopes, expiresAt });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.key;
}

async function run(command: 'import' | 'export', file: string, input = '') {
  const env = {
    OPERATOR_CREDENTIAL: store.credential,
    PRODUCT_PORT: new URL(store.url('product')).port,
    FILE: file,
    NODE_OPTIONS: '',
  };
  const args = ['--conditions=@store/source', `tools/local/commands/${command}.ts`];
  const { exitCode, stdout, stderr } = await execa(process.execPath, args, { cwd: root, env, input, reject: false });
  return { exitCode, stdout, stderr };
}

it('a machine imports products with its key, sees them, and exports them without a difference', async () => {
  const connection = { url, apiKey: await makeKey(['products:write']) };
  const client = createStore(connection);
  async function imported(products: Iterable<ProductLine> | AsyncIterable<ProductLine>) {
    const { id } = await importProducts(connection, products);
    await until(
      'the import is done',
      async () => (await client.getProductImport({ path: { id } })).state === 'DONE',
      30_000,
    );
    return client.getProductImport({ path: { id } });
  }
  expect(await imported(lines)).toMatchObject({ created: 2_000, failed: 0, lines: 2_000 });
  const [found] = await client.listProducts({ query: { sku: [`${word}-7`] } });
  expect(found).toMatchObject({ name: 'Tea 7', price: 7.25, version: 1 });
  const { price } = await client.putProduct({
    query: { sku: `${word}-7` },
    body: { name: 'Tea 7', price: 9, unit: 'kg' },
  });
  expect(price).toBe(9);
  async function* exported() {
    for await (const line of exportProducts(connection)) if (line.sku.startsWith(word)) yield line;
  }
  expect(await imported(exported())).toMatchObject({ created: 0, replaced: 0, unchanged: 2_000, failed: 0 });
  await expect(importProducts({ url }, lines)).rejects.toMatchObject({ status: 401 });
  const other = { url, apiKey: await makeKey(['orders:read']) };
  await expect(importProducts(other, lines)).rejects.toMatchObject({ status: 403 });
  await expect(exportProducts(other).next()).rejects.toMatchObject({ status: 403 });
});

it('make export writes a file that make import reads', async () => {
  const ours = lines.slice(0, 20).map((line) => ({ ...line, sku: `${line.sku}-file` }));
  const file = join(folder, 'products.ndjson');
  await writeFile(file, `${ours.map((line) => JSON.stringify(line)).join('\n')}\n{"sku":1}\n`);
  const first = await run('import', file);
  expect(first).toMatchObject({ exitCode: 1, stdout: '20 created, 0 replaced, 0 unchanged, 1 failed' });
  expect(first.stderr).toMatch(/^line 21: .*sku: must be text/m);
  const copy = join(folder, 'copy.ndjson');
  expect(await run('export', copy)).toMatchObject({ exitCode: 0 });
  const written = (await readFile(copy, 'utf8')).split('\n').filter((line) => line.includes('-file"'));
  expect(written).toHaveLength(20);
  expect(await run('import', '-', written.join('\n'))).toMatchObject({
    exitCode: 0,
    stdout: '0 created, 0 replaced, 20 unchanged, 0 failed',
  });
});

it.each([
  ['import', 'a product as JSON in each line'],
  ['export', 'Writes the products of the running store'],
] as const)('make %s explains itself, and needs a file', async (command, text) => {
  const args = ['--conditions=@store/source', `tools/local/commands/${command}.ts`];
  const options = { cwd: root, env: { NODE_OPTIONS: '' }, reject: false };
  const { exitCode, stdout } = await execa(process.execPath, [...args, '--help'], options);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(text) });
  expect(await execa(process.execPath, args, options)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('FILE=… is missing'),
  });
});
