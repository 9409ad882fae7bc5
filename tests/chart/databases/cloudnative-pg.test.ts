import { renderChart, valuesFiles } from '../../../tools/chart/render.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { itWithCrds, problemsOf } from '../../kit/kubernetes/crds.ts';
import { type Manifests, manifests } from '../_manifests.ts';

const names = topology.databases.toSorted();
const files = [...(valuesFiles.prod ?? []), 'charts/store/presets/cloudnative-pg.yaml'];

const render = (cloudnativePg: object = {}, values: object = {}) =>
  manifests({ ...values, database: { cloudnativePg } }, files);

const isOfOperator = ({ apiVersion }: { apiVersion: string }) => /cnpg[.]io/.test(apiVersion);
const url = 'file:///var/run/database/url?sslmode=verify-full&sslrootcert=/var/run/database/ca.crt';
const pooled = { externalDatabase: { pooler: 'store-database-pooler:5432' } };
const specOf = ({ one }: Manifests, kind: string) => one(kind).spec;
const plain = await render();
const cluster = specOf(plain, 'Cluster');
const recovered = {
  backup: { enabled: true, serverName: 'second', endpoint: 'https://s3.example.com' },
  recovery: { from: 'first', targetTime: '2026-11-23T19:40:00Z' },
};
const account = { annotations: { role: 'database' } };
const everything = { ...pooled, serviceAccount: account, podLabels: { team: 'a' }, priorityClassName: 'high' };
const complete = await render({ ...recovered, pooler: { enabled: true } }, { global: everything });

