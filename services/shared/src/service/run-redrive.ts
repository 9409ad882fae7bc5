import type { z } from 'zod';
import { openDatabase } from '../database/database.ts';
import { brokersFrom } from '../messaging/config.ts';
import { createEventProcessor } from '../messaging/consumer/handle-once.ts';
import { help, listOrRetry, parseCommand, reason } from '../messaging/dead-letters/command.ts';
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
  const { command, problem } = parseCommand(argv);
  if (command === 'help') {
    say(problem === undefined ? help : `${problem}\n\n${help}`);
    return problem === undefined ? 0 : 2;
  }
  let close: (() => Promise<void>) | undefined;
  try {
    const config = readConfig(configSchema, process.env);
    const database = openDatabase<Tables>(databaseUrlOf(config), 2);
    close = database.close;
    const { consumer } = await build({
      ...{ config, database },
      log: createLog(name, 'silent'),
    } as ServiceContext<z.output<Schema>, Tables>);
    if (consumer === undefined) throw new Error(`${name} consumes no events`);
    const processor = createEventProcessor(consumer.group, database.kysely);
    return await listOrRetry(command, processor, brokersFrom(consumer.config), say);
  } catch (error) {
    say(error instanceof ConfigError ? error.message : `Giving up: ${reason(error)}`);
    return 1;
  } finally {
    await close?.();
  }
}
