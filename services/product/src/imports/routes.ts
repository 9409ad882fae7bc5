import { productImportOut } from '@store/shared/contracts/product-import';
import { mustBeWriter, type Writers } from '@store/shared/contracts/writers';
import {
  type AnyRoute,
  accepted,
  type Documentation,
  ndjson,
  noStore,
  ok,
  problem,
  route,
  tooMany,
} from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { importLine } from '../schemas.ts';
import type { ExportRepository } from './export-repository.ts';
import type { Imports } from './imports.ts';

/** The gateway has the same limit (`gateway.uploads`). 100,000 products with a description of 300 letters have 50 MiB. */
const bodyKib = 65_536;

const byAccount = {
  base: { identity: 'account', scope: 'products:write' },
  path: '/products',
  create: { tag: 'products', operationId: 'importProducts', summary: 'Create or replace products by a file of lines' },
  show: { tag: 'products', operationId: 'getProductImport', summary: 'Show an import of products' },
  export: { tag: 'products', operationId: 'exportProducts', summary: 'Export products as a file that can be imported' },
  refused: problem('The account may not change products.'),
} as const;
const undocumented: Documentation = {};
const byOperator = {
  base: { identity: 'caller' },
  path: '/internal/products',
  create: undocumented,
  show: undocumented,
  export: undocumented,
  refused: problem('The credential of the caller is missing or wrong.'),
} as const;

interface Dependencies {
  imports: Imports;
  exported: ExportRepository;
  writers: Writers;
}

/** Imports and exports by files of lines (contract 4.4). */
export const importRoutes = (dependencies: Dependencies): AnyRoute[] => [
  ...routesOf(dependencies, byAccount),
  ...routesOf(dependencies, byOperator),
];

function routesOf(
  { imports, exported, writers }: Dependencies,
  { base, path, refused, ...documented }: typeof byAccount | typeof byOperator,
): AnyRoute[] {
  /** @throws DomainError forbidden for an account that may not write; operators always may */
  function mayWrite(accountId = '', roles: readonly string[] = []): void {
    if (base.identity === 'account') mustBeWriter(writers, accountId, roles);
  }
  return [
    route({
      ...base,
      ...documented.create,
      method: 'post',
      path: `${path}/imports`,
      lines: importLine,
      bodyKib,
      responses: {
        202: {
          description: 'Received. The import begins.',
          body: productImportOut,
          headers: { Location: 'Path of the import.' },
        },
        403: refused,
        429: tooMany('An import of the account has not ended.'),
      },
      async handler({ accountId, roles, actor, upload }) {
        mayWrite(accountId, roles);
        const { id, json } = await imports.receive(actor, upload());
        return accepted(`${path}/imports/${id}`, { json });
      },
    }),
    route({
      ...base,
      ...documented.show,
      method: 'get',
      path: `${path}/imports/{id}`,
      params: z.object({ id: uuid }),
      responses: { 200: { description: 'The import as it is now.', body: productImportOut } },
      async handler({ accountId, actor, params: { id } }) {
        const own = accountId === undefined ? undefined : actor;
        return ok({ json: found(await imports.find(id, own), `import ${id}`) }, noStore);
      },
    }),
    route({
      ...base,
      ...documented.export,
      method: 'get',
      path: `${path}/export`,
      responses: {
        200: { description: 'All products that have a `sku`, by `sku`.', lines: importLine },
        403: refused,
      },
      async handler({ accountId, roles, actor }) {
        mayWrite(accountId, roles);
        return ok({ json: await exported.read(actor) }, { ...ndjson, ...noStore });
      },
    }),
  ];
}
