import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountEventsTopic, deadLetterTopic, orderEventsTopic } from '../../services/shared/src/messaging/topics.ts';
import { template } from '../../tools/chart/helm.ts';
import { imagesFile, named, objectsIn, valuesFiles } from '../../tools/chart/render.ts';
import { serviceEnv } from '../../tools/local/components/services.ts';
import { fixedPorts, variablesOfCommands } from '../../tools/local/ports.ts';
import { startStore } from '../../tools/local/store.ts';
import { root } from '../../tools/paths.ts';
import { readTopology, type Service, serviceNamed, topology } from '../../tools/topology/topology.ts';
import { withEdited } from './_edited-chart.ts';
import { type Manifest, manifests } from './_manifests.ts';

describe('the topology', () => {
  it("has exactly the chart's deployments", async () => {
    const deployments = (await manifests()).ofKind('Deployment').map(({ metadata }) => metadata.name);
    const names = deployments.filter((name) => name !== 'gateway');
    expect(names.sort()).toEqual(topology.services.map(({ alias }) => alias).sort());
  });

  it('has exactly one image for each folder of services with an entry point', () => {
    const folders = readdirSync(join(root, 'services')).filter((name) =>
      existsSync(join(root, 'services', name, 'src/main.ts')),
    );
    expect([...topology.images].sort()).toEqual(folders.sort());
  });

  it('gives the console the same list as the chart', async () => {
    const { data } = (await manifests()).named('ConfigMap', 'store-services');
    const { env } = serviceNamed('console');
    for (const [name, list] of Object.entries<string>(data))
      expect([name, list.split(',').sort()]).toEqual([name, env[name]?.split(',').sort()]);
  });

  it('lets the console ask a service added only by values, in the cluster and locally', async () => {
    const edits = {
      'Chart.yaml': (text: string) => `${text}  - { name: service, version: 0.1.0, alias: rating }\n`,
      'values.yaml': (text: string) =>
        `${text}rating: { image: rating, localPort: 8099, kafka: { group: rating-group } }\n`,
    };
    await withEdited(edits, async (copy) => {
      const { data } = named(objectsIn(await template(copy, [imagesFile])), 'ConfigMap', 'store-services');
      const { env, calls } = readTopology(copy).services.find(({ alias }) => alias === 'console') ?? {};
      for (const lists of [data, env])
        expect(lists).toMatchObject({
          SERVICES: expect.stringContaining('rating=http://rating:8080'),
          METRICS: expect.stringContaining('rating=http://rating-replicas:9090'),
          GROUPS: expect.stringMatching(/\brating\b/),
        });
      expect(calls).toContain('rating');
    });
  });

  it('has one service to report the audit trail of each database that has one', () => {
    const schemaOf = (image: string) => join(root, 'services', image, 'prisma/schema.prisma');
    const hasTrail = ({ image, database }: Service) =>
      database !== undefined && readFileSync(schemaOf(image), 'utf8').includes('@@map("audit")');
    const databases = (services: Service[]) => services.map(({ database }) => database).sort();
    const audited = topology.services.filter(({ audited }) => audited);
    expect(databases(audited)).toEqual([...new Set(databases(topology.services.filter(hasTrail)))]);
  });

  it('never gives the same port or group to two services', () => {
    const given = topology.services.flatMap(({ localPort, group }) => (group ? [localPort, group] : localPort));
    expect(given.filter((one, index) => given.indexOf(one) !== index)).toEqual([]);
  });

  it('names a process with its own entry point after its image', () => {
    const worker = serviceNamed('order-worker');
    expect(worker).toMatchObject({ alias: 'orderworker', image: 'order', entry: 'dist/worker.js' });
    expect(topology.groups['order-group']).toBe(worker);
    expect(serviceNamed('notification')).toMatchObject({ image: 'consumers', entry: 'dist/main.js' });
    expect(topology.routes['/api/v1/status']).toBe(serviceNamed('status'));
  });

  it('names the variables with which commands find a store on other ports', () => {
    const env = { GATEWAY_PORT: '28080', ORDER_PORT: '28084', ORDER_WORKER_PORT: '28090', CONSOLE_PORT: '28091' };
    const variables = Object.entries(env).map(([name, port]) => `${name}=${port}`);
    expect(variablesOfCommands(fixedPorts(env))).toEqual(variables);
  });

  it('lists the services if one is unknown', async () => {
    const message = /There is no service ordr\. The services are: auth, account, .*order-worker/;
    expect(() => serviceNamed('ordr')).toThrow(message);
    expect(() => serviceNamed('constructor')).toThrow('There is no service constructor.');
    expect(() => fixedPorts().of('ordr')).toThrow(/There is no port ordr\. The ports are: gateway, .*order-metrics/);
    const start = startStore({ dir: join(tmpdir(), 'no-store'), ports: 'free', components: ['ordr'] });
    await expect(start).rejects.toThrow(/There is no component ordr\. The components are: gateway, postgres, .*order/);
  });

  it.each([
    ['Chart.yaml', 'alias: status', 'alias: stats', 'has a service stats, but values.yaml'],
    ['values.yaml', '  localPort: 8084\n', '', 'order has no localPort'],
    ['values.yaml', '/orders: order', '/orders: oder', 'routes /orders to oder, which is not a service'],
  ])('refuses in %s for %j %j', async (file, present, replacement, message) => {
    const edits = { [file]: (text: string) => text.replace(present, replacement) };
    await withEdited(edits, async (copy) => expect(() => readTopology(copy)).toThrow(message));
  });
});

