import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../paths.ts';
import type { Ports, ServiceName } from '../ports.ts';
import type { GatewayValues } from './gateway.ts';

type Env = Record<string, string | undefined>;

interface LocalService {
  entry: string;
  database?: string;
  kafka?: true;
  env?: Env;
}

/** One image, three services. */
const consumer = (group: string): LocalService => ({
  entry: join(root, 'services/consumers/dist/main.js'),
  database: 'consumers',
  kafka: true,
  env: { CONSUMER_GROUP: group },
});

/** What runs for a service, and the database it owns or shares. */
export const services: Record<ServiceName, LocalService> = {
  auth: { entry: join(root, 'services/auth/dist/main.js') },
  account: { entry: join(root, 'services/account/dist/main.js'), database: 'account' },
  product: { entry: join(root, 'services/product/dist/main.js'), database: 'product' },
  order: { entry: join(root, 'services/order/dist/main.js'), database: 'order' },
  'order-worker': { entry: join(root, 'services/order/dist/worker.js'), database: 'order', kafka: true },
  payment: { entry: join(root, 'services/payment/dist/main.js'), database: 'payment', kafka: true },
  inventory: { entry: join(root, 'services/inventory/dist/main.js'), database: 'inventory', kafka: true },
  notification: consumer('notification-group'),
  analytics: consumer('analytics-group'),
  invoice: consumer('invoice-group'),
  status: { entry: join(root, 'services/status/dist/main.js'), database: 'status' },
};

/** Those of the image. */
export const nodeFlags: string[] = JSON.parse(
  /^ENTRYPOINT (.+)$/m.exec(readFileSync(join(root, 'services/Dockerfile'), 'utf8'))?.[1] ?? '',
).slice(1);

export const databases = ['account', 'product', 'order', 'inventory', 'payment', 'consumers', 'status'];

export const localUrl = (port: number) => `http://127.0.0.1:${port}`;

/** The environment of a service: the user's own, and what the local run decides. */
export function serviceEnv(
  name: ServiceName,
  given: { env: Env; ports: Ports; jwtKey: string; brokers: string[]; databaseUrl?: string },
): Env {
  const { env, ports, jwtKey, brokers, databaseUrl } = given;
  const seesKey = name === 'auth' || env.BEARER_VALIDATION === 'on';
  return {
    ...env,
    NODE_OPTIONS: undefined, // that of a test runner is not meant for the services
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
    METRICS_PORT: String(ports[`${name}-metrics`]),
    OTEL_SERVICE_NAME: name,
    DRAIN_SECONDS: env.DRAIN_SECONDS ?? '0', // nothing balances load here, so there is nobody to wait for
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: services[name].kafka && brokers.join(),
    JWT_SECRET_KEY: seesKey ? env.JWT_SECRET_KEY || jwtKey : undefined,
    JWT_PREVIOUS_SECRET_KEYS: seesKey ? env.JWT_PREVIOUS_SECRET_KEYS : undefined,
    ACCOUNT_URL: localUrl(ports.account),
    PRODUCT_URL: localUrl(ports.product),
    ...services[name].env,
  };
}

/** The gateway's values from the specification's variables. */
export function gatewayValues(env: Env, ports: Ports): GatewayValues {
  const at = (port: number) => ({ host: '127.0.0.1', port });
  const origins = env.CORS_ALLOWED_ORIGINS ?? 'http://localhost:3000';
  const credentials = env.CORS_ALLOWED_CREDENTIALS || 'true';
  if (!['true', 'false'].includes(credentials)) {
    throw new Error(`CORS_ALLOWED_CREDENTIALS=${credentials} is neither true nor false.`);
  }
  return {
    port: ports.gateway,
    metricsPort: ports['gateway-metrics'],
    adminPort: ports['gateway-admin'],
    upstreams: {
      auth: at(ports.auth),
      account: at(ports.account),
      product: at(ports.product),
      order: at(ports.order),
      status: at(ports.status),
    },
    cors: {
      allowedOrigins: origins.split(',').flatMap((origin) => origin.trim() || []),
      allowedCredentials: credentials === 'true',
    },
    ...(env.OTEL_EXPORTER_OTLP_ENDPOINT && {
      global: {
        tracing: {
          endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
          samplingPercent: 100 * Number(env.OTEL_TRACES_SAMPLER_ARG || 1),
        },
      },
    }),
    ...(env.EXTERNAL_SITE_URL && { external: { url: env.EXTERNAL_SITE_URL } }),
  };
}
