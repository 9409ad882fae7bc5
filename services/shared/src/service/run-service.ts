import type { AddressInfo } from 'node:net';
import { Gauge } from 'prom-client';
import type { z } from 'zod';
import type { DatabaseConfig } from '../database/config.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { isDatabaseUnavailable } from '../database/errors.ts';
import { migrate } from '../database/migrate.ts';
import { createLog, type Logger } from '../observability/log.ts';
import { createMetricsServer } from '../observability/metrics.ts';
import { ConfigError, readConfig } from '../values/environment.ts';
import { messageOf } from '../values/errors.ts';
import { retry, sleep, within } from '../values/time.ts';
import type { ServiceConfig } from './config.ts';
import { type Readiness, withHealth } from './health.ts';
import { close, listen } from './listen.ts';
import type { Service, ServiceDefinition, Started, StatelessDefinition } from './service.ts';

/** For each part that is stopped, so that no part prevents the process from ending. */
const stopTimeoutMs = 15_000;

const migrationWaiting = new Gauge({
  name: 'migration_waiting',
  help: '1 after a migration first had to wait for others to be done with its tables, until it is applied.',
});

/**
 * Runs a service, from reading its environment to its exit. It listens at once, and is ready once the database is migrated and
 * everything is started. On SIGTERM or SIGINT it becomes unready, keeps answering for `DRAIN_SECONDS` (SIGTERM only), finishes the
 * requests in flight, stops its parts in reverse order, and exits with 0.
 */
export async function runService<Schema extends z.ZodType<ServiceConfig & Partial<DatabaseConfig>>, Client>(
  definition: ServiceDefinition<Schema, Client> | StatelessDefinition<Schema>,
): Promise<void> {
  const { name, configSchema, database: owned } = definition;
  const config = configOrExit(name, configSchema);
  const { DATABASE_URL = '', DATABASE_POOLER_URL = DATABASE_URL, DATABASE_REPLICA_URL } = config;
  const log = createLog(name, config.LOG_LEVEL);
  const started: Started[] = [];
  const missing = new Set(['starting']);
  const readiness: Readiness = {
    stopping: false,
    waitingFor: () => [...missing, ...started.flatMap((one) => one.waitingFor?.() ?? [])],
  };

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
  let database: Database<Client> | undefined;
  let service: Service<Client>;
  if (definition.database) {
    const { PrismaClient, poolSize } = definition.database;
    database = openDatabase(PrismaClient, DATABASE_POOLER_URL, poolSize, DATABASE_REPLICA_URL);
    started.push({ name: 'database', stop: database.close });
    service = await definition.build({ config, log, database });
  } else {
    service = await definition.build({ config, log });
  }

  const listener = withHealth(service.app, readiness);
  const ports = [config.PORT, ...(service.extraPorts ?? [])];
  const servers = await Promise.all(ports.map((port) => listen(listener, port, config.HOST, log)));
  const metrics = await listen(createMetricsServer(), config.METRICS_PORT, config.HOST, log);

  const stop = async (signal: string) => {
    if (readiness.stopping) return;
    readiness.stopping = true;
    log.info({ signal }, 'Stopping');
    if (signal === 'SIGTERM') await sleep(config.DRAIN_SECONDS * 1000);
    service.endStreams?.();
    await Promise.all([...servers, metrics].map(close));
    for (const one of started.reverse()) await stopInTime(one, log);
    log.info('Stopped');
    process.exit(0);
  };
  // Not `once`, because a second signal would kill the process during its answers.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const { consumer, publisher, jobs = [] } = service;
  // A process without events does not load the Kafka client.
  const messaging = (consumer ?? publisher) && (await import('./consume.ts'));
  if (owned !== undefined) {
    missing.add('database');
    const onWait = (waiting: object) => {
      migrationWaiting.set(1);
      log.warn(waiting, 'A migration waits for others to be done with its tables');
    };
    await untilDatabaseAnswers(() => migrate(DATABASE_URL, owned.migrations, onWait), log, readiness);
    migrationWaiting.set(0);
    missing.delete('database');
  }
  if (readiness.stopping) return;
  try {
    started.push(...jobs.map((job) => job.start(log)));
    if (messaging && publisher && database) started.push(...messaging.publish(publisher, database, log, crash));
    if (messaging && consumer && database) started.push(...messaging.consume(consumer, database, log, crash));
  } catch (error) {
    exitUnstarted(log, error);
  }
  missing.delete('starting');
  const listening = { ports: servers.map((server) => (server.address() as AddressInfo).port) };
  log.info(listening, consumer === undefined ? 'Ready' : 'Joining the consumer group');
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

/** Repeats the work while the database is unavailable, for example does not exist yet; any other failure ends the process. */
async function untilDatabaseAnswers(work: () => Promise<unknown>, log: Logger, readiness: Readiness): Promise<void> {
  const unlessStopping = async () => readiness.stopping || (await work());
  await retry(unlessStopping, { firstMs: 250, maxMs: 5_000 }, (error, failures) => {
    if (!isDatabaseUnavailable(error)) exitUnstarted(log, error);
    log.warn({ reason: messageOf(error), failures }, 'Waiting for the database');
  });
}

function exitUnstarted(log: Logger, error: unknown): never {
  log.fatal({ err: error }, `Cannot start: ${messageOf(error)}`);
  process.exit(1);
}

async function stopInTime({ name, stop }: Started, log: Logger): Promise<void> {
  const late = () => {
    throw new Error(`Not stopped within ${stopTimeoutMs} ms`);
  };
  await within(stopTimeoutMs, Promise.resolve().then(stop), late).catch((error: unknown) =>
    log.warn({ err: error, component: name }, 'Could not be stopped'),
  );
}
