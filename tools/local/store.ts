import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type GatewayValues, provideGatewayTools, startGateway } from './components/gateway.ts';
import { startKafka } from './components/kafka.ts';
import { startPostgres } from './components/postgres.ts';
import { databases, gatewayValues, localUrl, nodeFlags, serviceEnv, services } from './components/services.ts';
import { type SupervisedProcess, startProcess } from './components/supervised-process.ts';
import { provideKafka } from './downloads/kafka.ts';
import { tryLock } from './lock.ts';
import {
  checkPorts,
  fixedPorts,
  freePorts,
  type PortName,
  type Ports,
  type ServiceName,
  serviceNames,
} from './ports.ts';

export type ComponentName = ServiceName | 'postgres' | 'kafka' | 'gateway';

export interface StoreOptions {
  /** Gets data/, log/ and gateway/. For one store at a time. */
  dir: string;
  /** The documented ones (or what their variables say), or any that are free. */
  ports: 'fixed' | 'free';
  /** Goes before the environment of this process, for every service and the gateway. */
  env?: Record<string, string>;
  /** Default: all. The database or broker that a part needs comes with it. */
  components?: ComponentName[];
  /** Goes before the values that the gateway is given otherwise. */
  gateway?: Partial<GatewayValues> & { concurrency?: number };
  /** For example { fsync: 'off' } where nothing has to survive. */
  postgresSettings?: Record<string, string>;
  log?: (line: string) => void;
  /** Gives up starting: what has been started is stopped, and startStore rejects. */
  signal?: AbortSignal;
}

export interface Store {
  gatewayUrl: string;
  urls: Record<ServiceName, string>;
  metricsUrls: Record<ServiceName | 'gateway', string>;
  ports: Ports;
  databaseUrl(name: string): string;
  kafkaBrokers: string[];
  /** Whether it was started with that part. */
  has(name: ComponentName): boolean;
  component(name: ComponentName): SupervisedProcess;
  stop(): Promise<void>;
}

