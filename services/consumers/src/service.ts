import { createHttpApp } from '@store/shared/http/app';
import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { type ConsumersConfig, configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import type { CreateGroup } from './group.ts';

export function createGroupService(context: ServiceContext<ConsumersConfig, PrismaClient>, createGroup: CreateGroup) {
  const { config, log, database } = context;
  const name = config.CONSUMER_GROUP;
  const { title, group, routes, jobs = [], publishesAs } = createGroup(context);
  const consumer = {
    group: { name, chunkSize: 200, maxWaitMs: 500, ...group },
    config,
    servesWithoutKafka: true,
    ...(publishesAs !== undefined && { publishesAs }),
  };
  const all = [...routes, ...deadLetterRoutes(consumer, database)];
  return {
    app: createHttpApp({ title, routes: all, log: log.child({ group: name }), config }),
    consumer,
    jobs,
  } satisfies Service<PrismaClient>;
}

export const consumersService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'consumers',
  configSchema,
  database: { PrismaClient, migrations: new URL('../prisma/migrations/', import.meta.url) },
  /** One image has all groups. A process loads and runs the group that CONSUMER_GROUP names. */
  async build(context) {
    const folder = context.config.CONSUMER_GROUP.replace(/-group$/, '');
    const { createGroup }: { createGroup: CreateGroup } = await import(`./groups/${folder}/consumer-group.ts`);
    return createGroupService(context, createGroup);
  },
};
