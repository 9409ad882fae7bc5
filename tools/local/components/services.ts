import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../paths.ts';
import { type Service, topology } from '../../topology/topology.ts';
import type { Ports } from '../ports.ts';
import type { GatewayValues } from './gateway.ts';

type Env = Record<string, string | undefined>;

const dockerfile = readFileSync(join(root, 'services/Dockerfile'), 'utf8');
const [, entrypoint = ''] = /^ENTRYPOINT (.+)$/m.exec(dockerfile) ?? [];
/** Node's flags in the image. */
export const nodeFlags: string[] = JSON.parse(entrypoint).slice(1);
const [, mallocThreshold] = /^ENV MALLOC_MMAP_THRESHOLD_=(\d+)$/m.exec(dockerfile) ?? [];

export const localUrl = (port: number) => `http://127.0.0.1:${port}`;

export const entryOf = ({ image, entry }: Service) => join(root, 'services', image, entry);

/** The environment of a service: the cluster's with local addresses, overridden by the user's, then by the local run's. */
export function serviceEnv(
  service: Service,
  given: {
    env: Env;
    ports: Ports;
    /** Port at which it reaches another service; default: the service's own. */
    portOf?: (service: string) => number;
    jwtKey: string;
    /** For services with CONSOLE_TOKEN. */
    consoleToken?: string;
    brokers: string[];
    databaseUrl?: string;
  },
): Env {
  const { env, ports, portOf = ports.of, jwtKey, consoleToken, brokers, databaseUrl } = given;
  const { name, group, usesKafka } = service;
  const checksTokens = env.BEARER_VALIDATION === 'on';
  const seesKey = service.secrets.includes('JWT_SECRET_KEY') || checksTokens;
  const inCluster = Object.entries(service.env).map(([name, value]) => [name, withLocalUrls(value, ports, portOf)]);
  return {
    ...Object.fromEntries(inCluster),
    ...env,
    ...secretsOfOthers(service),
    NODE_OPTIONS: undefined, // those of a test runner are not meant for the services
    MALLOC_MMAP_THRESHOLD_: mallocThreshold,
    HOST: '127.0.0.1',
    PORT: String(ports.of(name)),
    METRICS_PORT: String(ports.of(`${name}-metrics`)),
    OTEL_SERVICE_NAME: name,
    DRAIN_SECONDS: env.DRAIN_SECONDS ?? '0', // there is no load balancer to wait for
    DATABASE_URL: databaseUrl,
    CONSUMER_GROUP: group,
    KAFKA_BROKERS: usesKafka ? brokers.join() : undefined,
    JWT_SECRET_KEY: seesKey ? env.JWT_SECRET_KEY || jwtKey : undefined,
    WEBHOOK_KEYS: service.secrets.includes('WEBHOOK_KEYS') ? env.WEBHOOK_KEYS || jwtKey : undefined,
    CONSOLE_TOKEN: service.secrets.includes('CONSOLE_TOKEN') ? env.CONSOLE_TOKEN || consoleToken : undefined,
    // Its Secret is part of a preset.
    ...(name !== 'payment' && { STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined }),
    STORE_URL: 'STORE_URL' in service.env ? env.STORE_URL || `http://localhost:${ports.of('gateway')}` : undefined,
    JWT_PREVIOUS_SECRET_KEYS: seesKey ? env.JWT_PREVIOUS_SECRET_KEYS : undefined,
    BEARER_JWKS_URL: checksTokens ? withLocalUrls(env.BEARER_JWKS_URL || jwksUrl, ports, portOf) : undefined,
  };
}

const jwksUrl = 'http://auth:8080/.well-known/jwks.json';

/** Only services that have a secret in the cluster get it from the user's environment. */
function secretsOfOthers({ secrets }: Service): Env {
  const others = topology.services.flatMap((service) => service.secrets).filter((name) => !secrets.includes(name));
  return Object.fromEntries(others.map((name) => [name, undefined]));
}

/** Replaces cluster addresses, such as http://product:8080 or http://product-replicas:9090, with those of the local run. */
function withLocalUrls(value: string, ports: Ports, portOf: (service: string) => number): string {
  return value.replace(/http:\/\/([a-z0-9]+)(?:-replicas)?:(8080|9090)/g, (url, host, port) => {
    const service = topology.services.find(({ alias }) => alias === host);
    if (service === undefined) return url;
    return localUrl(port === '9090' ? ports.of(`${service.name}-metrics`) : portOf(service.name));
  });
}

/** Reads CORS_ALLOWED_ORIGINS. Without the variable it allows the shop (make shop); if it is empty, nothing. */
export const allowedOrigins = ({ CORS_ALLOWED_ORIGINS = 'http://localhost:3000' }: Env): string[] =>
  CORS_ALLOWED_ORIGINS.split(',').flatMap((origin) => origin.trim() || []);

/**
 * The gateway's values from the environment (contract 9). The chart refuses an invalid origin or boolean.
 * @param portOf port at which it reaches a service; default: the service's own
 */
export function gatewayValues(env: Env, ports: Ports, portOf = ports.of): GatewayValues {
  const upstreams = topology.services.map(({ alias, name }) => [alias, { host: '127.0.0.1', port: portOf(name) }]);
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const samplingPercent = 100 * Number(env.OTEL_TRACES_SAMPLER_ARG || 1);
  return {
    port: ports.of('gateway'),
    metricsPort: ports.of('gateway-metrics'),
    upstreams: Object.fromEntries(upstreams),
    cors: { allowedOrigins: allowedOrigins(env), allowedCredentials: parse(env.CORS_ALLOWED_CREDENTIALS || 'true') },
    ...(endpoint && { global: { tracing: { endpoint, samplingPercent } } }),
    publicCatalogue: parse(env.PUBLIC_CATALOGUE || 'false'),
    ...(env.EXTERNAL_SITE_URL && { external: { url: env.EXTERNAL_SITE_URL } }),
  };
}
