import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { getCACertificates, rootCertificates } from 'node:tls';
import { named, renderObjects } from '../../chart/render.ts';
import { root } from '../../paths.ts';
import { provideEnvoy } from '../downloads/envoy.mjs';
import { provideHelm } from '../downloads/helm.mjs';
import { type SupervisedProcess, type Supervision, startProcess } from './supervised-process.ts';

/** Values of the gateway. The chart refuses unknown values; missing values have its defaults. */
export interface GatewayValues {
  port: number;
  metricsPort: number;
  upstreams: Record<string, { host: string; port: number }>;
  external?: object;
  tls?: object;
  /** The store's global values. */
  global?: object;
  [value: string]: unknown;
}

interface GatewayOptions extends Supervision {
  values: GatewayValues;
  /** Folder for the rendered envoy.yaml. */
  dir: string;
}

/** Downloads the tools that the gateway needs, if they are missing. */
export const provideGatewayTools = () => Promise.all([provideHelm(), provideEnvoy()]);

/** `certificate.yaml` exists only with TLS. */
type ConfigFiles = { 'envoy.yaml': string; 'start.sh': string; 'drain.sh': string; 'certificate.yaml'?: string };

type Env = Record<string, string>;

/**
 * Renders the gateway's files by the chart with these values of the gateway. `global` among them is the store's.
 * @throws Error with Helm's message, if the chart refuses the values
 */
export const renderGateway = async (values: object): Promise<ConfigFiles> => (await renderParts(values)).files;

async function renderParts(values: object): Promise<{ files: ConfigFiles; env: Env }> {
  const { global = {}, ...gateway } = values as { global?: object };
  const objects = await renderObjects({ global, gateway }).catch((cause) => {
    throw new Error(`The gateway's chart cannot be rendered:\n${cause.message}`, { cause });
  });
  const [envoy] = named(objects, 'Deployment', 'gateway').spec.template.spec.containers;
  const env: { name: string; value: string }[] = envoy.env;
  return {
    files: named(objects, 'ConfigMap', 'gateway').data,
    env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
  };
}

/**
 * Renders the configuration into a file. Its folder takes the place of /etc/envoy in the cluster.
 * @returns the variables of the gateway's Deployment
 */
export async function writeGatewayConfig(file: string, values: object): Promise<Env> {
  const { files, env } = await renderParts(values);
  const { 'envoy.yaml': config, 'start.sh': start, 'certificate.yaml': certificate } = files;
  const dir = dirname(file);
  const inFolder = (text: string) => text.replaceAll('/etc/envoy', dir);
  if (certificate) await writeFile(join(dir, 'certificate.yaml'), inFolder(certificate));
  await writeFile(join(dir, 'start.sh'), start);
  await writeFile(file, inFolder(config));
  return env;
}

/** Relative to Envoy's folder if that is shorter: the path of a socket may have 103 characters on macOS, 107 on Linux. */
export function adminSocketIn(dir: string): string {
  const path = join(dir, 'admin.sock');
  const fromRoot = relative(root, path);
  return fromRoot.length < path.length ? fromRoot : path;
}

/** Starts Envoy with the chart's configuration, only on 127.0.0.1; resolves once it serves. */
export async function startGateway(options: GatewayOptions): Promise<SupervisedProcess> {
  const { values, dir, ...supervision } = options;
  await mkdir(dir, { recursive: true });
  const external = { trustedCa: await trustedCa(dir), ...values.external };
  const file = join(dir, 'envoy.yaml');
  const own = { external, address: '127.0.0.1', reusePort: false };
  const written = writeGatewayConfig(file, { adminSocket: adminSocketIn(dir), ...values, ...own });
  const [envoy, env] = await Promise.all([provideEnvoy(), written]);
  const quiet = ['--log-level', 'warning', '--file-flush-interval-msec', '500'];
  return startProcess({
    ...supervision,
    name: 'gateway',
    command: 'bash',
    args: [
      join(dir, 'start.sh'),
      file,
      join(dir, 'run'),
      envoy,
      '--concurrency',
      '1',
      '--disable-hot-restart',
      ...quiet,
    ],
    env,
    ready: async () => (await fetch(`http://127.0.0.1:${values.metricsPort}/ready`)).ok,
  });
}

/** Writes a file with the certificate authorities of the machine (SSL_CERT_FILE), which may have none, and of Node. */
async function trustedCa(dir: string): Promise<string> {
  const file = join(dir, 'authorities.pem');
  await writeFile(file, [...getCACertificates('system'), ...rootCertificates].join('\n'));
  return file;
}