describe('files that easily miss a new service', () => {
  it('presets/prod.yaml: each component except the console, for which no customer waits, has two replicas', async () => {
    const { ofKind, named } = await manifests({}, valuesFiles.prod);
    const lonely = ofKind('Deployment').filter(({ metadata, spec }) => {
      const replicas = named('HorizontalPodAutoscaler', metadata.name)?.spec.minReplicas ?? spec.replicas;
      return !(replicas >= 2);
    });
    const places = lonely.map(({ metadata }) => `charts/store/presets/prod.yaml gives ${metadata.name} one replica`);
    expect(places).toEqual(['charts/store/presets/prod.yaml gives console one replica']);
  });
});

describe('the environment of a service in the local run', () => {
  const given = { env: {}, ports: fixedPorts({ PRODUCT_PORT: '18083' }), jwtKey: 'key', brokers: ['127.0.0.1:19092'] };
  const envOf = (name: string, env: Record<string, string> = {}) => serviceEnv(serviceNamed(name), { ...given, env });

  it('is that of the cluster with local addresses', () => {
    expect(envOf('inventory')).toMatchObject({
      PRODUCT_URL: 'http://127.0.0.1:18083',
      INITIAL_STOCK: '1000',
      CONSUMER_GROUP: 'inventory-group',
      KAFKA_BROKERS: '127.0.0.1:19092',
      PORT: '8085',
      METRICS_PORT: '9085',
      JWT_SECRET_KEY: undefined,
    });
    expect(envOf('auth')).toMatchObject({ JWT_SECRET_KEY: 'key', CONSUMER_GROUP: undefined, KAFKA_BROKERS: undefined });
    expect(envOf('status')).not.toHaveProperty('EXTRA_PORTS');
  });

  it("is overridden by the user's own, except what the local run decides", () => {
    const own = { INITIAL_STOCK: '1', PRODUCT_URL: 'http://product.test' };
    const env = envOf('inventory', { ...own, CONSUMER_GROUP: 'other', PORT: '1' });
    expect(env).toMatchObject({ ...own, CONSUMER_GROUP: 'inventory-group', PORT: '8085' });
  });
});

describe('derived from the topology', () => {
  const strimzi = {
    kafka: { strimzi: { enabled: true } },
    global: { kafka: { login: true, bootstrapServers: 'store-kafka-bootstrap:9093' } },
  };

  it('topics have the names that the services use; events have limits, dead letters have none', async () => {
    const topics = { retentionBytes: 1_073_741_824 };
    const { ofKind } = await manifests({ ...strimzi, kafka: { ...strimzi.kafka, topics } });
    const limits = ofKind('KafkaTopic').map(({ metadata, spec: { config } }) => [
      metadata.name,
      [config['retention.ms'], config['retention.bytes']],
    ]);
    expect(Object.fromEntries(limits)).toEqual({
      [orderEventsTopic]: [604_800_000, topics.retentionBytes],
      [accountEventsTopic]: [604_800_000, topics.retentionBytes],
      [deadLetterTopic]: [-1, -1],
    });
    const { env } = (await manifests({ kafka: { topics } })).pods().get('Job/store-topics').spec.containers[0];
    expect(env).toContainEqual({ name: 'TOPIC_RETENTION_BYTES', value: '1073741824' });
  });

  it('each service has its database, and values can add databases', async () => {
    const { pods } = await manifests({ status: { database: 'stations' }, postgres: { databases: ['reports'] } });
    const env: Manifest[] = pods().get('Job/store-secrets').spec.containers[0].env;
    const { postgres } = JSON.parse(env.find(({ name }) => name === 'SECRETS').value);
    const databases = [...topology.databases.filter((name) => name !== 'status'), 'reports', 'stations', 'postgres'];
    expect(postgres.sort()).toEqual(databases.sort());
  });

  it('database, consumer group and extra ports become variables of the service', async () => {
    const own = { database: 'loyalty', kafka: { group: 'loyalty-group' }, extraPorts: [8000, 8001] };
    const { envOf, podOf } = await manifests({ invoice: own });
    const variables = [
      { name: 'DATABASE_URL', value: 'file:///var/run/database/login?at=postgres:5432/loyalty' },
      { name: 'CONSUMER_GROUP', value: 'loyalty-group' },
      { name: 'EXTRA_PORTS', value: '8000,8001' },
    ];
    expect(envOf('invoice')).toEqual(expect.arrayContaining(variables));
    const items = [{ key: 'loyalty', path: 'login' }];
    expect(podOf('invoice').volumes[0].projected.sources).toEqual([{ secret: { name: 'postgres-logins', items } }]);
  });
});
