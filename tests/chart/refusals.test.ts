import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../tools/paths.ts';
import { manifests } from './_manifests.ts';

const strimziAt = (port: number) => ({ global: { kafka: { bootstrapServers: `store-kafka-bootstrap:${port}` } } });
const strimzi = (values: object) => ({ ...strimziAt(9092), kafka: { strimzi: { enabled: true, ...values } } });
const external = (values: object) => ({ global: { externalDatabase: values } });
const gateway = (values: object) => ({ gateway: values });
const tracing = (values: object) => ({ global: { tracing: values } });
const images = (values: object) => ({ global: { image: values } });
const writers = (text: string) => ({ product: { env: { PRODUCT_WRITERS: text } } });
const env = (service: string, values: object) => ({ [service]: { env: values } });
const rules = (values: object) => ({ monitoring: { alerts: { enabled: true, rules: values } } });

const account = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const digest = `sha256:${'b'.repeat(64)}`;
const autoscaling = { enabled: true, lag: 100 };
const tls = { existingSecret: 'store-tls' };
const ingress = { enabled: true, hosts: ['store.example.com'], tlsSecret: 'store-tls' };
const httpRoute = { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }] };
const certificate = { dnsNames: ['store.example.com'] };

describe('values that the chart refuses with a message', () => {
  it.each<[string, object, RegExp]>([
    // Misspelt
    ['an unknown component', { oder: {} }, /oder/],
    [
      'one that looks like a service',
      { oder: { image: 'order' } },
      /oder is no component of the store: .* alias: oder/,
    ],
    ['a typo in resources', gateway({ resources: { request: {} } }), /request/],
    ['a typo in a request', { order: { resources: { requests: { cpi: 1 } } } }, /cpi/],
    ['a typo in a toleration', { status: { tolerations: [{ efect: 'NoSchedule' }] } }, /efect/],
    ['a typo in a peer', { global: { networkPolicy: { kafkaAt: [{ ipblock: {} }] } } }, /ipblock/],
    ['a typo in a service', { order: { replcas: 2 } }, /replcas/],
    ['a typo in global', { global: { jwt: { existingSecrt: 'x' } } }, /existingSecrt/],
    ['a typo in a variable', env('auth', { JWT_HTTP_OLNY: true }), /JWT_HTTP_OLNY|propertyNames|auth\/env/],
    ['a typo in monitoring', { monitoring: { enable: true } }, /enable/],
    ['a typo in kafka', { kafka: { imge: 'x' } }, /imge/],
    ['a typo in TLS', gateway({ tls: { existingSecrt: 'x' } }), /existingSecrt/],
    ['an unknown quota', { kafka: { strimzi: { quotas: { byteRate: 1 } } } }, /byteRate/],
    ['an unknown image', images({ digests: { ordre: digest } }), /ordre is no image .* The images are: account, /],
    ['an unknown alert', rules({ StoreSlo: { enabled: false } }), /StoreSlo: there is no such alert/],
    ['a typo in an alert', rules({ StoreSlow: { treshold: 1 } }), /treshold/],
    // Malformed
    ['an invalid quantity', { kafka: { strimzi: { resources: { limits: { memory: '12XB' } } } } }, /limits\/memory/],
    ['an annotation that is not a string', { order: { podAnnotations: { a: 1 } } }, /podAnnotations\/a/],
    ['an invalid name of a Secret', { global: { jwt: { existingSecret: 'My_Secret' } } }, /existingSecret/],
    ["another service's variable", env('account', { JWT_HTTP_ONLY: true }), /account\/env|JWT_HTTP_ONLY/],
    ['a flag that is not a boolean', env('auth', { JWT_HTTP_ONLY: 'yes' }), /JWT_HTTP_ONLY/],
    ['the database of the administrator', { order: { database: 'postgres' } }, /order[\s\S]*\/database/],
    ['an image without a name', { order: { image: '' } }, /image/],
    ['a secret without a name', { auth: { secrets: { JWT_SECRET_KEY: { secret: '', key: 'x' } } } }, /secret/],
    ['brokers without a port', { global: { kafka: { bootstrapServers: 'kafka' } } }, /bootstrapServers/],
    ['a collector without http', tracing({ endpoint: 'collector:4318' }), /tracing\/endpoint/],
    ['a collector with the path', tracing({ endpoint: 'http://c:4318/v1/traces' }), /tracing\/endpoint/],
    ['a share above 100 %', tracing({ samplingPercent: 101 }), /samplingPercent/],
    ['a port that is none', external({ ports: [70000] }), /ports/],
    ['a limit of no bytes', { kafka: { topics: { retentionBytes: 0 } } }, /retentionBytes/],
    ['an objective without a budget', { monitoring: { objectives: { availability: 100 } } }, /availability/],
    ['one between buckets', { monitoring: { objectives: { confirmation: { seconds: 20 } } } }, /confirmation\/seconds/],
    ['writers of another role', writers('role:operator'), /product\/env\/PRODUCT_WRITERS/],
    ['writers that are no account ids', writers('admin'), /product\/env\/PRODUCT_WRITERS/],
    ['everybody beside an account', writers(`everybody,${account}`), /product\/env\/PRODUCT_WRITERS/],
    ['half a digest', images({ digests: { order: 'sha256:0123' } }), /digests/],
    ['a host with a port', gateway({ ingress: { enabled: true, hosts: ['store.example.com:443'] } }), /hosts\/0/],
    ['a range without a mask', gateway({ service: { loadBalancerSourceRanges: ['203.0.113.1'] } }), /SourceRanges\/0/],
    // Derived from others
    ['EXTRA_PORTS', env('status', { EXTRA_PORTS: 8000 }), /EXTRA_PORTS follows from status.extraPorts: set that/],
    [
      'a group as a variable',
      env('invoice', { CONSUMER_GROUP: 'x' }),
      /CONSUMER_GROUP follows from invoice.kafka.group/,
    ],
    ...['DATABASE_URL', 'LOG_LEVEL', 'JWT_SECRET_KEY'].map((name): [string, object, RegExp] => [
      `${name}, which the chart sets, in extraEnv`,
      { auth: { extraEnv: [{ name, value: 'x' }] } },
      new RegExp(`auth.extraEnv: ${name} is set by the chart already`),
    ]),
    ...['app.kubernetes.io/name', 'helm.sh/chart', 'calls/postgres', 'strimzi.io/cluster', 'grafana_dashboard'].map(
      (name): [string, object, RegExp] => [
        `${name} as a common label`,
        { global: { commonLabels: { [name]: 'x' } } },
        new RegExp(`global.commonLabels: ${name} says something else already`),
      ],
    ),
    // Contradictory
    [
      'a minimum above the maximum',
      { order: { autoscaling: { enabled: true, minReplicas: 9 } } },
      /is above maxReplicas/,
    ],
    ['lag of what consumes nothing', { product: { autoscaling } }, /product consumes nothing/],
    ['lag without a Prometheus', { global: { prometheus: '' }, invoice: { autoscaling } }, /needs global.prometheus/],
    [
      'more replicas than partitions',
      {
        global: { prometheus: 'http://prometheus:9090' },
        invoice: { autoscaling: { ...autoscaling, maxReplicas: 7 } },
      },
      /maxReplicas is 7, but only 6 can consume/,
    ],
    ['no database', { postgres: { enabled: false } }, /externalDatabase.existingSecret names no Secret/],
    ['a CA without an external database', external({ caSecret: 'ca' }), /caSecret is set, but .* names no Secret/],
    ['two databases', external({ existingSecret: 'urls' }), /set postgres.enabled=false/],
    ['* with credentials', gateway({ cors: { allowedOrigins: ['*'] } }), /or set cors.allowedCredentials to false/],
    ['topics that cannot be written', { kafka: { topics: { minInsyncReplicas: 2 } } }, /nothing could be written/],
    [
      'more replicas than brokers',
      { ...strimzi({}), kafka: { strimzi: { enabled: true }, topics: { replicas: 3 } } },
      /only 1 brokers/,
    ],
    [
      'a login at the port without TLS',
      {
        global: { kafka: { login: true, bootstrapServers: 'store-kafka-bootstrap:9092' } },
        kafka: { strimzi: { enabled: true } },
      },
      /store-kafka-bootstrap:9093/,
    ],
    ['Strimzi without its address', { kafka: { strimzi: { enabled: true } } }, /set it to store-kafka-bootstrap:9092/],
    ['a login at the Kafka of the release', { global: { kafka: { login: true } } }, /knows no users/],
    ['replicas in the Kafka of the release', { kafka: { topics: { replicas: 3 } } }, /has only 1 broker/],
    [
      'a metadata version above that of Kafka',
      strimzi({ version: '4.3.1', metadataVersion: '4.4-IV0' }),
      /4.4-IV0, which Kafka 4.3.1 does not know: raise kafka.strimzi.version first/,
    ],
    [
      'quotas without users',
      strimzi({ quotas: { producerByteRate: 1024 } }),
      /without global.kafka.login there are none/,
    ],
    [
      'another tag beside a digest',
      images({ digests: { order: digest }, tags: { order: '4f1c9a' } }),
      /has the tag 4f1c9a for order, but its digest/,
    ],
    [
      'another tag of all',
      images({ digests: { order: digest }, tag: '9.9.9' }),
      /has the tag 9.9.9 for order, but its digest/,
    ],
    ['a threshold of an alert that has none', rules({ StoreLagUnknown: { threshold: 1 } }), /this alert has none/],
    [
      'a bucket without keys',
      { postgres: { backup: { enabled: true, s3: { endpoint: 'https://s3.test', bucket: 'b' } } } },
      /existingSecret names no Secret with access-key-id and secret-access-key/,
    ],
    // At the gateway
    ['TLS in two places, with an Ingress', gateway({ tls, ingress }), /what is in front sends plain HTTP/],
    ['TLS in two places, with an HTTPRoute', gateway({ tls, httpRoute }), /what is in front sends plain HTTP/],
    ['an Ingress without hosts', gateway({ ingress: { enabled: true } }), /gateway.ingress.hosts is empty/],
    ['an HTTPRoute of no Gateway', gateway({ httpRoute: { enabled: true } }), /gateway.httpRoute.parentRefs is empty/],
    [
      'a certificate without a Secret',
      gateway({ tls: { certificate, issuer: { selfSigned: {} } } }),
      /existingSecret does not name the Secret/,
    ],
    [
      'a certificate without an issuer',
      gateway({ tls: { ...tls, certificate } }),
      /gateway.tls.certificate has no issuer/,
    ],
    [
      'TLS to a gateway that has none',
      gateway({
        httpRoute: { ...httpRoute, backendTls: { hostname: 'store.example.com', wellKnownCACertificates: 'System' } },
      }),
      /backendTls is set, but gateway.tls.existingSecret names no Secret/,
    ],
    [
      'a policy without a route',
      gateway({
        envoyGateway: { securityPolicy: {}, clientTrafficPolicy: { connection: { connectionLimit: { value: 1 } } } },
      }),
      /gateway.httpRoute.enabled is false/,
    ],
  ])('%s', async (_, values, message) => {
    await expect(manifests(values)).rejects.toThrow(message);
  });

  it.each(
    ['order', 'gateway', 'postgres'].flatMap((name): [string, string, object][] => [
      [name, 'runAsuser', { podSecurityContext: { runAsuser: true } }],
      [name, 'readonlyRootFilesystem', { securityContext: { readonlyRootFilesystem: true } }],
      [name, 'vale', { extraEnv: [{ name: 'A', vale: 'x' }] }],
    ]),
  )('a typo in what adds to the pod of %s: %s', async (name, typo, values) => {
    await expect(manifests({ [name]: values })).rejects.toThrow(typo);
  });
});

interface Schema {
  required?: string[];
  properties?: Record<string, Schema>;
}

describe('the schemas', () => {
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
});
