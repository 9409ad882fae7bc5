import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { createLog, type Logger } from '../observability/log.ts';
import { createMetricsServer } from '../observability/metrics.ts';
import { ConfigError, type commonConfig, readConfig } from './config.ts';

/** Of each thing that is closed at the end; what hangs must not keep the process. */
const longestStopMs = 15_000;

/** What the gateway lets through (decisions 2, Limits: 60 KiB) and what it adds. */
const maxHeaderSize = 72 * 1024;

type CommonConfig = z.output<z.ZodObject<typeof commonConfig>>;

export interface ServiceContext<C> {
  config: C;
  log: Logger;
  /** Called when the process ends, last registered first, after the last request was answered. */
  onStop(name: string, stop: () => Promise<unknown> | unknown): void;
  /** Ends the process at once, to be started anew: something it cannot do without has given up for good. */
  crash(sentence: string, error: unknown): void;
}

export interface Service {
  app: RequestListener;
  /** Work that must be done before the service is ready, such as migrations. Tried again until it succeeds. */
  prepare?(): Promise<unknown>;
  /** What must answer for the service to be ready, by name. */
  checks?: Record<string, () => Promise<unknown>>;
  /** Whether a failure of `prepare` will pass by waiting; another ends the process. */
  isTransient?(error: unknown): boolean;
  /** Ports that answer like the main one. */
  extraPorts?: number[];
}

/**
 * A process from its environment to its end. Listens at once, is ready when everything is there, and on SIGTERM
 * or SIGINT is not ready for `DRAIN_SECONDS`, answers what has come, closes what was opened, and exits 0.
 */
export async function runService<S extends z.ZodType<CommonConfig>>(
  name: string,
  schema: S,
  start: (context: ServiceContext<z.output<S>>) => Promise<Service>,
): Promise<void> {
  const config = configOrExit(name, schema);
  const log = createLog(name, config.LOG_LEVEL);
  const stops: { name: string; stop: () => unknown }[] = [];
  const readiness = { prepared: false, stopping: false };

  function crash(sentence: string, error: unknown): void {
    log.fatal({ err: error }, sentence);
    process.exit(1);
  }
  process.on('unhandledRejection', (error) => crash('A promise failed unnoticed', error));
  process.on('uncaughtException', (error) => crash('An error was not caught', error));

  if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) {
    const { startTracing } = await import('../observability/trace-exporter.ts');
    stops.push({ name: 'traces', stop: startTracing(name, log).stop });
  }
  const service = await start({ config, log, crash, onStop: (part, stop) => stops.unshift({ name: part, stop }) });
  const listener = withHealth(service, readiness);
  const servers: Server[] = [];
  for (const port of [config.PORT, ...(service.extraPorts ?? [])])
    servers.push(await listen(listener, port, config.HOST, log));
  const metrics = await listen(createMetricsServer(), config.METRICS_PORT, config.HOST, log);

  const stop = async (signal: string) => {
    if (readiness.stopping) return;
    readiness.stopping = true;
    log.info({ signal }, 'Stopping');
    if (signal === 'SIGTERM') await wait(config.DRAIN_SECONDS * 1000);
    await Promise.all([...servers, metrics].map(close));
    for (const part of stops) {
      const late = wait(longestStopMs).then(() => Promise.reject(new Error('It takes too long')));
      await Promise.race([part.stop(), late]).catch((error: unknown) =>
        log.warn({ err: error, part: part.name }, 'Could not be closed'),
      );
      late.catch(() => undefined);
    }
    log.info('Stopped');
    process.exit(0);
  };
  // Not `once`: a second signal would end the process in the middle of its answers.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  await prepare(service, log, readiness);
  if (readiness.stopping) return;
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

async function prepare(service: Service, log: Logger, readiness: { stopping: boolean }): Promise<void> {
  for (let delaySeconds = 0.25; !readiness.stopping; delaySeconds = Math.min(delaySeconds * 2, 5)) {
    try {
      await service.prepare?.();
      return;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (service.isTransient?.(error) !== true) {
        log.fatal({ err: error }, `Cannot start: ${reason}`);
        process.exit(1);
      }
      log.warn({ reason, retryInSeconds: delaySeconds }, 'Waiting for what is needed to start');
      await wait(delaySeconds * 1000);
    }
  }
}

/** Health answers before Express: probes are neither logged nor counted. */
function withHealth(service: Service, readiness: { prepared: boolean; stopping: boolean }): RequestListener {
  return async (req, res) => {
    if (req.url === '/health/live') {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"UP"}');
      return;
    }
    if (req.url !== '/health/ready') {
      if (readiness.stopping) res.setHeader('Connection', 'close');
      service.app(req, res);
      return;
    }
    const down: string[] = [];
    if (readiness.stopping) down.push('stopping');
    if (!readiness.prepared) down.push('starting');
    await Promise.all(
      Object.entries(service.checks ?? {}).map(async ([check, run]) => {
        const late = wait(1_000).then(() => Promise.reject(new Error('too slow')));
        await Promise.race([Promise.resolve().then(run), late]).catch(() => down.push(check));
        late.catch(() => undefined);
      }),
    );
    res.writeHead(down.length === 0 ? 200 : 503, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(down.length === 0 ? { status: 'UP' } : { status: 'DOWN', waitingFor: down }));
  };
}

function listen(target: RequestListener | Server, port: number, host: string, log: Logger): Promise<Server> {
  const server = typeof target === 'function' ? createServer({ maxHeaderSize }, target) : target;
  // Longer than the gateway keeps an idle connection, so that it never sends a request into a closing one.
  server.keepAliveTimeout = 75_000;
  server.requestTimeout = 30_000;
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      log.fatal({ port, code: error.code }, `Cannot listen on port ${port}: ${error.message}`);
      process.exit(1);
    });
    server.listen(port, host, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A connection whose last answer has just gone out would be kept alive, and with it the process.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    // What is still under way gets its time; then the process must end before it is killed.
    const late = setTimeout(() => server.closeAllConnections(), 15_000);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });
}
