import type { Manifest } from '../chart/_manifests.ts';
import { manifests } from '../chart/_manifests.ts';

// What kubectl finds in a cluster with a preset: the rendered objects, and those that Kubernetes and operators create from them.

const monitoring = { enabled: true };
const toolbox = { enabled: true, kafkaCommands: true, reconcile: { enabled: true } };
const preset = (name: string) => `charts/store/presets/${name}.yaml`;

const small = { monitoring, toolbox, postgres: { backup: { enabled: true }, metrics: { enabled: true } } };
const certificate = { dnsNames: ['store.example.com'] };
const production = {
  monitoring,
  toolbox,
  global: { externalDatabase: { pooler: 'store-database-pooler:5432' } },
  database: { cloudnativePg: { pooler: { enabled: true }, backup: { enabled: true } } },
  gateway: { proxyProtocol: true, tls: { existingSecret: 'store-tls', certificate, issuer: { selfSigned: {} } } },
};

const object = (kind: string, name: string, labels: object = {}, containers: string[] = []): Manifest => ({
  kind,
  metadata: { name, labels },
  spec: { containers: containers.map((container) => ({ name: container })) },
});

const podOf = (name: string, { metadata, spec }: Manifest) => ({ kind: 'Pod', metadata: { ...metadata, name }, spec });

/** The objects that controllers create for an object, by its kind. */
const made: Record<string, (one: Manifest) => Manifest[]> = {
  Deployment: ({ metadata, spec }) => [podOf(`${metadata.name}-5c9f8`, spec.template)],
  Job: ({ metadata, spec }) => [podOf(`${metadata.name}-x7k2p`, spec.template)],
  CronJob: ({ metadata, spec }) => [
    object('Job', `${metadata.name}-29412`),
    podOf(`${metadata.name}-29412-x7k2p`, spec.jobTemplate.spec.template),
  ],
  StatefulSet: ({ metadata, spec }) => [
    podOf(`${metadata.name}-0`, spec.template),
    object('PersistentVolumeClaim', `data-${metadata.name}-0`),
  ],
  Certificate: ({ spec }) => [object('Secret', spec.secretName)],
  // Strimzi. Node ids are unique within the cluster; the chart's first pool holds the brokers.
  Kafka: ({ metadata }) =>
    ['cluster-ca', 'cluster-ca-cert', 'clients-ca', 'clients-ca-cert'].map((name) =>
      object('Secret', `${metadata.name}-${name}`, { 'strimzi.io/cluster': metadata.name }),
    ),
  KafkaUser: ({ metadata }) => [object('Secret', metadata.name, { 'strimzi.io/cluster': 'store' })],
  KafkaNodePool: ({ metadata, spec }) =>
    Array.from({ length: spec.replicas }, (_, index) => index).flatMap((index) => {
      const id = metadata.name === 'brokers' ? index : index + 3;
      const is = (role: string) => String(spec.roles.includes(role));
      const labels = {
        'strimzi.io/cluster': 'store',
        'strimzi.io/pool-name': metadata.name,
        'strimzi.io/broker-role': is('broker'),
        'strimzi.io/controller-role': is('controller'),
      };
      const name = `store-${metadata.name}-${id}`;
      return [object('Pod', name, labels, ['kafka']), object('PersistentVolumeClaim', `data-0-${name}`, labels)];
    }),
  // CloudNativePG
  Cluster: ({ metadata, spec }) =>
    Array.from({ length: spec.instances }, (_, index) => index).flatMap((index) => {
      const labels = {
        'cnpg.io/cluster': metadata.name,
        'cnpg.io/podRole': 'instance',
        'cnpg.io/instanceRole': index === 0 ? 'primary' : 'replica',
      };
      const name = `${metadata.name}-${index + 1}`;
      const containers = ['postgres', 'plugin-barman-cloud'];
      return [object('Pod', name, labels, containers), object('PersistentVolumeClaim', name, labels)];
    }),
  Pooler: ({ metadata, spec }) => {
    const labels = { 'cnpg.io/poolerName': metadata.name };
    const template = { ...spec.template, metadata: { labels } };
    return expanded([{ kind: 'Deployment', metadata: { name: metadata.name, labels }, spec: { template } }]);
  },
  ScheduledBackup: ({ metadata }) => [object('Backup', `${metadata.name}-20260131021700`)],
};

const expanded = (all: Manifest[]): Manifest[] => all.flatMap((one) => [one, ...(made[one.kind]?.(one) ?? [])]);

/** The Secrets that variables and volumes refer to. */
function secretsIn(all: Manifest[]): Manifest[] {
  const names = new Set<string>();
  JSON.stringify(all, (key, value) => {
    if ((key === 'secretKeyRef' || key === 'secret') && value?.name) names.add(value.name);
    return value;
  });
  return Array.from(names, (name) => object('Secret', name, { 'app.kubernetes.io/part-of': 'store' }));
}

/** The objects of each cluster, with the Secrets that pods refer to. */
export async function clusters(): Promise<Manifest[][]> {
  const rendered = [
    await manifests(small),
    await manifests(production, ['prod', 'cloudnative-pg', 'prod-20'].map(preset)),
  ];
  return rendered.map(({ all }) => [...expanded(all), ...secretsIn(all)]);
}
