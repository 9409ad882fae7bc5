import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { template } from '../../../tools/chart/helm.ts';
import { imagesFile, objectsIn } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { filesBelow } from '../../docs/_documents.ts';
import { read } from '../../kit/read.ts';
import { type Edit, withEdited } from '../_edited-chart.ts';
import { manifests } from '../_manifests.ts';

// Answers of a cluster, because of which the chart refuses values or prints notes; `helm template` omits notes. The tests render a copy
// of the chart in which these answers replace the lookups.

const renderEdited = (edits: Record<string, Edit>, values: object = {}) =>
  withEdited(edits, (chart) => template(chart, [imagesFile], values));

/** Makes every lookup find an object if its kind is in the list, and nothing otherwise. */
const answering =
  (kinds: string[]): Edit =>
  (text) =>
    text.replaceAll(/\(lookup "[^"]+" "(\w+)" [^)]*\)/g, (_, kind) => String(kinds.includes(kind)));

/** Makes every lookup find a Secret with these values. */
const holding =
  (data: Record<string, string>): Edit =>
  (text) => {
    const items = Object.entries(data).map(([key, value]) => `"${key}" "${btoa(value)}"`);
    const found = `dict "data" (dict ${items.join(' ')})`;
    return text.replaceAll(/lookup "\S+" "\S+" \S+ (?:"[^"]+"|[^\s()]+)/g, found);
  };
const finding = (...keys: string[]) => holding(Object.fromEntries(keys.map((key) => [key, 'x'])));

async function notes(values: object, kinds: string[] = []): Promise<string> {
  const text = answering(kinds)(read('charts/store/templates/NOTES.txt'));
  const configMap = 'kind: ConfigMap\nmetadata: { name: notes }\ndata: { notes: {{ include "notes" . | toJson }} }\n';
  const asTemplate = () => `${configMap}{{- define "notes" }}${text}{{ end }}`;
  const all = objectsIn(await renderEdited({ 'templates/notes.yaml': asTemplate }, values));
  return all.find(({ metadata }) => metadata.name === 'notes').data.notes;
}

const callers = ['auth', 'order', 'operator', 'notification', 'inventory'];
const strimziAddress = { global: { kafka: { bootstrapServers: 'store-kafka-bootstrap:9092' } } };
const tls = { existingSecret: 'store-tls' };
const ingress = { enabled: true, hosts: ['store.example.com'], tlsSecret: 'store-tls' };
const httpRoute = {
  enabled: true,
  parentRefs: [{ name: 'public', namespace: 'gateways' }],
  hostnames: ['store.example.com'],
};

const databaseCa = { existingSecret: 'store-databases', caSecret: 'store-database-ca' };
const byOperator = (enabled: boolean) => ({
  postgres: { enabled: false },
  global: { externalDatabase: databaseCa },
  database: { cloudnativePg: { enabled: true, backup: { enabled } } },
});

describe('the notes', () => {
  const gateway = (values: object) => ({ gateway: values });
  const kafkaAt = (bootstrapServers: string, kafka = {}) => ({ global: { kafka: { bootstrapServers } }, kafka });
  const missing = 'KAFKA IS MISSING: there is no Service store-kafka-bootstrap in the namespace store';
  const nodePort = { type: 'NodePort', httpsNodePort: 30443 };

  const noKafka = /^(?![\s\S]*KAFKA)/;
  const development = ['is dev, and without HTTPS the token cookie is not Secure.', 'KAFKA IS FOR DEVELOPMENT'];
  const byRoute = 'store.example.com, by the Gateway public: kubectl -n store describe httproute';
  const noWarning = /^(?![\s\S]*NO BACKUP)/;
  const ofOthers = { postgres: { enabled: false }, global: { externalDatabase: { existingSecret: 'urls' } } };
  const anyNode = { type: 'NodePort', externalTrafficPolicy: 'Cluster' };
  const ofSomeNodes = 'of each node with a gateway (externalTrafficPolicy: Local); with kind-config.yaml';
  const isCreated = kafkaAt('store-kafka-bootstrap:9092', { strimzi: { enabled: true } });
  it.each<[string, object, string[], ...(string | RegExp)[]]>([
    ['no values', {}, [], 'port-forward service/gateway 8080:8080    # http://localhost:8080', ...development],
    ['an Ingress with TLS', gateway({ ingress }), [], 'https://store.example.com', 'global.profile is dev.'],
    ['an Ingress without TLS', gateway({ ingress: { ...ingress, tlsSecret: '' } }), [], 'http://store.example.com'],
    ['an HTTPRoute', gateway({ httpRoute }), [], byRoute, 'global.profile is dev.'],
    ['a node port with TLS', gateway({ tls, service: nodePort }), [], 'https, port 30443 of each node with a gateway'],
    ['TLS', gateway({ tls }), [], 'service/gateway 8443:443    # https://localhost:8443', 'global.profile is dev.'],
    ['the PROXY protocol', gateway({ proxyProtocol: true }), [], 'port-forward service/gateway-inside 8080:8080 '],
    [
      'TLS with the PROXY protocol',
      gateway({ proxyProtocol: true, tls }),
      [],
      'port-forward service/gateway-inside 8443:443 ',
    ],
    ['a proxy that hides addresses', gateway({ ingress, trustedHops: 0 }), [], 'ALL CUSTOMERS SHARE ONE ADDRESS'],
    ['a proxy that forwards addresses', gateway({ ingress }), [], /^(?![\s\S]*ALL CUSTOMERS SHARE ONE ADDRESS)/],
    ['a cluster without the named Kafka', strimziAddress, ['ServiceAccount'], missing],
    ['a cluster with the named Kafka', strimziAddress, ['ServiceAccount', 'Service'], noKafka],
    ['a render without a cluster', strimziAddress, [], noKafka],
    ['a Kafka in another namespace', kafkaAt('store-kafka-bootstrap.kafka.svc:9092'), ['ServiceAccount'], noKafka],
    ['a Kafka that Strimzi is about to create', isCreated, ['ServiceAccount'], noKafka],
    ['disabled dumps', {}, [], 'THERE IS NO BACKUP of the databases: set postgres.backup.enabled'],
    ['enabled dumps', { postgres: { backup: { enabled: true } } }, [], noWarning],
    ['a PostgreSQL of your own', ofOthers, [], noWarning],
    [
      'CloudNativePG without an archive',
      byOperator(false),
      [],
      'THERE IS NO BACKUP of the databases, and no archive of',
    ],
    ['CloudNativePG with an archive', byOperator(true), [], noWarning],
    ['a node port, local to nodes with a gateway', gateway({ service: { type: 'NodePort' } }), [], ofSomeNodes],
    ['a node port, of all nodes', gateway({ service: anyNode }), [], 'of every node; with kind-config.yaml'],
    ['unknown global values', { global: { interal: {} } }, [], 'global.interal is not a value of the store'],
  ])('describe %s', async (_, values, kinds, ...expected) => {
    const text = await notes(values, kinds);
    for (const one of expected)
      expect(text).toEqual(typeof one === 'string' ? expect.stringContaining(one) : expect.stringMatching(one));
    if (Object.keys(values).length === 0) expect(text).not.toContain('is not a value of the store');
  });
});

describe('the chart refuses', () => {
  const internal = { global: { internal: { existingSecret: 'callers' } } };
  const helpers = 'templates/_helpers.tpl';
  const checks = (kinds: string[], isUpgrade = false) => ({
    'templates/checks.yaml': (text: string) =>
      answering(kinds)(text).replaceAll('.Release.IsUpgrade', String(isUpgrade)),
  });

  const withoutKey = (secret: string, key: string) => `the Secret ${secret} has no ${key}, or an empty one.`;
  const route = 'charts/gateway/templates/httproute.yaml';
  const credentialsWithout = (one: string) => ({ [helpers]: finding(...callers.filter((other) => other !== one)) });
  const ofVersion010 = 'set global.kafka.bootstrapServers=store-kafka-bootstrap:9092 to keep it';

  it.each<[string, Record<string, Edit>, object]>([
    ...['auth', 'order', 'notification', 'operator'].map((missing): [string, Record<string, Edit>, object] => [
      `global.internal.existingSecret: ${withoutKey('callers', missing)}`,
      credentialsWithout(missing),
      internal,
    ]),
    [
      `gateway.tls.existingSecret: ${withoutKey('store-tls', 'tls.key')}`,
      { [helpers]: finding('tls.crt') },
      { gateway: { tls } },
    ],
    [
      "does not know the resources of CloudNativePG's Barman Cloud plugin: install the plugin first",
      checks(['ServiceAccount']),
      byOperator(true),
    ],
    ['install the Gateway API', { [route]: answering(['ServiceAccount']) }, { gateway: { httpRoute } }],
    [
      'install its operator first',
      checks(['ServiceAccount']),
      { ...strimziAddress, kafka: { strimzi: { enabled: true } } },
    ],
    [ofVersion010, checks(['Service'], true), {}],
  ])("because of the cluster's answer: %s", async (message, edits, values) => {
    await expect(renderEdited(edits, values)).rejects.toThrow(message);
  });

  it.each([
    ['an upgrade that names a Kafka', ['Service'], strimziAddress, true],
    ['an upgrade from a release with its own Kafka', ['Service', 'StatefulSet'], {}, true],
    ['an install beside a Kafka', ['Service'], {}, false],
  ])('none of these without its own Kafka: %s', async (_, kinds, values, isUpgrade) => {
    expect(await renderEdited(checks(kinds, isUpgrade), values)).toContain('kind: Deployment');
  });

  it('an external database at a port that NetworkPolicies would forbid, without revealing its password', async () => {
    const urls = topology.databases.map((name) => [name, `postgresql://${name}:hidden@[fd00::1]:6432/${name}`]);
    const secret = holding(Object.fromEntries(urls));
    const render = (more: object) => {
      const externalDatabase = { existingSecret: 'elsewhere', ...more };
      const values = { postgres: { enabled: false }, global: { externalDatabase } };
      return renderEdited({ 'templates/checks.yaml': secret, [helpers]: secret }, values);
    };
    const refusal = await render({}).catch(({ message }) => message);
    expect(refusal).toContain(
      'global.externalDatabase.ports lacks 6432, the port that the Secret elsewhere has for the database',
    );
    expect(refusal).not.toContain('hidden');
    expect(await render({ ports: [6432] })).toContain('kind: Deployment');
  });

  it('an autoscaler by CPU whose name an object of KEDA still has, because KEDA would delete it', async () => {
    const found = { metadata: { ownerReferences: [{ kind: 'ScaledObject' }] } };
    const edit = (text: string) =>
      text.replaceAll(
        /lookup "autoscaling\/v2" \S+ \S+ \S+(?= }})/g,
        `fromJson ${JSON.stringify(JSON.stringify(found))}`,
      );
    const render = (autoscaling: object) =>
      renderEdited({ 'templates/checks.yaml': edit }, { gateway: { autoscaling } });
    await expect(render({ enabled: true })).rejects.toThrow('Upgrade once with gateway.autoscaling.enabled=false');
    expect(await render({ enabled: false })).toContain('kind: Deployment');
  });

  it('to start pods without their credential', async () => {
    const references: { optional?: boolean }[] = [];
    JSON.stringify((await manifests(internal)).all, (_key, value) => {
      if (value?.name === 'callers') references.push(value);
      return value;
    });
    expect(references.length).toBeGreaterThan(5);
    expect(references.filter(({ optional }) => optional !== undefined)).toEqual([]);
  });
});

