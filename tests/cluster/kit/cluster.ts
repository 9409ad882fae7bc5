import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { connect, orUndefined, sentence } from '../../../tools/cluster/api.ts';
import { componentsOf, nameOf } from '../../../tools/cluster/rollout.ts';
import { requireHelm } from '../../../tools/local/downloads/helm.mjs';
import { root } from '../../../tools/paths.ts';
import { withFolder } from '../../../tools/with-folder.ts';
import { until as poll } from '../../kit/until.ts';

export const cluster = connect();
const { core, apps, namespace, release } = cluster;

const startedAt = Date.now();
/** Prints progress straight to the terminal, because Jest holds back console output until a file is done. */
export const say = (line: string) =>
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}\n`);

/** GATEWAY_URL, or the gateway's node port, or the address that kind-config.yaml maps it to. */
export async function findGateway(): Promise<string> {
  const urls = process.env.GATEWAY_URL ? [process.env.GATEWAY_URL] : await candidateUrls();
  for (const url of urls) {
    const signal = AbortSignal.timeout(5_000);
    if ((await fetch(`${url}/health-check`, { signal }).catch(() => undefined))?.ok) return url;
  }
  throw new Error(
    `No gateway responds at ${urls.join(' or ')}: deploy with charts/store/presets/dev.yaml, or set GATEWAY_URL.`,
  );
}

async function candidateUrls(): Promise<string[]> {
  const service = await core.readNamespacedService({ name: 'gateway', namespace });
  const nodePort = service.spec?.ports?.find(({ name }) => name === 'http')?.nodePort;
  const nodes = (await core.listNode()).items.flatMap(({ status }) => status?.addresses ?? []);
  const internal = nodes.filter(({ type }) => nodePort && type === 'InternalIP');
  return [...internal.map(({ address }) => `http://${address}:${nodePort}`), 'http://localhost:8080'];
}

/** The address of the gateway, and the certificate to trust if the gateway terminates TLS. */
export const findTrustedGateway = async (): Promise<{ url: string; ca?: string }> =>
  (await findSecureGateway()) ?? { url: await findGateway() };

/** The address and the certificate if the gateway terminates TLS with a self-signed certificate of cert-manager. */
async function findSecureGateway(): Promise<{ url: string; ca: string } | undefined> {
  const secret = await core.readNamespacedSecret({ name: 'store-tls', namespace }).catch(orUndefined);
  const certificate = secret?.data?.['tls.crt'];
  if (!certificate) return undefined;
  const { spec } = await core.readNamespacedService({ name: 'gateway', namespace });
  const port = spec?.ports?.find(({ name }) => name === 'https')?.nodePort;
  const addresses = (await core.listNode()).items.flatMap(({ status }) => status?.addresses ?? []);
  const host = addresses.find(({ type }) => type === 'InternalIP')?.address;
  return { url: `https://${host}:${port}`, ca: Buffer.from(certificate, 'base64').toString() };
}

type Place = Pick<typeof cluster, 'namespace' | 'release'>;

const deploymentsOf = async ({ namespace, release }: Place) =>
  (await apps.listNamespacedDeployment({ namespace, labelSelector: componentsOf(release) })).items;

export async function deploymentNames(): Promise<string[]> {
  return (await deploymentsOf(cluster)).map(nameOf);
}

/** Selects the cluster in CONTEXT for kubectl (--context) or Helm (--kube-context). Empty: both use their current cluster. */
export const contextOf = (option: '--context' | '--kube-context'): string[] =>
  process.env.CONTEXT ? [option, process.env.CONTEXT] : [];

export const kubectl = (args: string[], options: { input?: string; reject?: boolean } = {}) =>
  execa('kubectl', [...contextOf('--context'), ...args], options);

export async function helmIn(namespace: string, ...args: string[]): Promise<string> {
  const where = [...contextOf('--kube-context'), '--namespace', namespace];
  return (await execa(await requireHelm(), [...args, ...where], { cwd: root })).stdout;
}

/** Runs a command in tools/, such as `cluster/commands/doctor.ts`. */
export const runTool = (command: string, args: string[] = [], env: Record<string, string> = {}) =>
  execa('node', [join('tools', command), ...args], { cwd: root, env, all: true, reject: false });

export const helm = (...args: string[]) => helmIn(namespace, ...args);

export const upgrade = (...args: string[]) =>
  helm('upgrade', release, 'charts/store', '--install', '--wait', '--timeout', '10m', ...args);

/** Passes a file with the values of the installed release, and upgrades back to them at the end. */
export const withInstalledValues = (run: (file: string) => Promise<void>): Promise<void> =>
  withFolder(async (dir) => {
    const file = join(dir, 'installed.yaml');
    await writeFile(file, await helm('get', 'values', release, '--output', 'yaml'));
    try {
      await run(file);
    } catch (error) {
      // Printed at once, because the upgrade below may also fail.
      say(`failed: ${sentence(error, cluster)}`);
      throw error;
    } finally {
      say('helm upgrade back to the installed values');
      // Takes back the replica counts that an autoscaler has set meanwhile. After an install by Helm 3, Helm 4 would keep using
      // client-side apply.
      await upgrade('--values', file, '--server-side=true', '--force-conflicts');
    }
  });

/** Polls until the condition neither throws nor returns false, so that it may consist of assertions. */
export async function until(description: string, condition: () => Promise<unknown>, seconds = 300): Promise<void> {
  say(`waiting until ${description}`);
  const holds = async () => {
    try {
      return (await condition()) !== false;
    } catch (error) {
      throw new Error(sentence(error, cluster), { cause: error });
    }
  };
  await poll(description, holds, { timeoutMs: seconds * 1000, intervalMs: 1_000 });
}

export async function areAllAvailableIn(place: Place): Promise<boolean> {
  const items = await deploymentsOf(place);
  return (
    items.length > 0 && items.every(({ spec, status }) => (status?.availableReplicas ?? 0) >= (spec?.replicas ?? 1))
  );
}

export const areAllAvailable = () => areAllAvailableIn(cluster);
