import { NetworkingV1Api, type V1Pod } from '@kubernetes/client-node';
import { orUndefined } from '../../../tools/cluster/api.ts';
import { componentOf, exec, isReady, podsOf } from '../../../tools/cluster/pods.ts';
import { cluster, say, until } from '../kit/cluster.ts';

// Who reaches whom, tried from inside the pods. The gateway has no Node to try it with; that it reaches what it must is
// what all the other tests need.
const mayReach: Record<string, string[]> = {
  auth: ['account'],
  account: ['postgres'],
  product: ['postgres'],
  order: ['product', 'postgres'],
  orderworker: ['postgres', 'kafka'],
  inventory: ['product', 'postgres', 'kafka'],
  payment: ['postgres', 'kafka'],
  notification: ['postgres', 'kafka'],
  analytics: ['postgres', 'kafka'],
  invoice: ['postgres', 'kafka'],
  status: ['postgres'],
};

const { core, apps, namespace } = cluster;
const networking = cluster.config.makeApiClient(NetworkingV1Api);
const stranger = 'stranger-to-the-store';

interface Target {
  name: string;
  host: string;
  port: number;
}

/** Those of the targets that let a pod connect, by name. */
async function reachableFrom(pod: V1Pod, targets: Target[]): Promise<string[]> {
  const program = `
    import net from 'node:net';
    for (const { name, host, port } of ${JSON.stringify(targets)}) {
      const socket = net.connect({ host, port, timeout: 4_000 });
      socket.on('connect', () => (console.log(name), socket.destroy()));
      socket.on('timeout', () => socket.destroy()).on('error', () => {});
    }`;
  const said = await exec(cluster, pod, ['node', '--input-type=module', '--eval', program]);
  return [...new Set(said.split('\n').filter(Boolean))].sort();
}

const readStranger = () => core.readNamespacedPod({ name: stranger, namespace });

/** An image of the store in a pod that is no part of it. */
async function startStranger(): Promise<void> {
  const { spec } = await apps.readNamespacedDeployment({ name: 'auth', namespace });
  const { securityContext, containers } = spec?.template.spec ?? { containers: [] };
  const [{ image, securityContext: locked, resources } = {}] = containers;
  const waits = { name: 'waits', command: ['node', '--eval', 'setTimeout(() => {}, 3_600_000)'] };
  const container = { ...waits, image, securityContext: locked, resources };
  const labels = { 'app.kubernetes.io/name': stranger };
  const pod = { automountServiceAccountToken: false, securityContext, containers: [container] };
  await core.createNamespacedPod({ namespace, body: { metadata: { name: stranger, labels }, spec: pod } });
  await until('the stranger runs', async () => isReady(await readStranger()));
}

async function remove(): Promise<void> {
  await networking.deleteNamespacedNetworkPolicy({ name: stranger, namespace }).catch(orUndefined);
  await core.deleteNamespacedPod({ name: stranger, namespace, gracePeriodSeconds: 1 }).catch(orUndefined);
  await until('the stranger is gone', async () => (await readStranger().catch(orUndefined)) === undefined);
}

async function targetsOf(pods: V1Pod[]): Promise<Target[]> {
  const components = pods.map((pod) => ({
    name: componentOf(pod),
    host: pod.status?.podIP ?? '',
    port: componentOf(pod) === 'postgres' ? 5432 : 8080,
  }));
  const env = pods.find((pod) => componentOf(pod) === 'orderworker')?.spec?.containers[0]?.env ?? [];
  const [host = '', port] =
    env
      .find(({ name }) => name === 'KAFKA_BROKERS')
      ?.value?.split(',')[0]
      ?.split(':') ?? [];
  return [...components, { name: 'kafka', host, port: Number(port) }];
}

/** Whether a policy that lets nothing out is of any effect within 10 s. */
async function isEnforced(gateway: Target[]): Promise<boolean> {
  const podSelector = { matchLabels: { 'app.kubernetes.io/name': stranger } };
  const body = { metadata: { name: stranger }, spec: { podSelector, policyTypes: ['Egress'] } };
  await networking.createNamespacedNetworkPolicy({ namespace, body });
  try {
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
      if ((await reachableFrom(await readStranger(), gateway)).length === 0) return true;
    }
    return false;
  } finally {
    await networking.deleteNamespacedNetworkPolicy({ name: stranger, namespace });
  }
}

await remove();
await startStranger();
afterAll(remove, 120_000);

const pods = (await podsOf(cluster)).filter(isReady);
const targets = await targetsOf(pods);
const there = new Set(targets.map(({ name }) => name));
const enforced = await isEnforced(targets.filter(({ name }) => name === 'gateway'));
if (!enforced) say('not tried: who reaches whom, for the network plug-in of this cluster enforces no NetworkPolicy');
const tried = enforced ? test : test.skip;

tried.each(Object.entries(mayReach))('%s reaches %j and nothing else', async (component, allowed) => {
  const [pod] = pods.filter((pod) => componentOf(pod) === component);
  if (!pod) throw new Error(`No copy of ${component} is ready.`);
  const others = targets.filter(({ host }) => host !== pod.status?.podIP);
  expect(await reachableFrom(pod, others)).toEqual(allowed.filter((name) => there.has(name)).sort());
});

tried('who is no part of the store reaches the gateway and nothing else', async () => {
  const pod = await readStranger();
  const ofTheStore = targets.filter(({ name }) => name !== 'kafka'); // it guards itself, or not
  await until('the stranger may speak again', async () => (await reachableFrom(pod, ofTheStore)).length > 0, 30);
  expect(await reachableFrom(pod, ofTheStore)).toEqual(['gateway']);
});