describe('the cluster', () => {
  it('has a database and a role for each service, with the Secret that the Job creates', () => {
    const databases = plain.ofKind('Database').map(({ spec }) => spec);
    expect(databases).toEqual(names.map((name) => ({ cluster: { name: 'store-database' }, name, owner: name })));
    const roles = names.map((name) => ({ name, login: true, passwordSecret: { name: `database-${name}` } }));
    const others = names.map((name) => {
      const second = `${name}.b`;
      return { name: second, login: true, inRoles: [name], passwordSecret: { name: `database-${second}` } };
    });
    // In this order, because a role can only be a member of an existing role.
    expect(cluster.managed.roles).toEqual([...roles, ...others]);
  });

  it('is what the services use: their pods trust its CA', () => {
    const [volume] = plain.podOf('order').volumes;
    expect(volume.projected.sources[1].secret.name).toBe(`${plain.one('Cluster').metadata.name}-ca`);
    expect(plain.envOf('order')).toContainEqual({ name: 'DATABASE_URL', value: url });
  });

  it('outlives the release, as does its archive, and does not wait for clients to disconnect', () => {
    const kept = complete.all.filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep');
    const kinds = new Set(kept.filter(isOfOperator).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['Cluster', 'Database', 'ObjectStore']);
    expect(cluster.smartShutdownTimeout).toBe(0);
    expect(cluster.postgresql.parameters).toMatchObject({
      wal_retrieve_retry_interval: '500ms',
      max_connections: '1100',
    });
  });

  it('has a ServiceAccount with the cloud role that writes its backups, instead of a Secret', async () => {
    const role = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/backups' };
    const account = { serviceAccountTemplate: { metadata: { annotations: role } } };
    const backup = { enabled: true, existingSecret: '' };
    const global = { serviceAccount: { annotations: { team: 'shop' } } };
    const rendered = await render({ ...account, backup }, { global });
    expect(specOf(rendered, 'Cluster').serviceAccountTemplate.metadata.annotations).toEqual({ ...role, team: 'shop' });
    expect(specOf(rendered, 'ObjectStore').configuration.s3Credentials).toEqual({ inheritFromIAMRole: true });
    expect(cluster).not.toHaveProperty('serviceAccountTemplate');
  });

  it('has pods with the configured labels, annotations, priority and affinity, like all others', async () => {
    const global = { podLabels: { team: 'a' }, podAnnotations: { mesh: 'off' }, priorityClassName: 'high' };
    const affinity = { nodeSelector: { disk: 'fast' }, tolerations: [{ key: 'database', operator: 'Exists' }] };
    const { spec } = (await render({ affinity }, { global })).one('Cluster');
    expect(spec).toMatchObject({
      affinity: { ...affinity, podAntiAffinityType: 'required', topologyKey: 'kubernetes.io/hostname' },
      inheritedMetadata: { labels: { team: 'a' }, annotations: { mesh: 'off' } },
      priorityClassName: 'high',
    });
  });

  it('archives and makes backups unless they are switched off', async () => {
    expect(plain.one('ScheduledBackup').spec).toMatchObject({ immediate: true, cluster: { name: 'store-database' } });
    const without = await render({ backup: { enabled: false } });
    expect(specOf(without, 'Cluster').plugins).toBeUndefined();
    expect(without.ofKind('ScheduledBackup')).toEqual([]);
    expect(specOf(complete, 'Cluster').plugins[0]).toMatchObject({
      isWALArchiver: true,
      parameters: { barmanObjectName: 'store-database', serverName: 'second' },
    });
    expect(complete.one('ScheduledBackup')).toBeDefined();
    // Without a CPU request the sidecar starves on a busy node: a failover took 31 s without it and 14 s with it.
    const { instanceSidecarConfiguration } = specOf(complete, 'ObjectStore');
    expect(instanceSidecarConfiguration.resources.requests.cpu).toBe('100m');
  });

  it("starts with the state of another cluster, without writing to that cluster's archive", () => {
    const { bootstrap, externalClusters } = specOf(complete, 'Cluster');
    expect(bootstrap.initdb).toBeUndefined();
    expect(bootstrap.recovery).toMatchObject({
      source: externalClusters[0].name,
      recoveryTarget: { targetTime: '2026-11-23T19:40:00Z' },
    });
    expect(externalClusters[0].plugin.parameters.serverName).toBe('first');
  });

  it('has no synchronous replica if none is configured, and is scraped if monitoring is on', async () => {
    expect(cluster.postgresql.synchronous).toEqual({ method: 'any', number: 1 });
    const single = await render({ instances: 1, synchronous: 0 }, { monitoring: { enabled: true } });
    expect(specOf(single, 'Cluster').postgresql.synchronous).toBeUndefined();
    const { selector } = single.named('PodMonitor', 'store-database').spec;
    expect(selector.matchLabels['cnpg.io/cluster']).toBe('store-database');
  });

  it('has a pooler for requests, while the services keep direct URLs for everything else', async () => {
    const pooler = { enabled: true, poolSize: 7, settings: { query_timeout: '5' } };
    const found = await render({ pooler }, { global: pooled });
    const { type, pgbouncer, template } = found.named('Pooler', 'store-database-pooler').spec;
    expect([type, pgbouncer.poolMode]).toEqual(['rw', 'transaction']);
    // On a busy node, all pods without a CPU request together get two thousandths of a core.
    const [{ name, resources }] = template.spec.containers;
    expect([name, resources.requests.cpu]).toEqual(['pgbouncer', '100m']);
    expect(specOf(found, 'Cluster').resources.requests.cpu).toBe('500m');
    expect(pgbouncer.parameters).toMatchObject({
      default_pool_size: '7',
      query_timeout: '5',
      server_connect_timeout: '2',
      server_login_retry: '0.2',
      server_idle_timeout: '60',
    });
    expect(specOf(found, 'Cluster').certificates.serverAltDNSNames).toEqual(['store-database-pooler']);
    expect(found.envOf('order')).toContainEqual({ name: 'DATABASE_URL', value: url });
    const pooledUrl = `${url}&host=store-database-pooler&port=5432`;
    expect(found.envOf('order')).toContainEqual({ name: 'DATABASE_POOLER_URL', value: pooledUrl });
  });

  it('has a pooler with the image, labels, priority, affinity and disruption budget of all other pods, and metrics', async () => {
    const digest = `sha256:${'ab'.repeat(32)}`;
    const image = { registry: 'registry.example.com', pullSecrets: [{ name: 'pull' }], digests: { pgbouncer: digest } };
    const global = { ...everything, image, podAnnotations: { mesh: 'off' } };
    const template = { spec: { tolerations: [{ key: 'database', operator: 'Exists' }] } };
    const values = { global, monitoring: { enabled: true } };
    const { named } = await render({ pooler: { enabled: true, template } }, values);
    const pod = named('Pooler', 'store-database-pooler').spec.template;
    const labels = { 'cnpg.io/poolerName': 'store-database-pooler' };
    expect(pod.metadata).toEqual({ labels: { team: 'a' }, annotations: { mesh: 'off' } });
    expect(pod.spec).toMatchObject({
      ...template.spec,
      imagePullSecrets: [{ name: 'pull' }],
      priorityClassName: 'high',
    });
    expect(pod.spec.containers[0].image).toBe(`registry.example.com/cloudnative-pg/pgbouncer:1.25.1@${digest}`);
    const [{ podAffinityTerm }] = pod.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
    expect(podAffinityTerm).toEqual({ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } });
    const { maxUnavailable, selector } = named('PodDisruptionBudget', 'store-database-pooler').spec;
    expect({ maxUnavailable, selector }).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
    expect(named('PodMonitor', 'store-database-pooler').spec.selector.matchLabels).toEqual(labels);
  });

  it('and the Secrets it needs are everything that docs/recovery.md applies before the services', async () => {
    const text = await renderChart(files, { database: { cloudnativePg: recovered } });
    const sources = text
      .split(/^---$/m)
      .filter((one) => /^# Source: store\/templates\/(secrets|database)\.yaml/m.test(one));
    const kinds = sources.flatMap((one) => /^kind: (\w+)/m.exec(one)?.[1] ?? []);
    expect(text).toContain('# Source: store/templates/database-network.yaml');
    const ofSecrets = ['Job', 'NetworkPolicy', 'Role', 'RoleBinding', 'ServiceAccount'];
    const ofDatabase = ['Cluster', 'Database', 'ObjectStore', 'ScheduledBackup'];
    expect([...new Set(kinds)].sort()).toEqual([...ofSecrets, ...ofDatabase].sort());
  });

  it('has replicas, from which services read lists that may be slightly old', async () => {
    const readOnly = 'store-database-ro:5432';
    const { envOf } = await render({}, { global: { externalDatabase: { readOnly } } });
    const value = `${url}&host=store-database-ro&port=5432`;
    for (const name of ['product', 'status'])
      expect(envOf(name)).toContainEqual({ name: 'DATABASE_REPLICA_URL', value });
    expect(JSON.stringify(envOf('order'))).not.toContain('store-database-ro');
  });

  /** The connections that services/shared/src/database/database.ts opens. */
  const ofReplica = 10 + 5 + 2;

  it('needs connections for each replica: for the pool, the lists, and checks or the relay', async () => {
    const settings = { max_connections: '1' };
    await expect(render({ settings })).rejects.toThrow(`: ${ofReplica} per replica, and 10 for others`);
  });

  it('has enough connections for one more consumer group, as added in docs/development.md', async () => {
    const refusal = await render({ settings: { max_connections: '1' } }).catch(({ message }) => message);
    const [, needed] = /need (\d+)/.exec(refusal) ?? [];
    const group = 3 * ofReplica; // two replicas, and one more during an upgrade
    expect(Number(cluster.postgresql.parameters.max_connections)).toBeGreaterThanOrEqual(Number(needed) + group);
  });

  const pooler = { enabled: true, poolSize: 10 };
  const few = { autoscaling: { enabled: false } };
  const fewer = Object.fromEntries(['auth', 'status', 'product', 'order', 'account'].map((name) => [name, few]));
  it.each([
    // Two pods and one more, ten connections, eight databases; at most 56 replicas; ten for others
    ['pools and replicas', { pooler }, { global: pooled }, 3 * 10 * 8 + 56 + 10, /but 306 are needed: pooler.poolSize/],
    // Twelve services with a database, each with two replicas and one more
    ['services with few replicas', {}, fewer, 17 * 36 + 10, /need 622/],
    // At their maximum, during an upgrade
    ['services', {}, {}, 962, /max_connections is 961, but .* need 962: 17 per replica, and 10 for others. Raise it/],
  ])('needs connections for its %s', async (_, cloudnativePg, values, needed, message) => {
    const withConnections = (count: number) =>
      render({ ...cloudnativePg, settings: { max_connections: String(count) } }, values);
    expect((await withConnections(needed)).one('Cluster')).toBeDefined();
    await expect(withConnections(needed - 1)).rejects.toThrow(message);
  });
});

