import { withApiKey } from './api-key.ts';
import { foreign, problemOf, redirectOf } from './problem.ts';
import { dataOf, jsonOf, urlOf } from './request.ts';
import type { ProductImportOut, ProductLine } from './schema.ts';
import type { StoreOptions } from './store.ts';

export type { ProductImportOut as ProductImport, ProductLine } from './schema.ts';

/** Where the store is, and who calls it. */
export type Connection = Pick<StoreOptions, 'url' | 'fetch' | 'apiKey'>;

const chunkLength = 65_536;

async function send({ url, fetch: given = fetch, apiKey }: Connection, path: string, init: object) {
  const request = apiKey === undefined ? given : withApiKey(apiKey, given);
  const response = await request(urlOf(url, path), { credentials: 'include', redirect: 'manual', ...init });
  const redirect = redirectOf(response);
  if (redirect) throw redirect;
  if (response.status >= 400) throw problemOf(response, await response.text());
  return response;
}

/**
 * Sends products as the lines of an import, one after another, so that they need not be in memory. For Node: few browsers stream a
 * request.
 * @returns the import, which goes on; `store.getProductImport` shows how far it is
 * @throws StoreProblem, such as 429 while another import of the account is open
 */
export async function importProducts(
  connection: Connection,
  products: Iterable<ProductLine> | AsyncIterable<ProductLine>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ProductImportOut> {
  const lines = textsOf(products);
  const body = new ReadableStream({
    async pull(controller) {
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
  const headers = { 'content-type': 'application/x-ndjson' };
  const response = await send(connection, '/products/imports', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
    signal,
  });
  return dataOf({ response, text: await response.text() }) as ProductImportOut;
}

async function* textsOf(products: Iterable<ProductLine> | AsyncIterable<ProductLine>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const product of products) {
    text += `${jsonOf(product)}\n`;
    if (text.length < chunkLength) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

/**
 * The products that have a `sku`, as lines that `importProducts` takes.
 * @throws StoreProblem; TypeError if the connection breaks before the end
 */
export async function* exportProducts(
  connection: Connection,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<ProductLine, void, undefined> {
  const response = await send(connection, '/products/export', { signal });
  if (response.body === null) throw foreign(response, 'lines');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = ''; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as ProductLine;
    }
  } finally {
    await reader.cancel();
  }
}
