import { openDatabase } from '@store/shared/database/database';
import { createLog, type Logger } from '@store/shared/observability/log';
import request from 'supertest';
import { createApp } from '../src/app.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createProductRepository, type ProductRepository } from '../src/product-repository.ts';

export const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
export const tea = { name: 'Tea', price: 4.5, unit: 'kg' };
export const unknown = '/products/00000000-0000-4000-8000-000000000000';

export interface TestAppOptions {
  writers?: string[];
  production?: boolean;
  log?: Logger;
  /** Put in the place of the real store's functions. */
  repository?: Partial<ProductRepository>;
}

/** The real application over a database of the test's own. */
export function testApp(databaseUrl: string, options: TestAppOptions = {}) {
  const { adapter, query, close } = openDatabase(databaseUrl);
  const prisma = new PrismaClient({ adapter });
  const app = createApp({
    repository: { ...createProductRepository(prisma, query), ...options.repository },
    writers: options.writers ?? [],
    log: options.log ?? createLog('product', 'silent'),
    production: options.production ?? false,
  });
  return {
    app,
    prisma,
    close,
    /** A product is made of an object, or of text where its digits matter. */
    post: (body: object | string) =>
      request(app).post('/products').set('id-account', accountId).type('json').send(body),
    put: (path: string, body: object) => request(app).put(path).set('id-account', accountId).send(body),
    delete: (path: string) => request(app).delete(path).set('id-account', accountId),
    get: (path: string) => request(app).get(path),
  };
}
