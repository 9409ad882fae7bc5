import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject, V1Secret } from '@kubernetes/client-node';
import { renderChart } from '../../../tools/chart/render.ts';
import { isReady } from '../../../tools/cluster/pods.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { useFolder } from '../../kit/folder.ts';
import { cluster, helm, kubectl, until } from '../kit/cluster.ts';

// helm template | kubectl apply, in a separate namespace. Without access to the cluster, Helm does not see existing Secrets.

const { core, release } = cluster;
const namespace = 'store-apply';
const dir = useFolder();

const remove = () => kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=180s']);

beforeAll(async () => {
  await remove();
  await core.createNamespace({ body: { metadata: { name: namespace } } });
}, 240_000);
afterAll(remove, 240_000);

async function render(values: { postgres?: { databases: string[] } } = {}): Promise<string> {
  const { image } = JSON.parse(await helm('get', 'values', release, '--all', '--output', 'json')).global;
  const kafka = { bootstrapServers: 'unused:9092' };
  const idle = Object.fromEntries(topology.services.map(({ alias }) => [alias, { replicas: 0 }]));
  return renderChart(
    [],
    { ...idle, ...values, global: { image, kafka }, kafka: { topics: { create: false } } },
    namespace,
  );
}

async function apply(values?: Parameters<typeof render>[0], ...how: string[]): Promise<string> {
  const unlessTest = ['-l', 'app.kubernetes.io/name!=store-test'];
  const args = ['apply', '--namespace', namespace, ...unlessTest, ...how, '-f', '-'];
  return (await kubectl(args, { input: await render(values) })).stdout;
}

/** What a manifest determines in each stored object, by kind and name. Leaves out status and bookkeeping of the cluster. */
async function readStored(): Promise<Record<string, unknown>> {
  const args = ['get', '--namespace', namespace, '--ignore-not-found', '--output', 'json', '-f', '-'];
  const { items } = JSON.parse((await kubectl(args, { input: await render() })).stdout);
  return Object.fromEntries(
    items.map(({ kind, metadata, status, ...rest }: KubernetesObject & { status?: object }) => {
      const { managedFields, resourceVersion, ...kept } = metadata ?? {};
      // The API server increments it on every change, even when a controller updates the status.
      return [`${kind}/${kept.name}`, { ...rest, ...kept, ...(status ? {} : { resourceVersion }) }];
    }),
  );
}

/** The contents of the Secrets, by name. */
async function readSecrets() {
  const { items } = await core.listNamespacedSecret({ namespace });
  return Object.fromEntries(items.map(({ metadata, data = {} }: V1Secret) => [metadata?.name ?? '', data]));
}

it('applying the manifests again changes no key or password, and adds the password of a new database', async () => {
  await apply();
  await until('PostgreSQL, which waits for its password, is ready', async () =>
    isReady(await core.readNamespacedPod({ name: 'postgres-0', namespace })),
  );
  const first = await readSecrets();
  expect(Object.keys(first).sort()).toEqual([
    'postgres',
    'postgres-logins',
    'store-console',
    'store-jwt',
    'store-webhooks',
  ]);

  expect(await apply()).toMatch(/^job\.batch\/store-secrets-\w+ unchanged$/m);
  expect(await readSecrets()).toEqual(first);

  await apply({ postgres: { databases: ['reports'] } });
  await until('the password of the new database exists', async () =>
    expect((await readSecrets())['postgres-logins']).toHaveProperty('reports'),
  );
  const { postgres, 'postgres-logins': logins, ...others } = await readSecrets();
  const { reports, ...passwords } = postgres ?? {};
  const { reports: login, ...otherLogins } = logins ?? {};
  expect({ ...others, postgres: passwords, 'postgres-logins': otherLogins }).toEqual(first);
  expect({ reports, login }).toEqual({ reports: expect.stringMatching(/./), login: expect.stringMatching(/./) });
});

it('server-side apply, as in Argo CD, changes nothing the second time', async () => {
  const how = ['--server-side', '--force-conflicts', '--field-manager', 'gitops'];
  await apply({}, ...how);
  const before = await readStored();
  expect(Object.keys(before).length).toBeGreaterThan(30);
  await apply({}, ...how);
  expect(await readStored()).toEqual(before);
});

it('Helm renders the same with and without the cluster', async () => {
  const values = await helm('get', 'values', release, '--output', 'yaml');
  const file = join(dir, 'values.yaml');
  await writeFile(file, values);
  const template = (...args: string[]) => helm('template', release, 'charts/store', '--values', file, ...args);
  const offline = await template();
  expect(await template('--dry-run=server', '--is-upgrade')).toBe(offline);
});
