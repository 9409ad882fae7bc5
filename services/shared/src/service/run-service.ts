import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { z } from 'zod';
import { type Database, openDatabase } from '../database/database.ts';
import { isDatabaseUnavailable } from '../database/errors.ts';
import { migrate } from '../database/migrate.ts';
import { brokersFrom } from '../messaging/config.ts';
import { createEventProcessor } from '../messaging/consumer/handle-once.ts';
import { deleteOldEventIds } from '../messaging/consumer/processed-events.ts';
import { type Started, startMessaging } from '../messaging/start.ts';
import { orderEventsTopic } from '../messaging/topics.ts';
import { createLog, type Logger } from '../observability/log.ts';
import { createMetricsServer } from '../observability/metrics.ts';
import { ConfigError, readConfig } from '../values/environment.ts';
import type { ServiceConfig } from './config.ts';
import { type Readiness, withHealth } from './health.ts';
import { close, listen } from './listen.ts';
import { hourly } from './schedule.ts';
import type { Service, ServiceContext, ServiceDefinition } from './service.ts';

/** For each thing that is closed at the end: none may keep the process from ending. */
const stopTimeoutMs = 15_000;

/**
 * Runs a process from its environment to its end. It listens at once and is ready once the database is migrated and
 * everything is started. On SIGTERM or SIGINT it turns unready, after SIGTERM keeps answering for `DRAIN_SECONDS`,
 * finishes the requests in flight, stops what it started, last first, and exits with 0.
 */
export async function runService<Schema extends z.ZodType<ServiceConfig>, Tables>(
  definition: ServiceDefinition<Schema, Tables>,
): Promise<void> {
  const { name, configSchema, migrations, poolSize, servesWithoutDatabase = false } = definition;
  const config = configOrExit(name, configSchema);
  const log = createLog(name, config.LOG_LEVEL);
  const started: Started[] = [];
  const readiness: Readiness = { prepared: false, stopping: false };

  function crash(sentence: string, error: unknown): void {
    log.fatal({ err: error }, sentence);
    process.exit(1);
  }
  process.on('unhandledRejection', (error) => crash('Unhandled promise rejection', error));
  process.on('uncaughtException', (error) => crash('Uncaught exception', error));

  if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) {
    const { startTracing } = await import('../observability/trace-exporter.ts');
    started.push({ name: 'traces', stop: startTracing(name, log).stop });
  }
  const database = migrations && openDatabase<Tables>(databaseUrlOf(config), poolSize);
  if (database !== undefined) started.push({ name: 'database', stop: database.close });
  const service = await definition.build({ config, log, database } as ServiceContext<z.output<Schema>, Tables>);

  const checks = {
    ...(database !== undefined && !servesWithoutDatabase && { database: () => sql`select 1`.execute(database.kysely) }),
    ...service.checks,
  };
  const listener = withHealth(service.app, checks, readiness);
  const ports = [config.PORT, ...(service.extraPorts ?? [])];
  const servers = await Promise.all(ports.map((port) => listen(listener, port, config.HOST, log)));
  const metrics = await listen(createMetricsServer(), config.METRICS_PORT, config.HOST, log);

  const stop = async (signal: string) => {
    if (readiness.stopping) return;
    readiness.stopping = true;
    log.info({ signal }, 'Stopping');
    if (signal === 'SIGTERM') await wait(config.DRAIN_SECONDS * 1000);
    await Promise.all([...servers, metrics].map(close));
    for (const one of started.reverse()) await stopInTime(one, log);
    log.info('Stopped');
    process.exit(0);
  };
  // Not `once`: a second signal would kill the process in the middle of its answers.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  if (migrations !== undefined) {
    await untilDatabaseAnswers(() => migrate(databaseUrlOf(config), migrations), log, readiness);
  }
  if (readiness.stopping) return;
  try {
    started.push(...startWork(service, database, log, crash));
  } catch (error) {
    exitUnstarted(log, error);
  }
  readiness.prepared = true;
  log.info({ ports: servers.map((server) => (server.address() as AddressInfo).port) }, 'Ready');
}

function configOrExit<S extends z.ZodType>(name: string, schema: S): z.output<S> {
  try {
    return readConfig(schema, process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    return process.exit(1);
  }
}

/** A definition with migrations has it in its schema (ServiceDefinition). */
export const databaseUrlOf = (config: object) => (config as { DATABASE_URL: string }).DATABASE_URL;

/** Starts consumer and jobs, once the tables are there. */
function startWork<Tables>(
  { consumer, jobs = [] }: Service<Tables>,
  database: Database<Tables> | undefined,
  log: Logger,
  onCrash: (sentence: string, error: unknown) => void,
): Started[] {
  const all = [...jobs];
  const started: Started[] = [];
  if (consumer !== undefined && database !== undefined) {
    const { group, config, publishesAs } = consumer;
    const silent = log.child({}, { level: 'silent' }); // the job says itself that it failed
    const broker = { ...brokersFrom(config), clientId: group.name, log: silent };
    all.push(hourly('processed event ids', () => deleteOldEventIds(database.kysely, broker, orderEventsTopic)));
    started.push(
      ...startMessaging({
        config,
        processor: createEventProcessor(group, database.kysely),
        clientId: publishesAs ?? group.name,
        publishes: publishesAs !== undefined,
        log: log.child({ group: group.name }),
        onCrash,
      }),
    );
  }
  return [...all.map((job) => ({ name: job.name, ...job.start(log) })), ...started];
}

/** Repeats the work while the database is unavailable; any other failure ends the process. */
async function untilDatabaseAnswers(work: () => Promise<unknown>, log: Logger, readiness: Readiness): Promise<void> {
  for (let delaySeconds = 0.25; !readiness.stopping; delaySeconds = Math.min(delaySeconds * 2, 5)) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) exitUnstarted(log, error);
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason, retryInSeconds: delaySeconds }, 'Waiting for the database');
      await wait(delaySeconds * 1000);
    }
  }
}

function exitUnstarted(log: Logger, error: unknown): never {
  log.fatal({ err: error }, `Cannot start: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

async function stopInTime({ name, stop }: Started, log: Logger): Promise<void> {
  const timeout = wait(stopTimeoutMs).then(() => Promise.reject(new Error(`Not stopped within ${stopTimeoutMs} ms`)));
  await Promise.race([Promise.resolve().then(stop), timeout]).catch((error: unknown) =>
    log.warn({ err: error, component: name }, 'Could not be stopped'),
  );
  timeout.catch(() => undefined);
}
