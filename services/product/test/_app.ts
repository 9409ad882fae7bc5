import { openDatabase } from '@store/shared/database/database';
import type { Logger } from '@store/shared/observability/log';
import request from 'supertest';
import { testLog } from '../../../tests/kit/observability/log.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createImportRepository } from '../src/imports/import-repository.ts';
import { createImports } from '../src/imports/imports.ts';
import { createProductRepository, type ProductRepository } from '../src/product-repository.ts';
import { createProductService } from '../src/service.ts';

export const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
export const tea = {
  name: 'Tea',
  price: 4.5,
  unit: 'kg',
  description: null,
  images: [],
  category: null,
  taxPermille: null,
  sku: null,
};
export const unknown = '/products/00000000-0000-4000-8000-000000000000';

interface Options {
  env?: Record<string, string>;
  log?: Logger;
  /** Replaces functions of the real repository. */
  repository?: Partial<ProductRepository>;
}

/** Starts the real service with the test's own database. */
export function testApp(databaseUrl: string, { env, log = testLog('product'), ...replaced }: Options = {}) {
  const database = openDatabase(PrismaClient, databaseUrl);
  const repository = { ...createProductRepository(database), ...replaced.repository };
  const importing = createImportRepository(database);
  const config = configSchema.parse({ DATABASE_URL: databaseUrl, APP_PROFILE: 'dev', ...env });
  const { app } = createProductService({ config, log, database }, repository);
  return {
    app,
    repository,
    prisma: database.prisma,
    run: database.run,
    lists: database.lists,
    close: database.close,
    importing,
    importNext: createImports(importing).importNext,
    /** Send text instead of an object if the digits of a number matter. */
    post: (body: object | string) =>
      request(app).post('/products').set('id-account', accountId).type('json').send(body),
    upload: (lines: string | Buffer, to = '/products/imports', account = accountId) =>
      request(app).post(to).set({ 'id-account': account, 'content-type': 'application/x-ndjson' }).send(lines),
    put: (path: string, body: object) => request(app).put(path).set('id-account', accountId).send(body),
    delete: (path: string) => request(app).delete(path).set('id-account', accountId),
    get: (path: string) => request(app).get(path),
  };
}
