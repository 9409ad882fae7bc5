import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { template } from '../../../tools/chart/helm.ts';
import { imagesFile, objectsIn } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { filesBelow } from '../../docs/_documents.ts';
import { type Edit, withEdited } from '../_edited-chart.ts';
import { manifests } from '../_manifests.ts';

// Answers of a cluster, which make the chart refuse or note something; `helm template` leaves notes out. A copy of the chart is
// rendered, in which the answers take the places of the questions.

const renderEdited = (edits: Record<string, Edit>, values: object = {}) =>
  withEdited(edits, (chart) => template(chart, [imagesFile], values));

/** Has every lookup find an object if its kind is among these, and nothing otherwise. */
const answering =
  (kinds: string[]): Edit =>
  (text) =>
    text.replaceAll(/\(lookup "[^"]+" "(\w+)" [^)]*\)/g, (_, kind) => String(kinds.includes(kind)));

/** Has every lookup find a Secret with these keys. */
const finding =
  (...keys: string[]): Edit =>
  (text) =>
    text.replaceAll(
      /lookup "\S+" "\S+" \S+ (?:"[^"]+"|[^\s()]+)/g,
      `dict "data" (dict ${keys.map((key) => `"${key}" "eA=="`).join(' ')})`,
    );

async function notes(values: object, kinds: string[] = []): Promise<string> {
  const text = answering(kinds)(await readFile(join(root, 'charts/store/templates/NOTES.txt'), 'utf8'));
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

describe('the notes', () => {
  const gateway = (values: object) => ({ gateway: values });
  const kafkaAt = (bootstrapServers: string, kafka = {}) => ({ global: { kafka: { bootstrapServers } }, kafka });
  const missing = 'KAFKA IS MISSING: there is no Service store-kafka-bootstrap in the namespace store';
  const nodePort = { type: 'NodePort', httpsNodePort: 30443 };

  it.each<[string, object, string[], ...(string | RegExp)[]]>([
    ['none of these', {}, [], 'port-forward service/gateway 8080:8080    # http://localhost:8080'],
    ['an Ingress with TLS', gateway({ ingress }), [], 'https://store.example.com', 'global.profile is dev.'],
    ['an Ingress without', gateway({ ingress: { ...ingress, tlsSecret: '' } }), [], 'http://store.example.com'],
    [
      'an HTTPRoute',
      gateway({ httpRoute }),
      [],
      'store.example.com, by the Gateway public: kubectl -n store describe httproute',
      'global.profile is dev.',
    ],
    ['a node port with TLS', gateway({ tls, service: nodePort }), [], 'https, port 30443 of every node'],
    ['TLS', gateway({ tls }), [], 'service/gateway 8443:443    # https://localhost:8443', 'global.profile is dev.'],
    ['no HTTPS', {}, [], 'is dev, and without HTTPS the token cookie is not Secure.'],
    [
      'a proxy that hides addresses',
      gateway({ ingress: { ...ingress }, trustedHops: 0 }),
      [],
      'ALL CUSTOMERS HAVE ONE ADDRESS',
    ],
    ['a proxy that does not', gateway({ ingress }), [], /^(?![\s\S]*ALL CUSTOMERS HAVE ONE ADDRESS)/],
    ['the Kafka of the release', {}, [], 'KAFKA IS FOR DEVELOPMENT', /^(?![\s\S]*is no value of the store)/],
    ['a cluster without the Kafka that is named', strimziAddress, ['ServiceAccount'], missing],
    ['a cluster with it', strimziAddress, ['ServiceAccount', 'Service'], /^(?![\s\S]*KAFKA)/],
    ['no cluster that could be asked', strimziAddress, [], /^(?![\s\S]*KAFKA)/],
    [
      'a Kafka in another namespace',
      kafkaAt('store-kafka-bootstrap.kafka.svc:9092'),
      ['ServiceAccount'],
      /^(?![\s\S]*KAFKA)/,
    ],
    [
      'a Kafka that Strimzi is about to create',
      kafkaAt('store-kafka-bootstrap:9092', { strimzi: { enabled: true } }),
      ['ServiceAccount'],
      /^(?![\s\S]*KAFKA)/,
    ],
    ['global values of others', { global: { interal: {} } }, [], 'global.interal is no value of the store'],
  ])('say what there is to say of %s', async (_, values, kinds, ...expected) => {
    const text = await notes(values, kinds);
    for (const one of expected)
      expect(text).toEqual(typeof one === 'string' ? expect.stringContaining(one) : expect.stringMatching(one));
  });
});

describe('the chart refuses', () => {
  const internal = { global: { internal: { existingSecret: 'callers' } } };
  const helpers = 'templates/_helpers.tpl';
  const checks = (kinds: string[], isUpgrade = false) => ({
    'templates/checks.yaml': (text: string) =>
      answering(kinds)(text).replaceAll('.Release.IsUpgrade', String(isUpgrade)),
  });

  it.each<[string, Record<string, Edit>, object, string]>([
    ...['auth', 'order', 'notification', 'operator'].map((missing): [string, Record<string, Edit>, object, string] => [
      `credentials without ${missing}`,
      { [helpers]: finding(...callers.filter((one) => one !== missing)) },
      internal,
      `global.internal.existingSecret: the Secret callers has no ${missing}, or an empty one.`,
    ]),
    [
      'a certificate without its key',
      { [helpers]: finding('tls.crt') },
      { gateway: { tls } },
      'gateway.tls.existingSecret: the Secret store-tls has no tls.key, or an empty one.',
    ],
    [
      'an HTTPRoute where the cluster does not know the Gateway API',
      { 'charts/gateway/templates/httproute.yaml': answering(['ServiceAccount']) },
      { gateway: { httpRoute } },
      'install the Gateway API',
    ],
    [
      'Strimzi without its operator',
      checks(['ServiceAccount']),
      { ...strimziAddress, kafka: { strimzi: { enabled: true } } },
      'install its operator first',
    ],
    [
      'an upgrade that would leave the Kafka of version 0.1.0',
      checks(['Service'], true),
      {},
      'set global.kafka.bootstrapServers=store-kafka-bootstrap:9092 to go on with it',
    ],
  ])('%s', async (_, edits, values, message) => {
    await expect(renderEdited(edits, values)).rejects.toThrow(message);
  });

  it.each([
    ['an upgrade that names it', ['Service'], strimziAddress, true],
    ['an upgrade from a release that brought its own', ['Service', 'StatefulSet'], {}, true],
    ['an install beside it', ['Service'], {}, false],
  ])('no Kafka of its own: %s', async (_, kinds, values, isUpgrade) => {
    expect(await renderEdited(checks(kinds, isUpgrade), values)).toContain('kind: Deployment');
  });

  it('pods whose credential is missing do not start', async () => {
    const refs = JSON.stringify((await manifests(internal)).all).match(/\{"name":"callers","key":"[^}]*\}/g) ?? [];
    expect(refs.length).toBeGreaterThan(5);
    expect(refs.filter((ref) => ref.includes('optional'))).toEqual([]);
  });
});

describe('what the cluster answers', () => {
  it('changes nothing but the notes and the replicas under an autoscaler, it only refuses', async () => {
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