describe('values that the chart refuses', () => {
  const externalDatabase = (values: object) => ({ global: { externalDatabase: values } });
  const ofRelease =
    /set postgres.enabled=false, global.externalDatabase.existingSecret=store-databases and .*caSecret=/;
  const untold = /pooler is "", but must be "store-database-pooler:5432" while .*pooler.enabled is true/;
  const closed = /externalDatabase.ports lacks 6432, the port of global.externalDatabase.pooler/;
  it.each([
    ['another Secret with URLs', {}, externalDatabase({ existingSecret: 'mine' }), ofRelease],
    [
      'as many synchronous replicas as instances',
      { instances: 1 },
      {},
      /nothing could be written. Add instances, or set/,
    ],
    [
      'a recovery into its own archive',
      { recovery: { from: 'store-database' }, backup: { enabled: true } },
      {},
      /backup.serverName, such as store-database-2/,
    ],
    ['a pooler that no service uses', { pooler: { enabled: true } }, {}, untold],
    ['a pooler that is not installed', {}, { global: pooled }, /pooler is "store-.*", but must be "" while/],
    ['a pooler at a port that NetworkPolicies forbid', {}, externalDatabase({ pooler: 'pgbouncer:6432' }), closed],
    [
      'replicas of a single instance',
      { instances: 1, synchronous: 0 },
      externalDatabase({ readOnly: 'store-database-ro:5432' }),
      /instances is 1, and that is the primary/,
    ],
    [
      'replicas at another port',
      {},
      externalDatabase({ readOnly: 'replicas:5433' }),
      /lacks 5433, the port of .*readOnly/,
    ],
    ['a typo', { instanzen: 3 }, {}, /instanzen/],
  ])('%s', async (_, cloudnativePg, values, message) => {
    await expect(render(cloudnativePg, values)).rejects.toThrow(message);
  });
});

describe("the operator's definitions", () => {
  itWithCrds.each(complete.all.filter(isOfOperator))('accept $kind $metadata.name', (manifest) => {
    expect(problemsOf(manifest)).toEqual([]);
  });

  itWithCrds('refuse a misspelt field', () => {
    expect(problemsOf({ ...plain.one('Cluster'), spec: { ...cluster, instanzen: 3 } })).toEqual([
      expect.stringContaining('instanzen'),
    ]);
  });
});
