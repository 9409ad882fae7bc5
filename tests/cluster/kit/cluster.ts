import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { connect, sentence } from '../../../tools/cluster/api.ts';
import { componentsOf, nameOf } from '../../../tools/cluster/rollout.ts';
import { provideHelm } from '../../../tools/local/downloads/helm.ts';
import { root } from '../../../tools/paths.ts';

export const cluster = connect();
const { core, apps, namespace, release } = cluster;

const began = Date.now();
/** Straight to the terminal: Jest would keep it until the end. */
export const say = (line: string) =>
  process.stderr.write(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}\n`);

/** GATEWAY_URL, else the gateway's port of a node, else where kind-config.yaml puts it. */
export async function findGateway(): Promise<string> {
  const urls = process.env.GATEWAY_URL ? [process.env.GATEWAY_URL] : await likelyGateways();
  for (const url of urls) {
    const signal = AbortSignal.timeout(5_000);
    if ((await fetch(`${url}/health-check`, { signal }).catch(() => undefined))?.ok) return url;
  }
  throw new Error(
    `The gateway answers at none of ${urls.join(', ')}: deploy with k8s/values-dev.yaml, or set GATEWAY_URL.`,
  );
}

async function likelyGateways(): Promise<string[]> {
  const service = await core.readNamespacedService({ name: 'gateway', namespace });
  const nodePort = service.spec?.ports?.find(({ name }) => name === 'http')?.nodePort;
  const nodes = (await core.listNode()).items.flatMap(({ status }) => status?.addresses ?? []);
  const internal = nodes.filter(({ type }) => nodePort && type === 'InternalIP');
  return [...internal.map(({ address }) => `http://${address}:${nodePort}`), 'http://localhost:8080'];
}

const deployments = async () =>
  (await apps.listNamespacedDeployment({ namespace, labelSelector: componentsOf(release) })).items;

export async function deploymentNames(): Promise<string[]> {
  return (await deployments()).map(nameOf);
}

export async function helm(...args: string[]): Promise<string> {
  const { stdout } = await execa(await provideHelm(), [...args, '--namespace', namespace], { cwd: root });
  return stdout;
}

export const upgrade = (...args: string[]) =>
  helm('upgrade', release, 'charts/store', '--install', '--wait', '--timeout', '10m', ...args);

/** The values that the release was installed with, as a file; put back at the end, whatever happens between. */
export async function withInstalledValues(run: (file: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'store-values-'));
  const file = join(dir, 'installed.yaml');
  await writeFile(file, await helm('get', 'values', release, '--output', 'yaml'));
  try {
    await run(file);
  } catch (error) {
    // Told now, because putting back may fail as well.
    say(`failed: ${sentence(error, cluster)}`);
    throw error;
  } finally {
    say('helm upgrade back to the values as they were');
    // What an autoscaler has set in between is the chart's own again.
    await upgrade('--values', file, '--force-conflicts');
    await rm(dir, { recursive: true });
  }
}

/** Asks until the answer is neither false nor an error. Says what it waits for, and in the end what was missing. */
export async function until(what: string, isSo: () => Promise<unknown>, seconds = 300): Promise<void> {
  say(`waits: ${what}`);
  for (const deadline = Date.now() + seconds * 1000; ; await pause(1_000)) {
    let reason = '';
    try {
      if ((await isSo()) !== false) return;
    } catch (error) {
      reason = `: ${sentence(error, cluster)}`;
    }
    if (Date.now() > deadline) throw new Error(`Not so within ${seconds} s: ${what}${reason}`);
  }
}

export const areAllAvailable = async () => {
  const items = await deployments();
  return (
    items.length > 0 && items.every(({ spec, status }) => (status?.availableReplicas ?? 0) >= (spec?.replicas ?? 1))
  );
};
