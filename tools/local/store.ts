import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { untilAborted } from '@store/shared/messaging/kafka/client';
import { lookUp } from '../look-up.ts';
import { type Service, serviceNamed, topology } from '../topology/topology.ts';
import { type GatewayValues, provideGatewayTools, startGateway } from './components/gateway.ts';
import { startKafka } from './components/kafka.ts';
import { type Postgres, startPostgres } from './components/postgres.ts';
import { entryOf, gatewayValues, localUrl, nodeFlags, serviceEnv } from './components/services.ts';
import { type SupervisedProcess, startProcess } from './components/supervised-process.ts';
import { provideKafkaTools } from './downloads/java.mjs';
import { tryLock } from './lock.ts';
import { checkPorts, fixedPorts, freePorts, type Ports, portNames, serviceNames } from './ports.ts';

const componentNames: string[] = ['gateway', 'postgres', 'kafka', ...serviceNames];

export interface StoreOptions {
  /** Folder for data/, log/ and gateway/. Only one store at a time can use it. */
  dir: string;
  /** The documented ports, as overridden by their variables, or any free ports. */
  ports: 'fixed' | 'free';
  /** Overrides the environment of this process, for every service and the gateway. */
  env?: Record<string, string>;
  /** Default: all. The database and the broker that a service needs are added. */
  components?: string[];
  gateway?: Partial<GatewayValues>;
  /** For example { fsync: 'off' } if data need not survive a crash. */
  postgresSettings?: Record<string, string>;
  /** Further lines of Kafka's server.properties. */
  kafkaSettings?: string;
  /** Returns the ports at which components reach each other. Default: their own. */
  connect?: (ports: Ports) => Promise<Connections>;
  log?: (line: string) => void;
  /** Aborts the start: started components are stopped, and startStore rejects. */
  signal?: AbortSignal;
}

/** Addresses of the components, possibly of TCP proxies. */
export interface Connections {
  /** Listeners that Kafka needs besides its own. */
  listeners: { port: number; proxyPort: number }[];
  /** The port at which a component reaches another. */
  from(component: string): (to: string) => number;
}

export interface Store {
  dir: string;
  gatewayUrl: string;
  /** Returns the URL of a service. For an unknown name, this and the following throw an Error that lists the names. */
  url(name: string): string;
  metricsUrl(name: string): string;
  ports: Ports;
  databaseUrl(name: string): string;
  kafkaBrokers: string[];
  components: SupervisedProcess[];
  component(name: string): SupervisedProcess;
  stop(): Promise<void>;
}

/** Starts the store, or some of its components, and resolves once all are ready. If the start fails, nothing is left running. */
export async function startStore(options: StoreOptions): Promise<Store> {
  const unlock = await tryLock(join(options.dir, 'lock'));
  if (!unlock) throw new Error(`A store is already running in ${options.dir}: stop it first (Ctrl-C in its terminal).`);
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
  const wanted = withDependencies(options.components ?? componentNames);
  const ports = options.ports === 'fixed' ? fixedPorts(env) : await freePorts();
  await checkPorts(ports, [...wanted].flatMap(portsOf));
  const connections = (await options.connect?.(ports)) ?? { listeners: [], from: () => ports.of };
  const values = gatewayValues(env, ports, connections.from('gateway'));
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, ...(options.signal ? [options.signal] : [])]);
  setMaxListeners(0, signal); // every component listens
  const tools = [wanted.has('kafka') && provideKafkaTools(), wanted.has('gateway') && provideGatewayTools()];
  await untilAborted(signal, () => Promise.all(tools));

  const began = Date.now();
  const dataDir = join(dir, 'data');
  const supervision = { logDir: join(dir, 'log'), log, signal };
  const jwtKey = await storedKey(join(dataDir, 'jwt-secret-key'));
  const consoleToken = await storedKey(join(dataDir, 'console-token'));
  const starting = new Map<string, Promise<SupervisedProcess>>();
  const pending = new Set<string>();

  function start<P extends SupervisedProcess>(name: string, begin: () => Promise<P>): Promise<P> | undefined {
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

  const placeOf = (name: string) => ({ ...supervision, dataDir: join(dataDir, name), port: ports.of(name) });
  const postgres = start('postgres', async () => {
    const component = await startPostgres({ ...placeOf('postgres'), settings: options.postgresSettings });
    await Promise.all(topology.databases.map(component.createDatabase));
    return component;
  });
  const kafka = start('kafka', () => {
    const own = { controllerPort: ports.of('kafka-controller'), settings: options.kafkaSettings };
    return startKafka({ ...placeOf('kafka'), ...own, proxied: connections.listeners });
  });
  start('gateway', () => {
    const upstreams = { ...values.upstreams, ...options.gateway?.upstreams };
    const all = { ...values, ...options.gateway, upstreams };
    return startGateway({ ...supervision, values: all, dir: join(dir, 'gateway') });
  });
  async function startService(service: Service): Promise<SupervisedProcess> {
    const { name, database, group } = service;
    const portOf = connections.from(name);
    const databaseUrl = database && (await postgres)?.url(database, portOf('postgres'));
    const brokers = [`127.0.0.1:${portOf('kafka')}`];
    if (group) await kafka;
    const own = serviceEnv(service, { env, ports, portOf, jwtKey, consoleToken, brokers, databaseUrl });
    return startProcess({
      ...supervision,
      name,
      command: process.execPath,
      args: [...nodeFlags, entryOf(service)],
      env: { ...own, ...options.env },
      ready: async () => (await fetch(`${localUrl(ports.of(name))}/health/ready`)).ok,
    });
  }
  for (const service of topology.services) start(service.name, () => startService(service));

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
    const named = async ([name, component]: [string, Promise<SupervisedProcess>]) => [name, await component] as const;
    const components = new Map(await untilAborted(signal, () => Promise.all([...starting].map(named))));
    const byName = Object.fromEntries(components);
    const component = (name: string) => lookUp('component', byName, name);
    return {
      dir,
      gatewayUrl: localUrl(ports.of('gateway')),
      url: (name) => localUrl(ports.of(serviceNamed(name).name)),
      metricsUrl: (name) => localUrl(ports.of(`${name}-metrics`)),
      ports,
      databaseUrl: (name) => (component('postgres') as Postgres).url(name),
      kafkaBrokers: [`127.0.0.1:${ports.of('kafka')}`],
      components: [...components.values()],
      component,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearInterval(waiting);
  }
}

function withDependencies(components: string[]): Set<string> {
  const known = Object.fromEntries(componentNames.map((name) => [name, name]));
  const wanted = new Set(components.map((name) => lookUp('component', known, name)));
  const services = topology.services.filter(({ name }) => wanted.has(name));
  if (services.some(({ database }) => database)) wanted.add('postgres');
  if (services.some(({ group }) => group)) wanted.add('kafka');
  return wanted;
}

const portsOf = (component: string): string[] =>
  ['', '-metrics', '-controller'].map((use) => component + use).filter((name) => portNames.includes(name));

/** The random key in a file, which is created on first use and readable only by its owner. */
async function storedKey(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept) return kept.trim();
  const key = randomBytes(32).toString('base64');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}
