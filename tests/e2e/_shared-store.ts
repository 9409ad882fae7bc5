import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/free-port.ts';
import { type GatewayValues, startGateway } from '../../tools/local/components/gateway.ts';
import { entryOf, gatewayValues, localUrl, nodeFlags, serviceEnv } from '../../tools/local/components/services.ts';
import { startProcess } from '../../tools/local/components/supervised-process.ts';
import { portNames } from '../../tools/local/ports.ts';
import { serviceNamed, topology } from '../../tools/topology/topology.ts';
import { type Certificate, mountCertificate } from '../kit/certificates.ts';
import { newCredential, newKeyPair } from '../kit/credentials.ts';
import { logsIn, startTestStore, type TestStore } from './_store.ts';

/** What the set-up of a run passes to the tests, in an environment variable. */
interface Started {
  dir: string;
  ports: Record<string, number>;
  databases: Record<string, string>;
  /** Variables of the services. */
  env: Record<string, string>;
  /** Ports of pages. The gateway allows `own` and `other` as origins, and serves `belowGateway` at /shop. */
  pages: { own: number; belowGateway: number; other: number };
}

export type SharedStore = Omit<TestStore, 'component' | 'components' | 'has' | 'stop' | 'supervisorLines'> &
  Omit<Started, 'ports'> & {
    /** The credential of operators and services for internal paths. */
    credential: string;
  };

/** No order-worker: an order stays PENDING unless a test changes it as the worker would. */
const components = [
  'auth',
  'account',
  'product',
  'order',
  'payment',
  'inventory',
  'notification',
  'invoice',
  'webhook',
  'status',
];
const unlimited = { perSecond: 10_000, burst: 10_000 };

const gatewayOf = ({ belowGateway }: Started['pages']) => ({
  global: { shop: { enabled: true } },
  upstreams: { shop: { host: '127.0.0.1', port: belowGateway } },
});

/**
 * Starts the store that the tests of the Jest projects store and shop share. As in presets/prod.yaml, services check tokens themselves
 * and demand a credential on internal paths. @returns a function that stops it
 */
export async function startSharedStore(): Promise<() => Promise<void>> {
  const credential = newCredential();
  const pages = { own: await freePort(), belowGateway: await freePort(), other: await freePort() };
  // 127.0.0.1 and localhost are different sites. CORS allows both here, so that only SameSite decides.
  const origins = ['localhost', '127.0.0.1'].flatMap((host) => [`http://${host}:${pages.own}`]);
  const env = {
    JWT_PRIVATE_KEY: newKeyPair().privateKey,
    BEARER_VALIDATION: 'on',
    INTERNAL_CREDENTIAL: credential,
    INTERNAL_CREDENTIALS: credential,
    OPERATOR_CREDENTIALS: credential,
    MAILER_CREDENTIALS: credential,
    CORS_ALLOWED_ORIGINS: [...origins, `http://localhost:${pages.other}`].join(),
  };
  const store = await startTestStore({
    components: ['gateway', ...components],
    env,
    gateway: {
      ...gatewayOf(pages),
      limits: { requests: unlimited, credentials: unlimited },
    },
  });
  const started: Started = {
    dir: store.dir,
    ports: Object.fromEntries(portNames.map((name) => [name, store.ports.of(name)])),
    databases: Object.fromEntries(topology.databases.map((name) => [name, store.databaseUrl(name)])),
    ...{ env, pages },
  };
  process.env.TEST_STORE = JSON.stringify(started);
  return store.stop;
}

/** The store that the set-up started. Other tests use it at the same time, so do not stop parts of it or count everything in it. */
export function sharedStore(): SharedStore {
  const started: Started = JSON.parse(process.env.TEST_STORE ?? '');
  const { dir, ports, databases } = started;
  const of = (name: string) => ports[name] ?? Number.NaN;
  return {
    ...started,
    credential: started.env.OPERATOR_CREDENTIALS ?? '',
    ports: { of },
    gatewayUrl: localUrl(of('gateway')),
    url: (name) => localUrl(of(name)),
    metricsUrl: (name) => localUrl(of(`${name}-metrics`)),
    databaseUrl: (name) => databases[name] ?? '',
    kafkaBrokers: [`127.0.0.1:${of('kafka')}`],
    logs: () => logsIn(dir),
  };
}

/** Starts a replica of a service with other variables, until the file's tests have run. @returns its address for a gateway, by name */
export async function startSharedReplica(name: string, env: Record<string, string>) {
  const { dir, ports, databaseUrl, kafkaBrokers: brokers, ...store } = sharedStore();
  const service = serviceNamed(name);
  const own: Record<string, number> = { [name]: await freePort(), [`${name}-metrics`]: await freePort() };
  const of = (port: string) => own[port] ?? ports.of(port);
  const given = { env: { ...process.env, ...store.env, ...env }, ports: { of }, brokers, jwtKey: '' };
  const replica = await startProcess({
    name,
    logDir: join(dir, 'log', `${name}-${of(name)}`),
    command: process.execPath,
    args: [...nodeFlags, entryOf(service)],
    env: serviceEnv(service, { ...given, databaseUrl: service.database && databaseUrl(service.database) }),
    ready: async () => (await fetch(`${localUrl(of(name))}/health/ready`)).ok,
  });
  afterAll(replica.stop);
  return { [service.alias]: { host: '127.0.0.1', port: of(name) } };
}

/** Starts another gateway of the shared store with other values, until the file's tests have run. */
export async function startSharedGateway(values: Partial<GatewayValues>, certificate?: Certificate) {
  const store = sharedStore();
  const dir = await mkdtemp(join(tmpdir(), 'store-gateway-'));
  if (certificate) await mountCertificate(dir, certificate);
  const own = { port: await freePort(), metricsPort: await freePort() };
  const { upstreams, ...others } = gatewayValues({}, store.ports);
  const { global, upstreams: shop } = gatewayOf(store.pages);
  const all = { ...others, global, ...own, ...values, upstreams: { ...upstreams, ...shop, ...values.upstreams } };
  const gateway = await startGateway({ values: all, dir, logDir: dir });
  afterAll(async () => {
    await gateway.stop();
    await rm(dir, { recursive: true });
  });
  return { dir, port: own.port, url: localUrl(own.port) };
}
