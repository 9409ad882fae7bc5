import { Document, parse } from 'yaml';
import { read } from '../kit/read.ts';
import { manifests } from './_manifests.ts';

type Row = [words: string, values: Record<string, unknown>];

/** Renders the chart with values whose keys are paths. */
function render(values: Record<string, unknown>) {
  const document = new Document({});
  for (const [path, value] of Object.entries(values)) document.setIn(path.split('.'), value);
  return manifests(document.toJS());
}

/** Values that the schemas refuse, by path. For lists, the refusal names the key in the value. */
const mistakes: Record<string, unknown> = {
  // Misspelt
  oder: {},
  'gateway.resources.request': {},
  'gateway.tls.existingSecrets': 'x',
  'gateway.prot': 8080,
  'gateway.external.stripPrefx': true,
  'gateway.upstreams.auth.hots': 'a',
  'order.resources.requests.cpi': 1,
  'order.replcas': 2,
  'status.tolerations': [{ efect: 'NoSchedule' }],
  'global.networkPolicy.kafkaAt': [{ ipblock: {} }],
  'global.jwt.existingSecrt': 'x',
  'auth.env.JWT_HTTP_OLNY': true,
  'monitoring.enable': true,
  'monitoring.alerts.rules.StoreSlow.treshold': 1,
  'kafka.imge': 'x',
  'kafka.strimzi.quotas.byteRate': 1,
  // Malformed
  'kafka.strimzi.resources.limits.memory': '12XB',
  'kafka.topics.retentionBytes': 0,
  'global.prometheusAuthentication.modes': 'password',
  'order.podAnnotations.a': 1,
  'order.database': 'postgres',
  'order.image': '',
  'account.env.COOKIE_SECURE': true,
  'auth.env.JWT_HTTP_ONLY': 'yes',
  'auth.secrets.JWT_SECRET_KEY.secret': '',
  'product.env.PRODUCT_WRITERS': 'role:operator',
  'global.jwt.existingSecret': 'My_Secret',
  'global.kafka.bootstrapServers': 'kafka',
  'global.tracing.endpoint': 'http://collector:4318/v1/traces',
  'global.tracing.samplingPercent': 101,
  'global.externalDatabase.ports': [70000],
  'global.image.digests.order': 'sha256:0123',
  'monitoring.objectives.availability': 100,
  'monitoring.objectives.confirmation.seconds': 20,
  'gateway.ingress.hosts': ['store.example.com:443'],
  'gateway.service.loadBalancerSourceRanges': ['203.0.113.1'],
  'gateway.open': [7],
  'gateway.port': '8080',
  'gateway.auth.call': 'sovle',
  'gateway.compressed': ['/products/**'],
  'gateway.external.url': 'ftp://x',
};
// Values that add to a pod. Each component has its own schema.
for (const name of ['order', 'gateway', 'postgres']) {
  mistakes[`${name}.podSecurityContext.${name}User`] = true;
  mistakes[`${name}.securityContext.${name}Filesystem`] = true;
  mistakes[`${name}.extraEnv`] = [{ name: 'A', [`${name}Value`]: 'x' }];
}

describe('values that the schemas refuse', () => {
  let refusal: string;
  beforeAll(async () => {
    refusal = await render(mistakes).then(JSON.stringify, ({ message }) => message);
  });

  it.each(Object.entries(mistakes))('%s: %j', (path, value) => {
    const [component, ...keys] = path.split('.');
    const item = Array.isArray(value) ? value[0] : {};
    const misspelt = typeof item === 'object' ? (Object.keys(item).at(-1) ?? keys.at(-1)) : 0;
    // A subchart does not name itself.
    const place = `at '[^']*/${keys.join('/') || component}${misspelt === 0 ? '/0' : ''}': (?!validation)`;
    expect(refusal).toMatch(new RegExp(`(properties|propertyName) '${misspelt}'|${place}`));
  });
});

const account = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
const digest = `sha256:${'b'.repeat(64)}`;
const prometheus = 'http://prometheus.monitoring:9090';
const strimzi = { 'global.kafka.bootstrapServers': 'store-kafka-bootstrap:9092', 'kafka.strimzi.enabled': true };
const ingress = { enabled: true, hosts: ['store.example.com'], tlsSecret: 'store-tls' };
const httpRoute = { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }] };
const backendTls = { hostname: 'store.example.com', wellKnownCACertificates: 'System' };
const certificate = { dnsNames: ['store.example.com'] };
const clientTrafficPolicy = { connection: { connectionLimit: { value: 1 } } };

