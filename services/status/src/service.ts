import { createHttpApp } from '@store/shared/http/app';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { configSchema, type StatusConfig } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { statusRoutes } from './routes.ts';
import { createStatusRepository } from './status-repository.ts';

export function createStatusService({
  config,
  log,
  database,
}: ServiceContext<StatusConfig, PrismaClient>): Service<PrismaClient> {
  const routes = statusRoutes(createStatusRepository(database.lists));
  return {
    app: createHttpApp({ title: 'Status API', routes, log, config }),
    extraPorts: config.EXTRA_PORTS,
  };
}

export const statusService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'status',
  configSchema,
  database: { PrismaClient, migrations: new URL('../prisma/migrations/', import.meta.url) },
  build: createStatusService,
};
