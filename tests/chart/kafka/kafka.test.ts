import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { named, renderObjects, valuesFiles } from '../../../tools/chart/render.ts';
import { provideJava } from '../../../tools/local/downloads/java.ts';
import { provideKafka } from '../../../tools/local/downloads/kafka.ts';

// biome-ignore lint/suspicious/noExplicitAny: as above
const oneOf = (all: any[], kind: string) => all.find((one) => one.kind === kind);

const address = { global: { kafka: { bootstrapServers: 'store-kafka-bootstrap:9092' } } };
const plain = { ...address, kafka: { strimzi: { enabled: true } } };
const hosts = {
  labelSelector: { matchLabels: { 'strimzi.io/pool-name': 'brokers' } },
  topologyKey: 'kubernetes.io/hostname',
};

it('production: brokers on different nodes and racks, TLS and login alone, metrics, and limits for every user', async () => {
  const all = await renderObjects({ monitoring: { enabled: true } }, valuesFiles.prod);
  const { kafka } = oneOf(all, 'Kafka').spec;
  expect(kafka.listeners).toEqual([
    expect.objectContaining({ port: 9093, tls: true, authentication: { type: 'scram-sha-512' } }),
  ]);
  expect(kafka.rack).toEqual({ topologyKey: 'topology.kubernetes.io/zone' });
  expect(kafka.metricsConfig.type).toBe('strimziMetricsReporter');
  expect(oneOf(all, 'KafkaNodePool').spec.template.pod.affinity.podAntiAffinity).toEqual({
    requiredDuringSchedulingIgnoredDuringExecution: [hosts],
  });
  const users = all.filter(({ kind }) => kind === 'KafkaUser');
  expect(users.length).toBeGreaterThan(3);
  for (const { metadata, spec } of users) {
    if (metadata.name === 'kafka-operator') continue;
    expect(spec.quotas).toEqual({
      producerByteRate: 10 * 2 ** 20,
      consumerByteRate: 50 * 2 ** 20,
      requestPercentage: 200,
    });
  }
  const monitor = named(all, 'PodMonitor', 'store-kafka');
  expect(monitor.spec.podMetricsEndpoints[0]).toMatchObject({
    port: 'tcp-prometheus',
    relabelings: [
      { targetLabel: 'job', replacement: 'store' },
      { targetLabel: 'service', replacement: 'kafka' },
    ],
  });
});

it('elsewhere: none of these, unless a value asks for it', async () => {
  const all = await renderObjects({ ...plain, monitoring: { enabled: true } });
  const { kafka } = oneOf(all, 'Kafka').spec;
  expect(kafka).not.toHaveProperty('rack');
  expect(kafka).not.toHaveProperty('metricsConfig');
  expect(oneOf(all, 'KafkaNodePool').spec).not.toHaveProperty('template');
  expect(all.filter(({ kind }) => kind === 'PodMonitor').map(({ metadata }) => metadata.name)).toEqual(['store']);
  const preferred = await renderObjects({
    ...address,
    kafka: { strimzi: { enabled: true, antiAffinity: 'preferred' } },
  });
  expect(oneOf(preferred, 'KafkaNodePool').spec.template.pod.affinity.podAntiAffinity).toEqual({
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: hosts }],
  });
});

it('controllers and brokers are two pools in production, one elsewhere, with what else Strimzi accepts', async () => {
  const poolsOf = (all: Awaited<ReturnType<typeof renderObjects>>) =>
    Object.fromEntries(
      all.filter(({ kind }) => kind === 'KafkaNodePool').map(({ metadata, spec }) => [metadata.name, spec]),
    );
  const pools = poolsOf(await renderObjects({}, valuesFiles.prod));
  expect(pools.brokers).toMatchObject({ replicas: 3, roles: ['broker'] });
  expect(pools.controllers).toMatchObject({ replicas: 3, roles: ['controller'] });
  const tolerations = [{ key: 'kafka', operator: 'Exists' }];
  const given = { jvmOptions: { '-Xmx': '1g' }, template: { pod: { tolerations } }, antiAffinity: 'required' };
  const one = poolsOf(await renderObjects({ ...address, kafka: { strimzi: { enabled: true, ...given } } }));
  expect(Object.keys(one)).toEqual(['brokers']);
  expect(one.brokers).toMatchObject({
    roles: ['controller', 'broker'],
    jvmOptions: { '-Xmx': '1g' },
    template: {
      pod: {
        tolerations,
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [hosts] } },
      },
    },
  });
});

it('a release of the chart changes no label that Strimzi copies to its pods, which it would replace for it', async () => {
  const all = await renderObjects({ ...plain, global: { ...address.global, commonLabels: { team: 'a' } } });
  for (const { metadata } of all.filter(({ kind }) => kind === 'Kafka' || kind === 'KafkaNodePool')) {
    expect(Object.keys(metadata.labels)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/chart|version|team/)]),
    );
  }
});

it('the metadata version is the newest that the pinned Kafka writes', async () => {
  const { version, metadataVersion } = oneOf(await renderObjects(plain), 'Kafka').spec.kafka;
  const libs = join(await provideKafka(), 'libs');
  expect(await readdir(libs)).toContain(`kafka_2.13-${version}.jar`);
  const dir = await mkdtemp(join(tmpdir(), 'store-metadata-version-'));
  try {
    const config = join(dir, 'server.properties');
    await writeFile(
      config,
      `process.roles=controller
node.id=1
controller.quorum.voters=1@127.0.0.1:1
listeners=CONTROLLER://127.0.0.1:1
controller.listener.names=CONTROLLER
log.dirs=${join(dir, 'data')}
`,
    );
    const format = ['-cp', join(libs, '*'), 'kafka.tools.StorageTool', 'format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c'];
    const { stdout } = await execa(join(await provideJava(), 'bin/java'), [...format, config]);
    expect(stdout).toContain(`metadata.version ${metadataVersion}.`);
  } finally {
    await rm(dir, { recursive: true });
  }
});
