import { writersOf } from '@store/shared/contracts/writers';
import { createHttpApp } from '@store/shared/http/app';
import { auditCleanUp, auditRoute } from '@store/shared/service/audit';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { createCatalogueCache } from './catalogue-cache.ts';
import { configSchema, type ProductConfig } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createExportRepository } from './imports/export-repository.ts';
import { createImportRepository } from './imports/import-repository.ts';
import { createImports } from './imports/imports.ts';
import { importRoutes } from './imports/routes.ts';
import { createProductRepository } from './product-repository.ts';
import { productRoutes } from './routes.ts';

export function createProductService(
  { config, log, database }: ServiceContext<ProductConfig, PrismaClient>,
  repository = createProductRepository(database),
): Service<PrismaClient> {
  const cache = createCatalogueCache(config.CATALOGUE_CACHE_MIB * 1024 * 1024, repository.currentVersion);
  const writers = writersOf(config);
  const importing = createImportRepository(database);
  const imports = createImports(importing);
  const routes = [
    // Before /products/{id}, which also matches their paths.
    ...importRoutes({ imports, exported: createExportRepository(database), writers }),
    ...productRoutes({ repository, cache, writers }),
    auditRoute(database),
  ];
  return {
    app: createHttpApp({ title: 'Product API', routes, log, config }),
    jobs: [
      auditCleanUp(database),
      loop({ name: 'product imports' }, imports.importNext),
      loop({ name: 'ended imports', everyMs: 60_000 }, importing.cleanUp),
    ],
  };
}

export const productService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'product',
  configSchema,
  database: { PrismaClient, migrations: new URL('../prisma/migrations/', import.meta.url) },
  build: (context) => createProductService(context),
};
