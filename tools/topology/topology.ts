import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { lookUp } from '../look-up.ts';
import { root } from '../paths.ts';

// The topology of the store, read from the values of charts/store, for everything outside the cluster that needs it.

export interface Service {
  /** What people call the component, such as order-worker: its alias, unless the values have another name. */
  name: string;
  /** Host name in the cluster and key in the values. */
  alias: string;
  /** Its image is built from services/<image>. */
  image: string;
  /** Entry point within that folder, such as dist/main.js. */
  entry: string;
  /** On 127.0.0.1 in the local run; metrics are 1000 above it. */
  localPort: number;
  database?: string;
  usesKafka: boolean;
  group?: string;
  /** It serves the audit trail of its database. */
  audited: boolean;
  /** Aliases of the services that it calls. */
  calls: string[];
  /** Variables as the cluster sets them, with addresses such as http://product:8080. */
  env: Record<string, string>;
  /** Names of the variables that come from Secrets. */
  secrets: string[];
}

export type Topology = ReturnType<typeof readTopology>;

interface ServiceValues {
  name?: string;
  image: string;
  args?: string[];
  localPort?: number;
  database?: string;
  kafka?: { group?: string; writes?: string[] };
  audited?: boolean;
  readsMetrics?: boolean;
  /** By variable: a service, perhaps with a path. */
  calls?: Record<string, string>;
  env?: Record<string, string | number | boolean>;
  secrets?: Record<string, object>;
}

/** @throws Error that says what is missing in the values or in Chart.yaml */
export function readTopology(chart: string) {
  const read = (file: string) => parse(readFileSync(join(chart, file), 'utf8'), { merge: true });
  const values = read('values.yaml');
  const dependencies: { name: string; alias?: string }[] = read('Chart.yaml').dependencies;
  const aliases = dependencies.flatMap(({ name, alias }) => (name === 'service' && alias ? [alias] : []));
  const services = aliases.map((alias) => {
    if (!values[alias])
      throw new Error(`Chart.yaml has a service ${alias}, but values.yaml has no block of that name.`);
    return serviceOf(alias, values[alias]);
  });

  const reader = services.find(({ alias }) => values[alias].readsMetrics);
  const others = services.filter((service) => service !== reader);
  if (reader) {
    Object.assign(reader.env, listsOf(others), { STORE_CURRENCY: String(values.order.env.STORE_CURRENCY) });
    reader.calls = others.map(({ alias }) => alias);
  }
  const routes = Object.entries<string>(values.global.routes).map(([prefix, alias]) => {
    const service = services.find((service) => service.alias === alias);
    if (!service) throw new Error(`values.yaml routes ${prefix} to ${alias}, which is not a service of Chart.yaml.`);
    return [prefix, service] as const;
  });
  return {
    services,
    groups: Object.fromEntries(services.flatMap((service) => (service.group ? [[service.group, service]] : []))),
    /** The service behind each path prefix of the gateway. */
    routes: Object.fromEntries(routes),
    databases: [...new Set(services.flatMap(({ database }) => database ?? []))],
    images: [...new Set(services.map(({ image }) => image))],
  };
}

function serviceOf(alias: string, values: ServiceValues): Service {
  const { name = alias, image, args, localPort, database, kafka, audited = false, calls = {} } = values;
  const { env = {}, secrets = {} } = values;
  const addresses = Object.entries(calls).map(([name, to]) => [name, `http://${to.replace(/(?=\/|$)/, ':8080')}`]);
  if (!localPort) throw new Error(`values.yaml: ${alias} has no localPort, its port on 127.0.0.1 in the local run.`);
  const entry = args?.[0] ?? 'dist/main.js';
  return {
    name,
    alias,
    image,
    entry,
    localPort,
    ...(database && { database }),
    usesKafka: kafka?.writes !== undefined,
    ...(kafka?.group && { group: kafka.group }),
    audited,
    calls: [...new Set(Object.values(calls).map((to) => to.replace(/\/.*/, '')))],
    env: {
      ...Object.fromEntries(addresses),
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
    },
    secrets: Object.keys(secrets),
  };
}

/** The variables of the ConfigMap store-services, which the console reads. */
const listsOf = (services: Service[]) => ({
  SERVICES: services.map(({ name, alias }) => `${name}=http://${alias}:8080`).join(),
  METRICS: services.map(({ name, alias }) => `${name}=http://${alias}-replicas:9090`).join(),
  GROUPS: services.flatMap(({ name, group }) => (group ? name : [])).join(),
  AUDITED: services.flatMap(({ name, audited }) => (audited ? name : [])).join(),
});

export const topology = readTopology(join(root, 'charts/store'));

const byName = Object.fromEntries(topology.services.map((service) => [service.name, service]));

export const serviceNamed = (name: string): Service => lookUp('service', byName, name);
