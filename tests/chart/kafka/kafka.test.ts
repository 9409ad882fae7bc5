import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { valuesFiles } from '../../../tools/chart/render.ts';
import { provideJava, provideKafka } from '../../../tools/local/downloads/java.mjs';
import { withFolder } from '../../../tools/with-folder.ts';
import { itWithCrds, problemsOf } from '../../kit/kubernetes/crds.ts';
import { manifests } from '../_manifests.ts';

const withStrimzi = (values: object = {}) => ({
  global: { kafka: { bootstrapServers: 'store-kafka-bootstrap:9092' } },
  kafka: { strimzi: { enabled: true, ...values } },
});
const hosts = {
  labelSelector: { matchLabels: { 'strimzi.io/pool-name': 'brokers' } },
  topologyKey: 'kubernetes.io/hostname',
};

describe('the Kafka that Strimzi runs', () => {
  // tests/chart/golden/prod.yaml shows listeners, racks, nodes, quotas and metrics in production.
  it('is scraped in production if monitoring is on', async () => {
    const { named } = await manifests({ monitoring: { enabled: true } }, valuesFiles.prod);
    const [endpoint] = named('PodMonitor', 'store-kafka').spec.podMetricsEndpoints;
    const relabelings = [
      { targetLabel: 'job', replacement: 'store' },
      { targetLabel: 'service', replacement: 'kafka' },
    ];
    expect(endpoint).toMatchObject({ port: 'tcp-prometheus', relabelings });
  });

  it('has a user with all rights unless a value switches it off', async () => {
    const login = { bootstrapServers: 'store-kafka-bootstrap:9093', login: true };
    const usersOf = async (values: object) => {
      const kafka = { strimzi: { enabled: true, ...values } };
      return (await manifests({ global: { kafka: login }, kafka }))
        .ofKind('KafkaUser')
        .map(({ metadata }) => metadata.name);
    };
    const users = await usersOf({});
    expect(users).toContain('kafka-operator');
    expect(await usersOf({ operatorUser: false })).toEqual(users.filter((name) => name !== 'kafka-operator'));
  });

  it('has one pool and none of these outside production, unless a value asks for it', async () => {
    const { one, ofKind } = await manifests({ ...withStrimzi(), monitoring: { enabled: true } });
    const { kafka } = one('Kafka').spec;
    expect(kafka).not.toHaveProperty('rack');
    expect(kafka).not.toHaveProperty('metricsConfig');
    const [pool, ...others] = ofKind('KafkaNodePool');
    expect(others).toEqual([]);
    expect([pool.metadata.name, pool.spec.roles]).toEqual(['brokers', ['controller', 'broker']]);
    expect(pool.spec).not.toHaveProperty('template');
    expect(ofKind('PodMonitor').map(({ metadata }) => metadata.name)).toEqual(['store']);
  });

  it('changes from one listener to the other and back, with both in between, and every pod of the store may call them', async () => {
    const phases = [
      { login: false, bothListeners: false },
      { login: false, bothListeners: true },
      { login: true, bothListeners: true },
      { login: true, bothListeners: false },
    ];
    const found = await Promise.all(
      phases.map(async ({ login, bothListeners }) => {
        const bootstrapServers = `store-kafka-bootstrap:${login ? 9093 : 9092}`;
        const values = { ...withStrimzi(), global: { kafka: { login, bothListeners, bootstrapServers } } };
        const { one, named, ofKind } = await manifests(values);
        const { listeners, authorization } = one('Kafka').spec.kafka;
        const [kafkaEgress] = named('NetworkPolicy', 'payment').spec.egress.slice(-1);
        return [
          listeners.map(({ port, tls }: { port: number; tls: boolean }) => [port, tls]),
          authorization?.superUsers,
          ofKind('KafkaUser').length > 0,
          kafkaEgress.ports.map(({ port }: { port: number }) => port),
        ];
      }),
    );
    const both = [
      [9092, false],
      [9093, true],
    ];
    expect(found).toEqual([
      [[[9092, false]], undefined, false, [9092]],
      [both, ['ANONYMOUS'], true, [9092, 9093]],
      [both, ['ANONYMOUS'], true, [9092, 9093]],
      [[[9093, true]], undefined, true, [9093]],
    ]);
  });

  itWithCrds('lets Cruise Control move partitions to added brokers', async () => {
    const values = withStrimzi({ replicas: 3, cruiseControl: { enabled: true } });
    const { one } = await manifests(values);
    expect(await problemsOf(one('Kafka'))).toEqual([]);
    expect(one('Kafka').spec.cruiseControl.autoRebalance).toEqual([
      { mode: 'add-brokers' },
      { mode: 'remove-brokers' },
    ]);
  });

  const jvmOptions = { '-Xmx': '1g' };
  const tolerations = [{ key: 'kafka', operator: 'Exists' }];
  it.each([
    ['preferred', { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: hosts }] }],
    ['required', { requiredDuringSchedulingIgnoredDuringExecution: [hosts] }],
  ])(
    'accepts further settings of Strimzi, and puts each broker on another node: %s',
    async (antiAffinity, podAntiAffinity) => {
      const { one } = await manifests(withStrimzi({ jvmOptions, template: { pod: { tolerations } }, antiAffinity }));
      const template = { pod: { tolerations, affinity: { podAntiAffinity } } };
      expect(one('KafkaNodePool').spec).toMatchObject({ jvmOptions, template });
    },
  );

  it('keeps labels that Strimzi copies to its pods across releases, because a change would replace the pods', async () => {
    const values = withStrimzi();
    const { ofKind } = await manifests({ ...values, global: { ...values.global, commonLabels: { team: 'a' } } });
    for (const { metadata } of [...ofKind('Kafka'), ...ofKind('KafkaNodePool')])
      expect(Object.keys(metadata.labels).join()).not.toMatch(/chart|version|team/);
  });

  it('has the newest metadata version that the pinned Kafka writes', async () => {
    const { version, metadataVersion } = (await manifests(withStrimzi())).one('Kafka').spec.kafka;
    const libs = join(await provideKafka(), 'libs');
    expect(await readdir(libs)).toContain(`kafka_2.13-${version}.jar`);
    await withFolder(async (dir) => {
      const config = join(dir, 'server.properties');
      const settings = `process.roles=controller
node.id=1
controller.quorum.voters=1@127.0.0.1:1
listeners=CONTROLLER://127.0.0.1:1
controller.listener.names=CONTROLLER
log.dirs=${join(dir, 'data')}
`;
      await writeFile(config, settings);
      const format = ['kafka.tools.StorageTool', 'format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', config];
      const { stdout } = await execa(join(await provideJava(), 'bin/java'), ['-cp', join(libs, '*'), ...format]);
      expect(stdout).toContain(`metadata.version ${metadataVersion}.`);
    });
  });
});
