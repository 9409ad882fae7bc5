import { named, objectsIn, renderChart, valuesFiles } from '../../../tools/chart/render.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { itWithCrds, problemsOf } from '../../kit/kubernetes/crds.ts';

const names = topology.databases.toSorted();
const files = [...(valuesFiles.prod ?? []), 'charts/store/presets/cloudnative-pg.yaml'];

const render = (cloudnativePg: object = {}, values: object = {}) =>
  renderChart(files, { ...values, database: { cloudnativePg } });

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
const manifests = async (cloudnativePg: object = {}, values: object = {}): Promise<any[]> =>
  objectsIn(await render(cloudnativePg, values));

const isOfOperator = ({ apiVersion }: { apiVersion: string }) => /cnpg[.]io/.test(apiVersion);
const all = await manifests();
const cluster = all.find(({ kind }) => kind === 'Cluster');
const pooled = { externalDatabase: { pooler: 'store-database-pooler:5432' } };
/** With a backup and a pooler, and as a recovery. */
const complete = await manifests(
  {
    pooler: { enabled: true },
    backup: { enabled: true, serverName: 'second', endpoint: 'https://s3.example.com' },
    recovery: { from: 'first', targetTime: '2026-11-23T19:40:00Z' },
  },
  { global: pooled },
);
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
  const order = named(all, 'Deployment', 'order');
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
  const monitor = named(found, 'PodMonitor', 'store-database');
  expect(monitor.spec.selector.matchLabels['cnpg.io/cluster']).toBe('store-database');
});

describe('with its pooler', () => {
  it('is asked by requests, while the services keep the URLs for the rest', async () => {
    const values = { pooler: { enabled: true, poolSize: 7, settings: { query_timeout: '5' } } };
    const found = await manifests(values, { global: pooled });
    const { metadata, spec } = found.find(({ kind }) => kind === 'Pooler');
    expect([metadata.name, spec.type, spec.pgbouncer.poolMode]).toEqual(['store-database-pooler', 'rw', 'transaction']);
    expect(spec.pgbouncer.parameters).toMatchObject({ default_pool_size: '7', query_timeout: '5' });
    const { certificates } = found.find(({ kind }) => kind === 'Cluster').spec;
    expect(certificates.serverAltDNSNames).toEqual(['store-database-pooler']);
    const order = named(found, 'Deployment', 'order');
    const { env } = order.spec.template.spec.containers[0];
    const file = 'file:///var/run/database/url?sslmode=verify-full&sslrootcert=/var/run/database/ca.crt';
    expect(env).toContainEqual({ name: 'DATABASE_URL', value: file });
    const value = `${file}&host=store-database-pooler&port=5432`;
    expect(env).toContainEqual({ name: 'DATABASE_POOLER_URL', value });
  });

  it('needs connections for its pools, and one for each replica of a service', async () => {
    // Two pods and one more, ten connections, eight databases; 53 replicas at the most; ten for others
    const needed = 3 * 10 * 8 + 53 + 10;
    const values = (max_connections: number) => ({
      pooler: { enabled: true, poolSize: 10 },
      settings: { max_connections: String(max_connections) },
    });
    await expect(render(values(needed), { global: pooled })).resolves.toMatch(/kind: Pooler/);
    await expect(render(values(needed - 1), { global: pooled })).rejects.toThrow(/but 303 are needed: pooler.poolSize/);
  });
});

it('has enough connections where fewer replicas may start', async () => {
  const few = { autoscaling: { enabled: false } };
  const names = ['auth', 'status', 'product', 'order', 'account'];
  const values = Object.fromEntries(names.map((name) => [name, few]));
  // Eleven services with a database, each of two replicas and one more
  await expect(render({ settings: { max_connections: String(17 * 33 + 10) } }, values)).resolves.toMatch(
    /kind: Cluster/,
  );
  await expect(render({ settings: { max_connections: String(17 * 33 + 9) } }, values)).rejects.toThrow(/need 571/);
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
    [
      'fewer connections than services at their maximum, while they are upgraded, may hold',
      { settings: { max_connections: '400' } },
      {},
      /max_connections is 400, but .* need 911: 17 each, and 10 for others. Raise it/,
    ],
    [
      'a pooler that no service is told of',
      { pooler: { enabled: true } },
      {},
      /pooler is "", but has to be "store-database-pooler:5432" where .*pooler.enabled is true/,
    ],
    ['a pooler that nobody makes', {}, { global: pooled }, /pooler is "store-.*", but has to be "" where/],
    [
      'a pooler at a port that NetworkPolicies forbid',
      {},
      { global: { externalDatabase: { pooler: 'pgbouncer:6432' } } },
      /externalDatabase.ports lacks 6432, that of global.externalDatabase.pooler/,
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
