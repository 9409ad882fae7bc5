import { topology } from '../../../tools/topology/topology.ts';
import { read } from '../../kit/read.ts';
import { type Manifest, type Manifests, manifests } from '../_manifests.ts';

// The settings of services for a Kafka outside the release. kafka-users.test.ts tests their logins.

const at = (kafka: object, values: object = {}) =>
  manifests({ global: { kafka: { bootstrapServers: 'kafka.example.com:9094', caSecret: '', ...kafka } }, ...values });
const variables = ({ envOf }: Manifests, name: string) =>
  Object.fromEntries(
    envOf(name)
      .filter((one) => one.name.startsWith('KAFKA_'))
      .map((one) => [one.name, one.value]),
  );
const secretsOf = ({ podOf }: Manifests, name: string) => {
  const volume = (podOf(name).volumes ?? []).find((one: { name: string }) => one.name === 'kafka');
  return volume?.projected.sources.map(({ secret }: { secret: { name: string; items: { key: string }[] } }) => [
    secret.name,
    ...secret.items.map(({ key }) => key),
  ]);
};
const address = { KAFKA_BROKERS: 'kafka.example.com:9094' };
const password = { KAFKA_PASSWORD: 'file:///var/run/kafka/password' };

describe('a Kafka of your own', () => {
  it('accepts a login by PLAIN with one common user, or with a user and Secret for each service', async () => {
    const own = { invoice: { kafka: { username: 'billing', secret: 'billing-login' } } };
    const rendered = await at({ login: true, mechanism: 'plain', username: 'store', secret: 'kafka-login' }, own);
    const login = { ...address, ...password, KAFKA_TLS: 'true', KAFKA_LOGIN: 'plain' };
    expect(variables(rendered, 'orderworker')).toEqual({ ...login, KAFKA_USERNAME: 'store' });
    expect(secretsOf(rendered, 'payment')).toEqual([['kafka-login', 'password']]);
    expect(variables(rendered, 'invoice')).toEqual({ ...login, KAFKA_USERNAME: 'billing' });
    expect(secretsOf(rendered, 'invoice')).toEqual([['billing-login', 'password']]);
  });

  it('accepts a login without TLS if a value says so', async () => {
    const rendered = await at({ login: true, mechanism: 'scram-sha-256', tls: false, caSecret: 'ca' });
    const login = { ...password, KAFKA_LOGIN: 'scram-sha-256', KAFKA_USERNAME: 'kafka-payment' };
    expect(variables(rendered, 'payment')).toEqual({ ...address, ...login });
    expect(secretsOf(rendered, 'payment')).toEqual([['kafka-payment', 'password']]);
  });

  it('accepts tokens, and services may reach the token server', async () => {
    const token = { url: 'https://sso.example.com:8443/token', scope: 'kafka' };
    const rendered = await at({ login: true, mechanism: 'oauthbearer', token });
    expect(variables(rendered, 'payment')).toMatchObject({
      KAFKA_LOGIN: 'oauthbearer',
      KAFKA_TOKEN_URL: token.url,
      KAFKA_TOKEN_SCOPE: 'kafka',
    });
    expect(rendered.named('NetworkPolicy', 'payment').spec.egress).toContainEqual({ ports: [{ port: 8443 }] });
  });

  it('accepts client certificates', async () => {
    const rendered = await at({ tls: true, clientCertificate: true, caSecret: 'ca' });
    expect(variables(rendered, 'payment')).toEqual({
      ...address,
      KAFKA_TLS: 'true',
      KAFKA_CA: 'file:///var/run/kafka/ca.crt',
      KAFKA_CERTIFICATE: 'file:///var/run/kafka/tls.crt',
      KAFKA_KEY: 'file:///var/run/kafka/tls.key',
    });
    expect(secretsOf(rendered, 'payment')).toEqual([
      ['kafka-payment', 'tls.crt', 'tls.key'],
      ['ca', 'ca.crt'],
    ]);
  });

  it('has TLS without a login, also for the Job that creates topics', async () => {
    const rendered = await at({ tls: true, caSecret: 'ca' });
    const expected = { ...address, KAFKA_TLS: 'true', KAFKA_CA: 'file:///var/run/kafka/ca.crt' };
    expect(variables(rendered, 'payment')).toEqual(expected);
    const { containers, volumes } = rendered.pods().get('Job/store-topics').spec;
    for (const name of ['KAFKA_TLS', 'KAFKA_CA'] as const)
      expect(containers[0].env).toContainEqual({ name, value: expected[name] });
    const ofKafka = ({ name }: { name: string }) => name === 'kafka';
    expect(volumes).toEqual(rendered.podOf('payment').volumes?.filter(ofKafka));
  });

  it.each([
    [{ clientCertificate: true }, /certificates need TLS/],
    [{ login: true, mechanism: 'oauthbearer' }, /token.url is empty: set it/],
    [{ login: true, mechanism: 'gssapi' }, /mechanism/],
    [{ tls: true, bootstrapServers: '' }, /has no TLS: name another/],
  ])('is refused with %j', async (kafka, message) => {
    await expect(at(kafka)).rejects.toThrow(message);
  });

  it('cannot be the Kafka of Strimzi', async () => {
    const kafka = { bootstrapServers: 'store-kafka-bootstrap:9093', login: true, mechanism: 'plain' };
    await expect(at(kafka, { kafka: { strimzi: { enabled: true } } })).rejects.toThrow(/scram-sha-512 over TLS/);
  });
});

describe('docs/kafka.md', () => {
  const code = (names: string[]) => names.map((name) => `\`${name}\``).join(', ') || '-';
  const strimzi = () => {
    const kafka = { bootstrapServers: 'store-kafka-bootstrap:9093', login: true };
    return manifests({ global: { kafka }, kafka: { strimzi: { enabled: true } } });
  };

  it('lists the topics that the chart creates', async () => {
    const topics = (await strimzi()).ofKind('KafkaTopic').map(({ metadata, spec: { partitions, config } }) => {
      return `| \`${metadata.name}\` | ${partitions} | ${config['retention.ms']} | \`${config['compression.type']}\` |`;
    });
    const listed = read('docs/kafka.md').match(/^\| `[a-z-]*events[a-z-]*` \|.*$/gm);
    expect(listed?.toSorted()).toEqual(topics.sort());
  });

  it('lists the rights that the chart gives to each service', async () => {
    const users = (await strimzi()).ofKind('KafkaUser');
    const members = topology.services.filter(({ usesKafka }) => usesKafka);
    for (const { alias } of members) {
      const user = users.find(({ metadata }) => metadata.name === `kafka-${alias}`);
      const { acls } = user.spec.authorization;
      const of = (type: string, operation: string) =>
        acls
          .filter((acl: Manifest) => acl.resource.type === type && acl.operations.includes(operation))
          .map(({ resource }: Manifest) => `${resource.name}${resource.patternType ? '*' : ''}`);
      const cells = [of('topic', 'Read'), of('topic', 'Write'), of('group', 'Read')].map(code);
      expect(read('docs/kafka.md')).toContain(`| \`${alias}\` | ${cells.join(' | ')} |`);
    }
  });
});
