import { NetworkingV1Api, type V1Pod } from '@kubernetes/client-node';
import { orUndefined } from '../../../tools/cluster/api.ts';
import { componentOf, exec, isReady, podsOf } from '../../../tools/cluster/pods.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { cluster, say, until } from '../kit/cluster.ts';

// Connects from inside the pods, except the gateway's, whose image has no Node. All other tests show that the gateway
// reaches its upstreams.
const allowedTargets = topology.services.map(({ alias, calls, database, group }) => {
  return [alias, [...calls, ...(database ? ['postgres'] : []), ...(group ? ['kafka'] : [])]] as const;
});

const { core, apps, namespace } = cluster;
const networking = cluster.config.makeApiClient(NetworkingV1Api);
/** A pod that does not belong to the release. */
const foreignPod = 'not-part-of-the-store';

interface Target {
  name: string;
  host: string;
  port: number;
}

/** The names of the targets that accept a connection from the pod. */
async function reachableFrom(pod: V1Pod, targets: Target[]): Promise<string[]> {
  const program = `
    import net from 'node:net';
    for (const { name, host, port } of ${JSON.stringify(targets)}) {
      const socket = net.connect({ host, port, timeout: 4_000 });
      socket.on('connect', () => (console.log(name), socket.destroy()));
      socket.on('timeout', () => socket.destroy()).on('error', () => {});
    }`;
  const output = await exec(cluster, pod, ['node', '--input-type=module', '--eval', program]);
  return [...new Set(output.split('\n').filter(Boolean))].sort();
}

const readForeignPod = () => core.readNamespacedPod({ name: foreignPod, namespace });

/** Runs an image of the store, because it is available, without the labels of the release. */
async function startForeignPod(): Promise<void> {
  const { spec } = await apps.readNamespacedDeployment({ name: 'auth', namespace });
  const { securityContext, containers } = spec?.template.spec ?? { containers: [] };
  const [{ image, securityContext: containerSecurityContext, resources } = {}] = containers;
  const idle = { name: 'idle', command: ['node', '--eval', 'setTimeout(() => {}, 3_600_000)'] };
  const container = { ...idle, image, securityContext: containerSecurityContext, resources };
  const labels = { 'app.kubernetes.io/name': foreignPod };
  const pod = { automountServiceAccountToken: false, securityContext, containers: [container] };
  await core.createNamespacedPod({ namespace, body: { metadata: { name: foreignPod, labels }, spec: pod } });
  await until('the foreign pod is ready', async () => isReady(await readForeignPod()));
}

async function remove(): Promise<void> {
  await networking.deleteNamespacedNetworkPolicy({ name: foreignPod, namespace }).catch(orUndefined);
  await core.deleteNamespacedPod({ name: foreignPod, namespace, gracePeriodSeconds: 1 }).catch(orUndefined);
  await until('the foreign pod is gone', async () => (await readForeignPod().catch(orUndefined)) === undefined);
}

const portOf = (component: string) => ({ postgres: 5432, kafka: 9092 })[component] ?? 8080;

async function targetsOf(pods: V1Pod[]): Promise<Target[]> {
  const components = pods.map((pod) => ({
    name: componentOf(pod),
    host: pod.status?.podIP ?? '',
    port: portOf(componentOf(pod)),
  }));
  if (components.some(({ name }) => name === 'kafka')) return components;
  const env = pods.find((pod) => componentOf(pod) === 'orderworker')?.spec?.containers[0]?.env ?? [];
  const [host = '', port] =
    env
      .find(({ name }) => name === 'KAFKA_BROKERS')
      ?.value?.split(',')[0]
      ?.split(':') ?? [];
  return [...components, { name: 'kafka', host, port: Number(port) }];
}

/** True if a policy that denies all egress takes effect within 10 s. */
async function isEnforced(gateway: Target[]): Promise<boolean> {
  const podSelector = { matchLabels: { 'app.kubernetes.io/name': foreignPod } };
  const body = { metadata: { name: foreignPod }, spec: { podSelector, policyTypes: ['Egress'] } };
  await networking.createNamespacedNetworkPolicy({ namespace, body });
  try {
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
      if ((await reachableFrom(await readForeignPod(), gateway)).length === 0) return true;
    }
    return false;
  } finally {
    await networking.deleteNamespacedNetworkPolicy({ name: foreignPod, namespace });
  }
}

await remove();
await startForeignPod();
afterAll(remove, 120_000);

const pods = (await podsOf(cluster)).filter(isReady);
const targets = await targetsOf(pods);
const deployed = new Set(targets.map(({ name }) => name));
const enforced = await isEnforced(targets.filter(({ name }) => name === 'gateway'));
if (!enforced) say('skipped: the network plug-in of this cluster does not enforce network policies');
const itIfEnforced = enforced ? it : it.skip;

itIfEnforced.each(allowedTargets)('network policies let %s reach %j and nothing else', async (component, allowed) => {
  const [pod] = pods.filter((pod) => componentOf(pod) === component);
  if (!pod) throw new Error(`No replica of ${component} is ready.`);
  const others = targets.filter(({ host }) => host !== pod.status?.podIP);
  expect(await reachableFrom(pod, others)).toEqual(allowed.filter((name) => deployed.has(name)).sort());
});

itIfEnforced('network policies let a foreign pod reach the gateway and nothing else', async () => {
  const pod = await readForeignPod();
  const ofRelease = pods.map(componentOf); // the chart has no policy for an external Kafka
  const components = targets.filter(({ name }) => ofRelease.includes(name));
  await until('egress is allowed again', async () => (await reachableFrom(pod, components)).length > 0, 30);
  expect(await reachableFrom(pod, components)).toEqual(['gateway']);
});
