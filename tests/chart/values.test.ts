import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { named, renderChart, renderObjects, valuesFiles } from '../../tools/chart/render.ts';
import { root } from '../../tools/paths.ts';

interface Schema {
  required?: string[];
  properties?: Record<string, Schema>;
}

const external = { postgres: { enabled: false }, global: { externalDatabase: { existingSecret: 'urls' } } };
const atStrimzi = { global: { kafka: { bootstrapServers: 'store-kafka-bootstrap:9092' } } };

const account = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const writers = (text: string) => ({ product: { env: { PRODUCT_WRITERS: text } } });

describe('values that the chart refuses with a message', () => {
  it.each([
    ['an unknown component', { oder: {} }, /oder/],
    [
      'an unknown component that looks like a service',
      { oder: { image: 'order' } },
      /oder is no component of the store: .* alias: oder/,
    ],
    ['a typo in resources', { gateway: { resources: { request: {} } } }, /request/],
    ['a typo in a request', { order: { resources: { requests: { cpi: 1 } } } }, /cpi/],
    ['an invalid quantity', { kafka: { strimzi: { resources: { limits: { memory: '12XB' } } } } }, /limits\/memory/],
    ['an annotation that is not a string', { order: { podAnnotations: { a: 1 } } }, /podAnnotations\/a/],
    ['a typo in a toleration', { status: { tolerations: [{ efect: 'NoSchedule' }] } }, /efect/],
    ['a typo in a peer', { global: { networkPolicy: { kafkaAt: [{ ipblock: {} }] } } }, /ipblock/],
    ['an invalid name of a Secret', { global: { jwt: { existingSecret: 'My_Secret' } } }, /existingSecret/],
    [
      'a minimum of replicas above the maximum',
      { order: { autoscaling: { enabled: true, minReplicas: 9 } } },
      /order.autoscaling.minReplicas is above maxReplicas/,
    ],
    ['a typo in a service', { order: { replcas: 2 } }, /replcas/],
    ['a typo in global', { global: { jwt: { existingSecrt: 'x' } } }, /existingSecrt/],
    ['a typo in a variable', { auth: { env: { JWT_HTTP_OLNY: true } } }, /JWT_HTTP_OLNY|propertyNames|auth\/env/],
    ["another service's variable", { account: { env: { JWT_HTTP_ONLY: true } } }, /account\/env|JWT_HTTP_ONLY/],
    ['a flag that is not a boolean', { auth: { env: { JWT_HTTP_ONLY: 'yes' } } }, /JWT_HTTP_ONLY/],
    [
      'a variable that follows from a value',
      { status: { env: { EXTRA_PORTS: 8000 } } },
      /status.env.EXTRA_PORTS follows from status.extraPorts: set that instead/,
    ],
    [
      'a consumer group as a variable',
      { invoice: { env: { CONSUMER_GROUP: 'x' } } },
      /invoice.env.CONSUMER_GROUP follows from invoice.kafka.group/,
    ],
    ['the database of the administrator', { order: { database: 'postgres' } }, /order[\s\S]*\/database/],
    ['an image without a name', { order: { image: '' } }, /image/],
    ['a secret without a name', { auth: { secrets: { JWT_SECRET_KEY: { secret: '', key: 'x' } } } }, /secret/],
    ['brokers without a port', { global: { kafka: { bootstrapServers: 'kafka' } } }, /bootstrapServers/],
    ['a collector without http', { global: { tracing: { endpoint: 'collector:4318' } } }, /tracing\/endpoint/],
    [
      'a collector with the path',
      { global: { tracing: { endpoint: 'http://c:4318/v1/traces' } } },
      /tracing\/endpoint/,
    ],
    ['a share above 100 %', { global: { tracing: { samplingPercent: 101 } } }, /samplingPercent/],
    ['a typo in monitoring', { monitoring: { enable: true } }, /enable/],
    ['no database', { postgres: { enabled: false } }, /externalDatabase.existingSecret names no Secret/],
    [
      'a CA without an external database',
      { global: { externalDatabase: { caSecret: 'ca' } } },
      /externalDatabase.caSecret is set, but .*existingSecret names no Secret/,
    ],
    ['a port that is none', { global: { externalDatabase: { ports: [70000] } } }, /ports/],
    ['two databases', { global: external.global }, /set postgres.enabled=false/],
    [
      '* with credentials',
      { gateway: { cors: { allowedOrigins: ['*'] } } },
      /Name the origins, or set cors.allowedCredentials to false/,
    ],
    [
      'more replicas than brokers',
      { ...atStrimzi, kafka: { strimzi: { enabled: true }, topics: { replicas: 3 } } },
      /only 1 brokers/,
    ],
    ['topics that cannot be written', { kafka: { topics: { minInsyncReplicas: 2 } } }, /nothing could be written/],
    [
      'a login at the port without TLS',
      {
        global: { kafka: { login: true, bootstrapServers: 'store-kafka-bootstrap:9092' } },
        kafka: { strimzi: { enabled: true } },
      },
      /store-kafka-bootstrap:9093/,
    ],
    [
      'Strimzi without its address',
      { kafka: { strimzi: { enabled: true } } },
      /bootstrapServers does not name the Kafka that Strimzi runs: set it to store-kafka-bootstrap:9092/,
    ],
    ['a login at the Kafka of the release', { global: { kafka: { login: true } } }, /knows no users/],
    ['replicas in the Kafka of the release', { kafka: { topics: { replicas: 3 } } }, /has only 1 broker/],
    ['a typo in kafka', { kafka: { imge: 'x' } }, /imge/],
    [
      'a metadata version above that of Kafka',
      { ...atStrimzi, kafka: { strimzi: { enabled: true, version: '4.3.1', metadataVersion: '4.4-IV0' } } },
      /metadataVersion is 4.4-IV0, which Kafka 4.3.1 does not know: raise kafka.strimzi.version first/,
    ],
    [
      'quotas without users',
      { ...atStrimzi, kafka: { strimzi: { enabled: true, quotas: { producerByteRate: 1024 } } } },
      /quotas limits users, but without global.kafka.login there are none/,
    ],
    ['an unknown quota', { kafka: { strimzi: { quotas: { byteRate: 1 } } } }, /byteRate/],
    ['an objective without a budget', { monitoring: { objectives: { availability: 100 } } }, /availability/],
    [
      'an objective between buckets',
      { monitoring: { objectives: { confirmation: { seconds: 20 } } } },
      /confirmation\/seconds/,
    ],
    ['writers of another role', writers('role:operator'), /product\/env\/PRODUCT_WRITERS/],
    ['writers that are no account ids', writers('admin'), /product\/env\/PRODUCT_WRITERS/],
    ['everybody beside an account', writers(`everybody,${account}`), /product\/env\/PRODUCT_WRITERS/],
  ])('%s', async (_, values, message) => {
    await expect(renderChart([], values)).rejects.toThrow(message);
  });
});