describe('values that the chart refuses with a message', () => {
  it.each<Row>([
    ['oder is not a component of the store: check the name. A new service needs', { 'oder.image': 'order' }],
    ['ordre is not an image of the store. The images are: account, ', { 'global.image.digests.ordre': digest }],
    ['StoreSlo: there is no such alert', alertRule('StoreSlo', { enabled: false })],
    ['/tracing/endpoint', { 'global.tracing.endpoint': 'collector:4318' }],
    ['/env/PRODUCT_WRITERS', { 'product.env.PRODUCT_WRITERS': 'admin' }],
    ['/env/PRODUCT_WRITERS', { 'product.env.PRODUCT_WRITERS': `everybody,${account}` }],
    ['order.calls.PRODUCT_URL is prodct/x, which is not a service', { 'order.calls.PRODUCT_URL': 'prodct/x' }],
    // Derived from other values
    ['EXTRA_PORTS follows from status.extraPorts: set that', { 'status.env.EXTRA_PORTS': 8000 }],
    ['CONSUMER_GROUP follows from invoice.kafka.group', { 'invoice.env.CONSUMER_GROUP': 'x' }],
    ...['DATABASE_URL', 'LOG_LEVEL', 'JWT_SECRET_KEY'].map(
      (name): Row => [`auth.extraEnv: the chart already sets ${name}`, { 'auth.extraEnv': [{ name, value: 'x' }] }],
    ),
    ...['app.kubernetes.io/name', 'helm.sh/chart', 'calls/postgres', 'strimzi.io/cluster', 'grafana_dashboard'].map(
      (name): Row => [
        `global.commonLabels: the chart or an operator already uses ${name}`,
        { 'global.commonLabels': { [name]: 'x' } },
      ],
    ),
    ...['nameOverride', 'fullnameOverride'].map((name): Row => ['its own namespace', { [name]: 'shop' }]),
    // Contradictory
    [
      'toolbox.kafkaCommands is true, but kafka.strimzi.operatorUser, whose user the commands need, is false',
      {
        'global.kafka': { bootstrapServers: 'store-kafka-bootstrap:9093', login: true },
        'kafka.strimzi': { enabled: true, operatorUser: false },
        toolbox: { enabled: true, kafkaCommands: true },
      },
    ],
    ['product.env.PRODUCT_WRITERS and auth.env.PRODUCT_WRITERS differ', { 'product.env.PRODUCT_WRITERS': 'everybody' }],
    ['auth.env.PRODUCT_WRITERS differ: set both to the same value', { 'auth.env.PRODUCT_WRITERS': 'role:catalogue' }],
    [
      'without mails customers cannot confirm their address',
      { 'global.profile': 'prod', 'order.env.EMAIL_CONFIRMATION': 'required' },
    ],
    [
      'payment.secrets.STRIPE_WEBHOOK_SECRET names no Secret',
      {
        'payment.env.PAYMENT_PROVIDER': 'stripe',
        'payment.secrets': { STRIPE_SECRET_KEY: { secret: 'store-stripe', key: 'secretKey' } },
      },
    ],
    [
      'orders without a token would be accepted',
      {
        'payment.env.PAYMENT_PROVIDER': 'stripe',
        'payment.secrets': {
          STRIPE_SECRET_KEY: { secret: 'store-stripe', key: 'secretKey' },
          STRIPE_WEBHOOK_SECRET: { secret: 'store-stripe', key: 'webhookSecret' },
        },
      },
    ],
    [
      'gateway.open lacks POST /payments/events',
      {
        'order.env.PAYMENT_TOKEN_REQUIRED': true,
        'payment.env.PAYMENT_PROVIDER': 'stripe',
        'payment.secrets': {
          STRIPE_SECRET_KEY: { secret: 'store-stripe', key: 'secretKey' },
          STRIPE_WEBHOOK_SECRET: { secret: 'store-stripe', key: 'webhookSecret' },
        },
      },
    ],
    ['sends no callbacks: remove it', { 'gateway.open': ['POST /auth/login', 'POST /payments/events'] }],
    ['is above maxReplicas', { 'order.autoscaling': { enabled: true, minReplicas: 9 } }],
    ['product has no consumer group', { 'product.autoscaling': { enabled: true, lag: 100 } }],
    ['needs global.prometheus', { 'global.prometheus': '', 'invoice.autoscaling': { enabled: true, lag: 100 } }],
    [
      'KEDA calls it from another namespace',
      { 'global.prometheus': 'http://prometheus:9090', 'invoice.autoscaling': { enabled: true, lag: 100 } },
    ],
    [
      'modes is set, but ref names no TriggerAuthentication',
      {
        'global.prometheus': prometheus,
        'global.prometheusAuthentication.modes': 'bearer',
        'invoice.autoscaling': { enabled: true, lag: 100 },
      },
    ],
    // Twelve services, two of which have six replicas, each with one more during an upgrade
    [
      'postgres.settings.max_connections is 550, but all replicas of the services, with one more of each during an upgrade, need 588',
      { 'order.autoscaling.enabled': true, 'auth.autoscaling.enabled': true },
    ],
    [
      'postgres.settings.max_connections is 417, but all replicas of the services, with one more of each during an upgrade, need 418: 17 per replica, and 10 for others. Raise it, with the memory of PostgreSQL (postgres.resources), lower',
      { 'postgres.settings.max_connections': '417' },
    ],
    [
      'maxReplicas is 7, but only 6 replicas can consume',
      { 'global.prometheus': prometheus, 'invoice.autoscaling': { enabled: true, lag: 100, maxReplicas: 7 } },
    ],
    ['externalDatabase.existingSecret names no Secret', { 'postgres.enabled': false }],
    ['externalDatabase.caSecret is set, but', { 'global.externalDatabase.caSecret': 'ca' }],
    ['set postgres.enabled=false', { 'global.externalDatabase.existingSecret': 'urls' }],
    ['nothing could be written', { 'kafka.topics.minInsyncReplicas': 2 }],
    ['only 1 brokers', { ...strimzi, 'kafka.topics.replicas': 3 }],
    ['store-kafka-bootstrap:9093', { ...strimzi, 'global.kafka.login': true }],
    ['set it to store-kafka-bootstrap:9092', { 'kafka.strimzi.enabled': true }],
    ['has no users', { 'global.kafka.login': true }],
    ['has only 1 broker', { 'kafka.topics.replicas': 3 }],
    [
      '4.4-IV0, which Kafka 4.3.1 does not know: raise kafka.strimzi.version first',
      { ...strimzi, 'kafka.strimzi.version': '4.3.1', 'kafka.strimzi.metadataVersion': '4.4-IV0' },
    ],
    ['without global.kafka.login there are none', { ...strimzi, 'kafka.strimzi.quotas.producerByteRate': 1024 }],
    [
      'has the tag 4f1c9a for order, but its digest',
      { 'global.image': { digests: { order: digest }, tags: { order: '4f1c9a' } } },
    ],
    ['has the tag 9.9.9 for order, but its digest', { 'global.image': { digests: { order: digest }, tag: '9.9.9' } }],
    ['this alert has none', alertRule('StoreLagUnknown', { threshold: 1 })],
    [
      'existingSecret names no Secret with access-key-id and secret-access-key',
      { 'postgres.backup': { enabled: true, s3: { endpoint: 'https://s3.test', bucket: 'b' } } },
    ],
    // At the gateway
    ['the proxy in front sends plain HTTP', { 'gateway.tls.existingSecret': 'store-tls', 'gateway.ingress': ingress }],
    [
      'the proxy in front sends plain HTTP',
      { 'gateway.tls.existingSecret': 'store-tls', 'gateway.httpRoute': httpRoute },
    ],
    ['upstreams: auht is not a service', { 'gateway.upstreams': { auht: { host: 'a', port: 1 } } }],
    ['bodyKib: "/ordres" is not a prefix', { 'gateway.bodyKib': { '/ordres': 8 } }],
    ['"/productz" is refused: no route', { 'gateway.compressed': ['/productz'] }],
    ['resources.limits.memory is missing', { 'gateway.resources.limits.memory': null }],
    ['"512m" is refused', { 'gateway.resources.limits.memory': '512m' }],
    ["at '/external/url': ", { 'gateway.external.url': 'https://x/y' }],
    ['Name the origins, or set cors.allowedCredentials to false', { 'gateway.cors.allowedOrigins': ['*'] }],
    ['Name the origins', { 'gateway.cors.allowedOrigins': ['http://a', '*'] }],
    ...['http://localhost:3000/', 'https://*.shop.example', 'http://a,http://b'].map(
      (origin): Row => ["/cors/allowedOrigins/0': ", { 'gateway.cors.allowedOrigins': [origin] }],
    ),
    ['gateway.ingress.hosts is empty', { 'gateway.ingress.enabled': true }],
    ['gateway.httpRoute.parentRefs is empty', { 'gateway.httpRoute.enabled': true }],
    ['existingSecret does not name the Secret', { 'gateway.tls': { certificate, issuer: { selfSigned: {} } } }],
    ['gateway.tls.certificate has no issuer', { 'gateway.tls': { existingSecret: 'store-tls', certificate } }],
    ['backendTls is set, but gateway.tls.existingSecret', { 'gateway.httpRoute': { ...httpRoute, backendTls } }],
    ['gateway.httpRoute.enabled is false', { 'gateway.envoyGateway': { securityPolicy: {}, clientTrafficPolicy } }],
  ])('%s: %j', async (words, values) => {
    await expect(render(values)).rejects.toThrow(words);
  });
});

function alertRule(name: string, rule: object) {
  return { 'monitoring.alerts': { enabled: true, rules: { [name]: rule } } };
}

interface Schema {
  required?: string[];
  properties?: Record<string, Schema>;
}

describe('the schemas', () => {
  // Some versions of Helm 4 drop a default of null from the values of a subchart before they check them.
  it.each(['', 'charts/gateway', 'charts/kafka', 'charts/postgres', 'charts/service'])(
    'no schema of charts/store/%s requires a value that is null by default',
    (folder) => {
      const required: string[] = [];
      const walk = (values: unknown, schema: Schema | undefined, path: string): void => {
        if (typeof values !== 'object' || values === null || schema === undefined) return;
        for (const [name, value] of Object.entries(values)) {
          if (value === null && schema.required?.includes(name)) required.push(`${path}${name}`);
          walk(value, schema.properties?.[name], `${path}${name}.`);
        }
      };
      const values = parse(read(`charts/store/${folder}/values.yaml`), { merge: true });
      walk(values, JSON.parse(read(`charts/store/${folder}/values.schema.json`)), '');
      expect(required).toEqual([]);
    },
  );
});