/** Starts the store, or some parts of it, and resolves once all of it is ready. Where that fails, nothing is left running. */
export async function startStore(options: StoreOptions): Promise<Store> {
  const unlock = await tryLock(options.dir);
  if (!unlock) throw new Error(`A store runs in ${options.dir} already: end that one first (Ctrl-C where it runs).`);
  try {
    const store = await startComponents(options);
    return { ...store, stop: () => store.stop().finally(unlock) };
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function startComponents(options: StoreOptions): Promise<Store> {
  const { dir, log = () => undefined } = options;
  const env = { ...process.env, ...options.env };
  const wanted = withNeeds(options.components ?? ['postgres', 'kafka', 'gateway', ...serviceNames]);
  const ports = options.ports === 'fixed' ? fixedPorts(env) : await freePorts();
  await checkPorts(ports, [...wanted].flatMap(portsOf));
  const values = gatewayValues(env, ports);
  await unlessAborted(fetchTools(wanted), options.signal);

  const began = Date.now();
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, ...(options.signal ? [options.signal] : [])]);
  setMaxListeners(0, signal); // every part listens
  const [logDir, dataDir] = [join(dir, 'log'), join(dir, 'data')];
  const jwtKey = await keptKey(join(dataDir, 'jwt-secret-key'));
  const starting = new Map<ComponentName, Promise<SupervisedProcess>>();
  const pending = new Set<ComponentName>();

  function start<P extends SupervisedProcess>(name: ComponentName, begin: () => Promise<P>): Promise<P> | undefined {
    if (!wanted.has(name)) return undefined;
    pending.add(name);
    const component = begin().then((component) => {
      pending.delete(name);
      log(`${name}: ready after ${((Date.now() - began) / 1000).toFixed(1)} s`);
      return component;
    });
    component.catch((error) => failure.abort(error));
    starting.set(name, component);
    return component;
  }

  const postgres = start('postgres', async () => {
    const given = { dataDir: join(dataDir, 'postgres'), port: ports.postgres, settings: options.postgresSettings };
    const component = await startPostgres({ ...given, logDir, log, signal });
    await Promise.all(databases.map(component.createDatabase));
    return component;
  });
  const kafka = start('kafka', () => {
    const given = { dataDir: join(dataDir, 'kafka'), port: ports.kafka, controllerPort: ports['kafka-controller'] };
    return startKafka({ ...given, logDir, log, signal });
  });
  start('gateway', () => {
    const { concurrency, ...overrides } = options.gateway ?? {};
    return startGateway({ values: { ...values, ...overrides }, concurrency, dir: join(dir, 'gateway'), logDir, log });
  });
  const brokers = [`127.0.0.1:${ports.kafka}`];
  for (const name of serviceNames) {
    start(name, async () => {
      const { entry, database } = services[name];
      const databaseUrl = database && (await postgres)?.url(database);
      if (services[name].kafka) await kafka;
      return startProcess({
        name,
        command: process.execPath,
        args: [...nodeFlags, entry],
        env: { ...serviceEnv(name, { env, ports, jwtKey, brokers, databaseUrl }), ...options.env },
        logDir,
        log,
        signal,
        ready: async () => {
          const health = `${localUrl(ports[name])}/health/ready`;
          return (await fetch(health, { signal: AbortSignal.timeout(2000) })).ok;
        },
      });
    });
  }

  async function stop(): Promise<void> {
    const settled = await Promise.allSettled(starting.values());
    const components = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const isBelow = ({ name }: SupervisedProcess) => name === 'postgres' || name === 'kafka';
    const stopAll = (some: SupervisedProcess[]) => Promise.all(some.map((component) => component.stop()));
    await stopAll(components.filter((component) => !isBelow(component)));
    await stopAll(components.filter(isBelow));
  }

  const waiting = setInterval(() => log(`still waiting for ${[...pending].join(', ')}`), 5000);
  try {
    await unlessAborted(Promise.all(starting.values()), signal);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearInterval(waiting);
  }

  const components = new Map(
    await Promise.all([...starting].map(async ([name, component]) => [name, await component] as const)),
  );
  const database = await postgres;
  const urls = <N extends string>(names: N[], portOf: (name: N) => PortName) =>
    Object.fromEntries(names.map((name) => [name, localUrl(ports[portOf(name)])])) as Record<N, string>;
  return {
    gatewayUrl: localUrl(ports.gateway),
    urls: urls(serviceNames, (name) => name),
    metricsUrls: urls([...serviceNames, 'gateway'], (name) => `${name}-metrics` as const),
    ports,
    databaseUrl: (name) => required(database, 'postgres').url(name),
    kafkaBrokers: brokers,
    has: (name) => components.has(name),
    component: (name) => required(components.get(name), name),
    stop,
  };
}

function withNeeds(components: ComponentName[]): Set<ComponentName> {
  const uses = components.flatMap((name) => (name in services ? [services[name as ServiceName]] : []));
  const needs: ComponentName[] = [];
  if (uses.some(({ database }) => database)) needs.push('postgres');
  if (uses.some(({ kafka }) => kafka)) needs.push('kafka');
  return new Set([...needs, ...components]);
}

function portsOf(component: ComponentName): PortName[] {
  if (component === 'postgres') return ['postgres'];
  if (component === 'kafka') return ['kafka', 'kafka-controller'];
  if (component === 'gateway') return ['gateway', 'gateway-metrics', 'gateway-admin'];
  return [component, `${component}-metrics`];
}

async function fetchTools(wanted: Set<ComponentName>): Promise<void> {
  await Promise.all([wanted.has('kafka') && provideKafka(), wanted.has('gateway') && provideGatewayTools()]);
}

/** The random key in that file, made on first use and readable by its owner alone. */
async function keptKey(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept) return kept.trim();
  const key = randomBytes(32).toString('base64');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`This store was started without ${name}.`);
  return value;
}
