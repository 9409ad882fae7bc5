import type { V1Secret } from '@kubernetes/client-node';
import { renderChart } from '../../../tools/chart/render.ts';
import { isReady } from '../../../tools/cluster/pods.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { cluster, helm, kubectl, until } from '../kit/cluster.ts';

// helm template | kubectl apply, in a namespace of its own: without the cluster at hand Helm sees no Secret that exists.

const { core, release } = cluster;
const namespace = 'store-apply';

const remove = () => kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=180s']);

beforeAll(async () => {
  await remove();
  await core.createNamespace({ body: { metadata: { name: namespace } } });
}, 240_000);
afterAll(remove, 240_000);

async function apply(values: { postgres?: { databases: string[] } } = {}): Promise<string> {
  const { image } = JSON.parse(await helm('get', 'values', release, '--all', '--output', 'json')).global;
  const kafka = { bootstrapServers: 'unused:9092' };
  const idle = Object.fromEntries(topology.services.map(({ alias }) => [alias, { replicas: 0 }]));
  const input = await renderChart(
    [],
    { ...idle, ...values, global: { image, kafka }, kafka: { topics: { create: false } } },
    namespace,
  );
  const selector = ['-l', 'app.kubernetes.io/name!=store-test'];
  const { stdout } = await kubectl(['apply', '--namespace', namespace, ...selector, '-f', '-'], { input });
  return stdout;
}

/** By name, what the Secrets hold. */
async function readSecrets() {
  const { items } = await core.listNamespacedSecret({ namespace });
  return Object.fromEntries(items.map(({ metadata, data = {} }: V1Secret) => [metadata?.name ?? '', data]));
}

test('applying the manifests again changes no key and no password, and adds that of a new database', async () => {
  await apply();
  await until('PostgreSQL, which waits for its password, is ready', async () =>
    isReady(await core.readNamespacedPod({ name: 'postgres-0', namespace })),
  );
  const first = await readSecrets();
  expect(Object.keys(first).sort()).toEqual(['postgres', 'store-jwt']);

  expect(await apply()).toMatch(/^job\.batch\/store-secrets-\w+ unchanged$/m);
  expect(await readSecrets()).toEqual(first);

  await apply({ postgres: { databases: ['reports'] } });
  await until('the password of the new database exists', async () =>
    expect((await readSecrets()).postgres).toHaveProperty('reports'),
  );
  const { reports, ...others } = (await readSecrets()).postgres ?? {};
  expect({ ...first, postgres: others }).toEqual(first);
  expect(reports).toMatch(/./);
});