describe("the cluster's answers", () => {
  const helm = { manager: 'helm', operation: 'Apply' };
  const helm3 = { manager: 'helm', operation: 'Update' };
  const scaler = { manager: 'kube-controller-manager', operation: 'Update', subresource: 'scale' };
  it.each([
    ['set by Helm', [helm], 4],
    ['alone that an autoscaler has set since, to avoid a conflict', [helm, scaler], undefined],
    ['set by both, because Helm 3 would remove an omitted field', [helm3, scaler], 4],
  ])('keep the replicas of an autoscaled Deployment %s', async (_, managedFields, expected) => {
    const deployment = { metadata: { managedFields }, spec: { replicas: 4 } };
    const found = `fromJson ${JSON.stringify(JSON.stringify(deployment))}`;
    const edit = (text: string) => text.replaceAll(/lookup "apps\/v1" "Deployment" \S+ [^\s)}]+/g, found);
    const values = { invoice: { autoscaling: { enabled: true } } };
    const objects = objectsIn(await renderEdited({ 'templates/_component.tpl': edit }, values));
    const invoice = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'invoice');
    expect(invoice.spec.replicas).toBe(expected);
  });

  it('change only the notes and the replicas under an autoscaler; otherwise the chart only refuses', async () => {
    const folder = join(root, 'charts/store/');
    const templates = filesBelow('charts/store').filter((file) => /\/templates\//.test(file));
    const texts = await Promise.all(templates.map((file) => readFile(file, 'utf8')));
    const paths = templates.map((file) => file.slice(folder.length));
    const asking = paths.filter(
      (path, index) => /\blookup "/.test(texts[index] ?? '') && path !== 'templates/NOTES.txt',
    );
    expect(asking.length).toBeGreaterThan(2);
    const edits = (...keys: string[]) => Object.fromEntries(asking.map((path) => [path, finding(...keys)]));
    const values = { global: { jwt: { existingSecret: 'keys' }, internal: { existingSecret: 'callers' } } };
    expect(await renderEdited(edits(...callers, 'JWT_PRIVATE_KEY'), values)).toBe(await renderEdited({}, values));
    await expect(renderEdited(edits(...callers), values)).rejects.toThrow('the Secret keys has neither');
  });
});
