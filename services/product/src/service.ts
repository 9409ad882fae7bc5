import { writersOf } from '@store/shared/contracts/writers';
import { createHttpApp } from '@store/shared/http/app';
import { auditCleanUp, auditRoute } from '@store/shared/service/audit';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { createCatalogueCache } from './catalogue-cache.ts';
import { configSchema, type ProductConfig } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createProductRepository } from './product-repository.ts';
import { productRoutes } from './routes.ts';

export function createProductService(
  { config, log, database }: ServiceContext<ProductConfig, PrismaClient>,
  repository = createProductRepository(database),
): Service<PrismaClient> {
  const cache = createCatalogueCache(config.CATALOGUE_CACHE_MIB * 1024 * 1024, repository.currentVersion);
  const routes = [...productRoutes({ repository, cache, writers: writersOf(config) }), auditRoute(database)];
  return {
    app: createHttpApp({ title: 'Product API', routes, log, config }),
    jobs: [auditCleanUp(database)],
  };
}

export const productService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'product',
  configSchema,
  database: { PrismaClient, migrations: new URL('../prisma/migrations/', import.meta.url) },
  build: (context) => createProductService(context),
};
