import { randomUUID } from 'node:crypto';
import { type BearerValidator, bearerFrom } from '@store/shared/auth/bearer';
import { callersWith } from '@store/shared/auth/internal-credentials';
import { writersOf } from '@store/shared/contracts/writers';
import { createHttpApp } from '@store/shared/http/app';
import { auditCleanUp, auditRoute } from '@store/shared/service/audit';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { createCatalogueCache } from './catalogue-cache.ts';
import { configSchema, type ProductConfig } from './config.ts';
import type { DB } from './generated/tables.ts';
import { createProductRepository } from './product-repository.ts';
import { createProducts } from './products.ts';
import { productRoutes } from './routes.ts';

export function createProductService(
  { config, log, database }: ServiceContext<ProductConfig, DB>,
  bearer?: BearerValidator,
  repository = createProductRepository(database),
): Service<DB> {
  const products = createProducts({ repository, writers: writersOf(config), newId: randomUUID });
  const cache = createCatalogueCache(config.CATALOGUE_CACHE_MIB * 1024 * 1024, repository.currentVersion);
  const routes = [...productRoutes(products, cache), auditRoute(database.kysely)];
  const callers = callersWith(config.INTERNAL_CREDENTIALS);
  return {
    app: createHttpApp({ title: 'Product API', routes, log, profile: config.APP_PROFILE, bearer, callers }),
    jobs: [auditCleanUp(database.kysely)],
  };
}

export const productService: ServiceDefinition<typeof configSchema, DB> = {
  name: 'product',
  configSchema,
  migrations: new URL('../prisma/migrations/', import.meta.url),
  build: async (context) => createProductService(context, await bearerFrom(context.config)),
};
