import type { z } from 'zod';
import { openDatabase } from '../database/database.ts';
import { brokersFrom } from '../messaging/config.ts';
import { type OwnGroup, runDeadLetterCommand } from '../messaging/dead-letters/command.ts';
import { reasonOf } from '../messaging/dead-letters/describe.ts';
import { UnknownLetterError } from '../messaging/dead-letters/redrive.ts';
import { createKafka } from '../messaging/kafkajs/client.ts';
import { createLog } from '../observability/log.ts';
import { ConfigError, readConfig } from '../values/environment.ts';
import type { ServiceConfig } from './config.ts';
import { databaseUrlOf } from './run-service.ts';
import type { ServiceContext, ServiceDefinition } from './service.ts';

/**
 * The dead-letter command of a service that consumes events: `process.exitCode = await runRedrive(service)`.
 * @returns the exit code: 0, 1 for a failure, 2 for wrong arguments
 */
export async function runRedrive<Schema extends z.ZodType<ServiceConfig>, Tables>(
  { name, configSchema, build }: ServiceDefinition<Schema, Tables>,
  argv = process.argv.slice(2),
  say: (line: string) => void = console.log,
): Promise<number> {
  let close: (() => Promise<void>) | undefined;

  async function open(): Promise<OwnGroup<Tables>> {
    const config = readConfig(configSchema, process.env);
    const database = openDatabase<Tables>(databaseUrlOf(config), 2);
    close = database.close;
    const log = createLog(name, 'silent');
    const { consumer } = await build({ config, database, log } as ServiceContext<z.output<Schema>, Tables>);
    if (consumer === undefined) throw new Error(`${name} consumes no events`);
    const { group } = consumer;
    const kafka = createKafka({ ...brokersFrom(consumer.config), clientId: `${group.name}-redrive`, log });
    return { kafka, group, database: database.kysely };
  }

  try {
    return await runDeadLetterCommand(argv, open, say);
  } catch (error) {
    const isSaid = error instanceof ConfigError || error instanceof UnknownLetterError;
    say(isSaid ? error.message : `Giving up: ${reasonOf(error)}`);
    return 1;
  } finally {
    await close?.();
  }
}