describe('what the chart renders', () => {
  it('with an external database: no PostgreSQL, and the URLs from the Secret', async () => {
    const all = await renderObjects(external);
    expect(all.filter(({ metadata }) => metadata.name === 'postgres')).toEqual([]);
    const order = named(all, 'Deployment', 'order');
    const { env } = order.spec.template.spec.containers[0];
    expect(env.filter(({ name }: { name: string }) => name.startsWith('DATABASE_'))).toEqual([
      { name: 'DATABASE_URL', value: 'file:///var/run/database/url' },
    ]);
    const [volume] = order.spec.template.spec.volumes;
    expect(volume.projected.sources).toEqual([{ secret: { name: 'urls', items: [{ key: 'order', path: 'url' }] } }]);
  });

  it('with the CA of an external database: it is mounted where every URL is told to find it', async () => {
    const all = await renderObjects(external, ['tests/chart/databases/external-database.yaml']);
    const databases = all.filter(
      ({ kind, metadata }) => kind === 'Deployment' && !['gateway', 'console'].includes(metadata.name),
    );
    for (const { spec } of databases) {
      const [container] = spec.template.spec.containers;
      const { value } = container.env.find(({ name }: { name: string }) => name === 'DATABASE_URL');
      const url = new URL(value);
      const [mount] = container.volumeMounts;
      const volume = spec.template.spec.volumes.find(({ name }: { name: string }) => name === mount.name);
      const paths = volume.projected.sources.flatMap(({ secret }: { secret: { items: { path: string }[] } }) =>
        secret.items.map(({ path }) => `${mount.mountPath}/${path}`),
      );
      expect(paths).toEqual([url.pathname, url.searchParams.get('sslrootcert')]);
      expect(url.searchParams.get('sslmode')).toBe('verify-full');
    }
    expect(databases.length).toBeGreaterThan(8);
    const { spec } = named(all, 'NetworkPolicy', 'order');
    expect(spec.egress).toContainEqual({
      to: [{ namespaceSelector: {} }, ...['0.0.0.0/0', '::/0'].map((cidr) => ({ ipBlock: { cidr } }))],
      ports: [{ port: 6432 }, { port: 25061 }],
    });
  });

  it.each([['everybody'], ['role:catalogue'], [account], [`${account}, ${account}`]])(
    'writers of products in production: %s',
    async (text) => {
      const all = await renderObjects({ global: { profile: 'prod' }, ...writers(text) });
      const product = named(all, 'Deployment', 'product');
      expect(product.spec.template.spec.containers[0].env).toContainEqual({ name: 'PRODUCT_WRITERS', value: text });
    },
  );

  it('large numbers without an exponent', async () => {
    const all = await renderObjects({ auth: { env: { JWT_TTL_SECONDS: 31536000 } } });
    const auth = named(all, 'Deployment', 'auth');
    expect(auth.spec.template.spec.containers[0].env).toContainEqual({ name: 'JWT_TTL_SECONDS', value: '31536000' });
  });

  it('only the gateway outside the cluster', async () => {
    const all = await renderObjects({}, valuesFiles.prod);
    const published = all.filter(({ kind, spec }) => kind === 'Service' && (spec.type ?? 'ClusterIP') !== 'ClusterIP');
    expect(published.map(({ metadata }) => metadata.name)).toEqual(['gateway']);
  });

  it.each(Object.entries(valuesFiles))(
    '%s values: every pod meets the restricted Pod Security level',
    async (name, files) => {
      for (const { kind, metadata, spec } of await renderObjects({}, files)) {
        if (!['Deployment', 'StatefulSet', 'Job', 'Pod'].includes(kind)) continue;
        const pod = kind === 'Pod' ? spec : spec.template.spec;
        expect(pod).toMatchObject({
          // The only one that calls the API server
          automountServiceAccountToken: metadata.labels['app.kubernetes.io/name'] === 'store-secrets',
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const container of pod.containers) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            // skaffold copies sources into the containers.
            readOnlyRootFilesystem: name !== 'skaffold' || !container.image.includes('/dev:'),
            capabilities: { drop: ['ALL'] },
          });
          expect(container.resources).toMatchObject({
            requests: { cpu: expect.any(String) },
            limits: { memory: expect.any(String) },
          });
        }
      }
    },
  );

  it('a network policy that lets only callers call a service', async () => {
    const all = await renderObjects({});
    const callersOf = (name: string) =>
      all
        .filter(({ kind, spec }) => kind === 'Deployment' && spec.template.metadata.labels[`calls/${name}`] === 'true')
        .map(({ metadata }) => metadata.name)
        .sort();
    expect(callersOf('account')).toEqual(['auth', 'console', 'gateway', 'notification']);
    expect(callersOf('product')).toEqual(expect.arrayContaining(['gateway', 'inventory', 'order']));
    expect(callersOf('payment')).toEqual(['console']);
    expect(callersOf('console')).toEqual([]);
    const policy = named(all, 'NetworkPolicy', 'product');
    expect(policy.spec.ingress[0].from).toEqual([{ podSelector: { matchLabels: { 'calls/product': 'true' } } }]);
  });
});

// Some versions of Helm 4 drop a default of null from the values of a subchart before they check them.
it.each(['', 'charts/gateway', 'charts/kafka', 'charts/postgres', 'charts/service'])(
  'no schema of charts/store/%s requires a value that is null by default',
  (folder) => {
    const read = (file: string) => readFileSync(join(root, 'charts/store', folder, file), 'utf8');
    const required: string[] = [];
    const walk = (values: unknown, schema: Schema | undefined, path: string): void => {
      if (typeof values !== 'object' || values === null || schema === undefined) return;
      for (const [name, value] of Object.entries(values)) {
        if (value === null && schema.required?.includes(name)) required.push(`${path}${name}`);
        walk(value, schema.properties?.[name], `${path}${name}.`);
      }
    };
    walk(parse(read('values.yaml'), { merge: true }), JSON.parse(read('values.schema.json')), '');
    expect(required).toEqual([]);
  },
);
