import { parseAllDocuments } from 'yaml';
import { renderChart, valuesFiles } from '../../../tools/chart/render.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { itWithCrds, problemsOf } from '../../kit/kubernetes/crds.ts';

const names = topology.databases.toSorted();
const files = [...(valuesFiles.prod ?? []), 'k8s/values-cloudnative-pg.yaml'];

const render = (cloudnativePg: object = {}, values: object = {}) =>
  renderChart(files, { ...values, database: { cloudnativePg } });

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
const manifests = async (cloudnativePg: object = {}, values: object = {}): Promise<any[]> =>
  parseAllDocuments(await render(cloudnativePg, values)).map((document) => document.toJS());

const isOfOperator = ({ apiVersion }: { apiVersion: string }) => /cnpg[.]io/.test(apiVersion);
const all = await manifests();
const cluster = all.find(({ kind }) => kind === 'Cluster');
/** With a backup, and as a recovery. */
const complete = await manifests({
  backup: { enabled: true, serverName: 'second', endpoint: 'https://s3.example.com' },
  recovery: { from: 'first', targetTime: '2026-11-23T19:40:00Z' },
});
const clusterWith = async (cloudnativePg: object) =>
  (await manifests(cloudnativePg)).find(({ kind }) => kind === 'Cluster').spec;

it('has a database and a role for each service, with the Secret that the Job makes', () => {
  const databases = all.filter(({ kind }) => kind === 'Database').map(({ spec }) => spec);
  expect(databases).toEqual(names.map((name) => ({ cluster: { name: 'store-database' }, name, owner: name })));
  expect(cluster.spec.managed.roles).toEqual(
    names.map((name) => ({ name, login: true, passwordSecret: { name: `database-${name}` } })),
  );
});

it('is what the services use: their pods trust the CA of that cluster', () => {
  const order = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'order');
  const [volume] = order.spec.template.spec.volumes;
  expect(volume.projected.sources[1].secret.name).toBe(`${cluster.metadata.name}-ca`);
  expect(order.spec.template.spec.containers[0].env).toContainEqual({
    name: 'DATABASE_URL',
    value: 'file:///var/run/database/url?sslmode=verify-full&sslrootcert=/var/run/database/ca.crt',
  });
});

it('outlives the release, and does not wait for clients that never leave', () => {
  for (const { kind, metadata } of all.filter(isOfOperator)) {
    expect([kind, metadata.annotations]).toEqual([kind, { 'helm.sh/resource-policy': 'keep' }]);
  }
  expect(cluster.spec.smartShutdownTimeout).toBeLessThanOrEqual(15);
});

it('archives and makes backups where that is asked for', () => {
  expect(cluster.spec.plugins).toBeUndefined();
  const [plugin] = complete.find(({ kind }) => kind === 'Cluster').spec.plugins;
  expect(plugin).toMatchObject({
    isWALArchiver: true,
    parameters: { barmanObjectName: 'store-database', serverName: 'second' },
  });
  const kinds = complete.filter(isOfOperator).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['ObjectStore', 'ScheduledBackup']));
});

it('begins with the state of another one, whose archive it does not write to', () => {
  const { bootstrap, externalClusters } = complete.find(({ kind }) => kind === 'Cluster').spec;
  expect(bootstrap.initdb).toBeUndefined();
  expect(bootstrap.recovery).toMatchObject({
    source: externalClusters[0].name,
    recoveryTarget: { targetTime: '2026-11-23T19:40:00Z' },
  });
  expect(externalClusters[0].plugin.parameters.serverName).toBe('first');
});

it('has no synchronous replica where none is asked for', async () => {
  expect(cluster.spec.postgresql.synchronous).toEqual({ method: 'any', number: 1 });
  expect((await clusterWith({ instances: 1, synchronous: 0 })).postgresql.synchronous).toBeUndefined();
});

it('is scraped where monitoring is on', async () => {
  const found = await manifests({}, { monitoring: { enabled: true } });
  const monitor = found.find(({ kind, metadata }) => kind === 'PodMonitor' && metadata.name === 'store-database');
  expect(monitor.spec.selector.matchLabels['cnpg.io/cluster']).toBe('store-database');
});

describe('values that the chart refuses', () => {
  it.each([
    [
      'another Secret of URLs',
      {},
      { global: { externalDatabase: { existingSecret: 'mine' } } },
      /set postgres.enabled=false, global.externalDatabase.existingSecret=store-databases and .*caSecret=store-database-ca/,
    ],
    [
      'as many copies as instances',
      { instances: 1 },
      {},
      /nothing could be written. Have more instances, or set it to 0/,
    ],
    [
      'a recovery into its own archive',
      { recovery: { from: 'store-database' }, backup: { enabled: true } },
      {},
      /backup.serverName, such as store-database-2/,
    ],
    ['a typo', { instanzen: 3 }, {}, /instanzen/],
  ])('%s', async (_, cloudnativePg, values, message) => {
    await expect(render(cloudnativePg, values)).rejects.toThrow(message);
  });
});

describe('the definitions of the operator', () => {
  itWithCrds.each(complete.filter(isOfOperator))('accept $kind $metadata.name', (manifest) => {
    expect(problemsOf(manifest)).toEqual([]);
  });

  itWithCrds('refuse a misspelt field', () => {
    expect(problemsOf({ ...cluster, spec: { ...cluster.spec, instanzen: 3 } })).toEqual([
      expect.stringContaining('instanzen'),
    ]);
  });
});
