import { renderObjects } from '../../../tools/chart/render.ts';
import { orUndefined } from '../../../tools/cluster/api.ts';
import { conditionOf, customKinds, listCustomObjects } from '../../../tools/cluster/custom-objects.ts';
import { startStopped, stop } from '../../../tools/cluster/restore/stopped.ts';
import { deploymentsOf } from '../../../tools/cluster/rollout.ts';
import { cluster as installed, kubectl, until } from '../kit/cluster.ts';

// How KEDA handles the chart's autoscalers, in a separate namespace. Only replica counts matter: the pods have no image.

const namespace = 'store-keda';
const release = 'store';
const cluster = { ...installed, namespace, release };
const { apps, core } = cluster;

const definition = `scaledobjects.${customKinds.scaledobjects.group}`;
const hasKeda = (await kubectl(['get', 'crd', definition], { reject: false })).exitCode === 0;
if (!hasKeda) console.log('KEDA is missing: its operator provides autoscaling by lag.');

const remove = () => core.deleteNamespace({ name: namespace }).catch(orUndefined);
const apply = (objects: object[]) =>
  kubectl(['-n', namespace, 'apply', '--server-side', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  });

async function render(autoscaling: object) {
  const prometheus = 'http://prometheus.monitoring:9090';
  const all = await renderObjects({ global: { prometheus }, invoice: { replicas: 3, autoscaling } }, [], namespace);
  return all.filter(({ kind, metadata }) => metadata.name === 'invoice' && /Deployment|Object|Autoscaler/.test(kind));
}

const replicas = async () => (await apps.readNamespacedDeployment({ name: 'invoice', namespace })).spec?.replicas;

async function ownerOfHpa(): Promise<string> {
  const { stdout } = await kubectl(['-n', namespace, 'get', 'hpa', '-o', 'json']);
  const hpas: { metadata: { name: string; ownerReferences?: { kind: string }[] } }[] = JSON.parse(stdout).items;
  return hpas.map(({ metadata }) => `${metadata.name} of ${metadata.ownerReferences?.[0]?.kind ?? 'nobody'}`).join();
}

beforeAll(async () => {
  if (!hasKeda) return;
  await remove();
  await until('the namespace is gone', async () => !(await core.readNamespace({ name: namespace }).catch(orUndefined)));
  await core.createNamespace({ body: { metadata: { name: namespace } } });
}, 300_000);
afterAll(async () => {
  if (hasKeda) await remove();
});

(hasKeda ? it : it.skip)('takes over an autoscaler by CPU, and leaves a service stopped by a restore', async () => {
  await apply(await render({ enabled: false }));
  const byCpu = await render({ enabled: true });
  await apply(byCpu.filter(({ kind }) => kind === 'HorizontalPodAutoscaler'));
  expect(await ownerOfHpa()).toBe('invoice of nobody');
  const byLag = (await render({ enabled: true, lag: 100 })).find(({ kind }) => kind === 'ScaledObject');
  // Stands for a Prometheus that reports work. Go knows UTC even if an image has no time zones.
  const metadata = { timezone: 'UTC', start: '0 0 1 1 *', end: '59 23 31 12 *', desiredReplicas: '3' };
  await apply([{ ...byLag, spec: { ...byLag.spec, triggers: [{ type: 'cron', metadata }] } }]);
  await until('KEDA has taken it over', async () => expect(await ownerOfHpa()).toBe('invoice of ScaledObject'));

  const scale = ['-n', namespace, 'scale', 'deployment', 'invoice', '--replicas=0'];
  await kubectl(scale);
  await until('KEDA has restarted the service, as it would during a restore', async () => (await replicas()) !== 0);

  await stop(cluster, await deploymentsOf(cluster, 'invoice'));
  const [paused] = await listCustomObjects(cluster, 'scaledobjects');
  expect(paused && conditionOf(paused, 'Paused')?.status).toBe('True');
  await until('nothing scales the service', async () => expect(await ownerOfHpa()).toBe(''));
  expect(await replicas()).toBe(0);

  expect(await startStopped(cluster)).toEqual(['invoice']);
  await until('KEDA scales it again', async () => expect(await ownerOfHpa()).toBe('invoice of ScaledObject'));
  expect(await replicas()).toBeGreaterThanOrEqual(2);
});
