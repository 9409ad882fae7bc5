import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, createServer } from 'node:tls';
import { execa } from 'execa';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import kafkajs from 'kafkajs'; // Node cannot import its enumerations by name
import { z } from 'zod';
import { brokerConfig, brokersFrom, requireLogin } from '../../../services/shared/src/messaging/config.ts';
import {
  deadLetterHeaders,
  readDeadLetters,
} from '../../../services/shared/src/messaging/dead-letters/dead-letters.ts';
import { createKafka } from '../../../services/shared/src/messaging/kafka/client.ts';
import { createPublisher } from '../../../services/shared/src/messaging/kafka/publisher.ts';
import {
  accountEventsTopic,
  deadLetterTopic,
  orderEventsTopic,
  storeTopics,
} from '../../../services/shared/src/messaging/topics.ts';
import { createLog } from '../../../services/shared/src/observability/log.ts';
import { renderObjects, valuesFiles, named as withName } from '../../../tools/chart/render.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { type Certificate, certificateFor, certificateFrom } from '../../kit/certificates.ts';
import { useFolder } from '../../kit/folder.ts';
import { listen } from '../../kit/listen.ts';
import { read } from '../../kit/read.ts';
import { until } from '../../kit/until.ts';
import { otherPassword, startKafkaWithUsers } from './_kafka-with-users.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

// The users and rights that the production values request from Strimzi, applied to a real broker, are sufficient and no more.

interface KafkaUser {
  metadata: { name: string };
  spec: {
    authorization: {
      acls: {
        resource: { type: 'topic' | 'group' | 'cluster'; name?: string; patternType?: 'prefix' };
        operations: ('Read' | 'Write' | 'Describe' | 'All')[];
      }[];
    };
  };
}

const log = createLog('test', 'silent');
const passwords: Record<string, string> = {};
let users: KafkaUser[];
let tools: { data: Record<string, string> };
const authority = await certificateFor('authority');
const { privateKey, publicKey } = await generateKeyPair('RS256');
const tokenKey = { ...(await exportJWK(publicKey)), kid: 'token', alg: 'RS256', use: 'sig' };
let kafka: Awaited<ReturnType<typeof startKafkaWithUsers>>;

beforeAll(async () => {
  const manifests = await renderObjects({ toolbox: { enabled: true, kafkaCommands: true } }, valuesFiles.prod);
  users = manifests.filter(({ kind }) => kind === 'KafkaUser');
  tools = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'toolbox');
  for (const { metadata } of users) passwords[metadata.name] = randomUUID();
  kafka = await startKafkaWithUsers(dir, passwords, authority.cert, JSON.stringify({ keys: [tokenKey] }));
  const options = { partitions: 2, replicas: 1, minInsyncReplicas: 1, retentionMs: 1_000_000, retentionBytes: -1 };
  await kafka.admin.createTopics({ topics: storeTopics(options), waitForLeaders: true });
  await kafka.admin.createAcls({ acl: users.flatMap(aclsOf) });
});

afterAll(() => kafka?.stop());
const dir = useFolder();

function aclsOf({ metadata, spec }: KafkaUser) {
  return spec.authorization.acls.flatMap(({ resource, operations }) =>
    operations.map((operation) => ({
      principal: `User:${metadata.name}`,
      host: '*',
      permissionType: AclPermissionTypes.ALLOW,
      resourceType: AclResourceTypes[resource.type.toUpperCase() as 'TOPIC' | 'GROUP' | 'CLUSTER'],
      resourceName: resource.name ?? 'kafka-cluster',
      resourcePatternType: resource.patternType ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
      operation: AclOperationTypes[operation.toUpperCase() as 'READ' | 'WRITE' | 'DESCRIBE' | 'ALL'],
    })),
  );
}

/** The Kafka options of a service with that user. */
const optionsOf = (user: string, password = passwords[user], ca = kafka.ca, brokers = kafka.brokers) => ({
  ...brokersFrom(
    z.object(brokerConfig).parse({
      KAFKA_BROKERS: brokers.join(),
      KAFKA_TLS: 'true',
      KAFKA_CA: ca,
      KAFKA_USERNAME: user,
      KAFKA_PASSWORD: password,
    }),
  ),
  clientId: user,
  log,
});

/** The Kafka commands in the documents, which run through the toolbox's script. */
function documented(): string[] {
  const files = ['backup.md', 'kubernetes.md', 'scaling.md', 'runbooks/kafka.md'];
  const texts = files.map((file) => read(`docs/${file}`));
  const commands =
    /kafka\.sh(?:`\]\([^)]*\)\s+`)? ?((?:topics|consumer-groups|leader-election|metadata-quorum) [^`\n]+)/g;
  return [...texts.join('\n').matchAll(commands)].map(([, command = '']) => command);
}

/** A TLS proxy in front of the broker, whose certificate can be changed. */
async function startTlsProxy({ key, cert }: Certificate, broker: string) {
  const [host = '', port] = broker.split(':');
  const server = createServer({ key, cert }, (client) => {
    const upstream = connect({ host, port: Number(port), rejectUnauthorized: false });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => [client, upstream].map((one) => one.destroy()));
  });
  return {
    address: `127.0.0.1:${await listen(server)}`,
    show: (next: Certificate) => server.setSecureContext(next),
    close: () => server.close(),
  };
}

const basic = Buffer.from('other:s%3Acret').toString('base64');
const credentials = { credentials: `Basic ${basic}`, body: 'grant_type=client_credentials&scope=kafka' };

/** A server that issues tokens of the user `other`. */
async function startTokenServer() {
  const asked: { credentials: string | undefined; body: string }[] = [];
  const server = createHttpServer(async (request: IncomingMessage, response) => {
    asked.push({ credentials: request.headers.authorization, body: await text(request) });
    const token = new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: 'token' })
      .setSubject('other')
      .setAudience('kafka');
    const access_token = await token.setIssuedAt().setExpirationTime('60s').sign(privateKey);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 1 }));
  });
  const url = `http://127.0.0.1:${await listen(server)}/token/`;
  return { url, asked, close: () => server.close() };
}

/** Writes the files of the toolbox and of its Secrets into the folder, adapted to the paths of this machine. */
async function writeToolbox({ data }: typeof tools, secrets: Record<string, string>): Promise<void> {
  const inDir = (text: string) => text.replaceAll('/tools', dir).replaceAll('/var/run/kafka', dir);
  const here = (text: string) =>
    inDir(text).replace('exec java', `exec ${kafka.java}`).replace('/opt/kafka/libs/*', kafka.libs);
  for (const [name, text] of Object.entries(data)) await writeFile(join(dir, name), here(String(text)));
  for (const [name, text] of Object.entries(secrets)) await writeFile(join(dir, name), text);
}

async function write(user: string, topic: string) {
  const publisher = createPublisher(optionsOf(user));
  await publisher.send(topic, [{ key: randomUUID(), value: '{}', headers: {} }]).finally(publisher.close);
}

/** Resolves with the first message; rejects if the broker refuses the user. */
async function consume(user: string, groupId: string) {
  const consumer = createKafka(optionsOf(user)).consumer({ groupId, maxWaitTimeInMs: 100 });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic: orderEventsTopic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      // The client itself retries a call to a coordinator that is still loading.
      consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || reject(payload.error));
      consumer.run({ eachMessage: async () => resolve() }).catch(() => undefined);
    });
  } finally {
    await consumer.disconnect();
  }
}

describe('the users of Kafka', () => {
  it('every service that consumes or publishes has a user', () => {
    const members = topology.services.filter(({ usesKafka }) => usesKafka);
    expect(users.map(({ metadata }) => metadata.name).sort()).toEqual(
      ['kafka-operator', ...members.map(({ alias }) => `kafka-${alias}`)].sort(),
    );
  });

  const ofSaga = [orderEventsTopic, deadLetterTopic];
  it.each([
    ['kafka-orderworker', ofSaga],
    ['kafka-inventory', ofSaga],
    ['kafka-payment', ofSaga],
    ['kafka-invoice', ofSaga],
    ['kafka-account', [accountEventsTopic]],
    ...topology.services
      .filter(({ image, alias }) => image === 'consumers' && alias !== 'invoice')
      .map(({ alias }): [string, string[]] => [`kafka-${alias}`, [deadLetterTopic]]),
  ])('%s publishes only to %j', async (user, allowed) => {
    for (const topic of [accountEventsTopic, orderEventsTopic, deadLetterTopic]) {
      const written = write(user, topic);
      if (allowed.includes(topic)) await written;
      else await expect(written).rejects.toThrow(/not authorized/i);
    }
  });

  it('a user reads only in its own group', async () => {
    await write('kafka-payment', orderEventsTopic);
    await consume('kafka-payment', 'payment-group');
    await consume('kafka-invoice', 'invoice-group');
    await expect(consume('kafka-invoice', 'payment-group')).rejects.toThrow(/not authorized/i);
  });

  it('a user may read dead letters', async () => {
    const publisher = createPublisher(optionsOf('kafka-payment'));
    const origin = { topic: orderEventsTopic, partition: 0, offset: '0' };
    const headers = deadLetterHeaders('payment-group', 3, new Error('broken'), origin);
    await publisher.send(deadLetterTopic, [{ key: 'order', value: '{}', headers }]).finally(publisher.close);

    const groups: string[] = [];
    await readDeadLetters(optionsOf('kafka-invoice'), ({ group }) => void groups.push(group));
    expect(groups).toContain('payment-group');
  });

  it('a user may query the age of events', async () => {
    const admin = createKafka(optionsOf('kafka-invoice')).admin();
    await admin.connect();
    const offsets = await admin.fetchTopicOffsetsByTimestamp(orderEventsTopic, 0).finally(admin.disconnect);
    expect(offsets).toHaveLength(2);
  });

  it('the broker refuses a wrong password, and a client an unknown authority', async () => {
    const connect = (options: ReturnType<typeof optionsOf>) => createKafka(options).admin().connect();
    await expect(connect(optionsOf('kafka-payment', 'wrong'))).rejects.toThrow(/authentication failed/i);
    await expect(connect({ ...optionsOf('kafka-payment'), tls: {} })).rejects.toThrow(/self-signed/);
  });

  it('an operator can run the documented commands in the toolbox', async () => {
    await writeToolbox(tools, { password: passwords['kafka-operator'] ?? '', 'ca.crt': kafka.ca });
    const records = JSON.stringify({ version: 1, partitions: [{ topic: orderEventsTopic, partition: 0, offset: 0 }] });
    const env = { KAFKA_BROKERS: kafka.brokers.join(), SCRIPT: join(dir, 'kafka.sh') };
    const options = { env: { ...env, RECORDS: records }, all: true, reject: false } as const;
    const deletion = 'delete-records --offset-json-file /dev/stdin'; // as in runbooks/store.md
    const commands = ['topics --list', 'log-dirs --describe', 'reassign-partitions --list', deletion, ...documented()];
    expect(commands.length).toBeGreaterThan(6);
    for (const command of commands) {
      const line = `printf '%s' "$RECORDS" | sh "$SCRIPT" ${command}`;
      const { exitCode, all } = await execa('sh', ['-c', line], options);
      expect([command, exitCode, all]).toEqual([
        command,
        0,
        expect.not.stringMatching(/not authorized|Error|Exception|WARN/),
      ]);
    }
  }, 300_000); // each command is a JVM

  it('a client without login may do everything while both listeners exist', async () => {
    const publisher = createPublisher({ brokers: kafka.openBrokers, clientId: 'old', log });
    await publisher.send(orderEventsTopic, [{ key: randomUUID(), value: '{}', headers: {} }]).finally(publisher.close);
  });

  it('a process follows changes of its files: to a new password, and to a new authority of the brokers', async () => {
    const [password, ca] = [join(dir, 'password'), join(dir, 'ca.crt')];
    const [old, renewed] = [await certificateFor('127.0.0.1'), await certificateFor('renewed', '127.0.0.1')];
    const brokers = await startTlsProxy(old, kafka.brokers[0] ?? '');
    try {
      await writeFile(password, 'expired');
      await writeFile(ca, old.cert);
      const options = optionsOf('kafka-payment', `file://${password}`, `file://${ca}`, [brokers.address]);
      const connect = async () => {
        const admin = client.admin();
        await admin.connect().finally(() => admin.disconnect());
      };
      const client = createKafka(options);
      await expect(connect()).rejects.toThrow(/authentication failed/i);
      await writeFile(password, passwords['kafka-payment'] ?? '');
      await connect();
      brokers.show(renewed);
      await expect(connect()).rejects.toThrow(/self-signed/);
      await writeFile(ca, `${old.cert}\n${renewed.cert}`);
      await connect();
    } finally {
      brokers.close();
    }
  });
});

describe('another Kafka', () => {
  const settingsOf = (env: Record<string, string>) => ({
    ...brokersFrom(requireLogin(z.object(brokerConfig)).parse(env)),
    clientId: 'other',
    log,
  });
  const send = async (options: ReturnType<typeof settingsOf>) => {
    const publisher = createPublisher(options);
    await publisher.send(orderEventsTopic, [{ key: 'a', value: '{}', headers: {} }]).finally(publisher.close);
  };
  const asOther = (login: string, password = otherPassword) => ({
    KAFKA_BROKERS: kafka.loginBrokers.join(),
    KAFKA_LOGIN: login,
    KAFKA_USERNAME: 'other',
    KAFKA_PASSWORD: password,
  });

  it.each(['plain', 'scram-sha-256'])('accepts a login by %s', async (login) => {
    await send(settingsOf(asOther(login)));
    await expect(send(settingsOf(asOther(login, 'wrong')))).rejects.toThrow(/authentication failed/i);
  });

  it('accepts a certificate instead of a login', async () => {
    const { key, cert } = await certificateFrom(authority, 'other');
    const tls = { KAFKA_BROKERS: kafka.mutualBrokers.join(), KAFKA_TLS: 'true', KAFKA_CA: kafka.ca };
    await send(settingsOf({ ...tls, KAFKA_CERTIFICATE: cert, KAFKA_KEY: key }));
    await expect(send(settingsOf(tls))).rejects.toThrow();
  });

  it('accepts tokens of an authorization server, which the client renews while a connection stays open', async () => {
    // The session lasts twelve seconds. kafkajs logs in again ten seconds before the broker would end it.
    const { url, asked, close } = await startTokenServer();
    const oauth = { ...asOther('oauthbearer', 's:cret'), KAFKA_TOKEN_URL: url, KAFKA_TOKEN_SCOPE: 'kafka' };
    const publisher = createPublisher(settingsOf(oauth));
    try {
      await until('the token was renewed twice', async () => {
        await publisher.send(orderEventsTopic, [{ key: 'a', value: '{}', headers: {} }]);
        return asked.length >= 3;
      });
      for (const one of asked) expect(one).toEqual(credentials);
    } finally {
      await publisher.close();
      close();
    }
  });

  /** Lists the topics with the toolbox of a chart with these values. */
  async function listTopics(kafkaValues: object, brokers: string[], secrets: Record<string, string>) {
    const bootstrapServers = 'kafka.example.com:9094';
    const values = {
      toolbox: { enabled: true, kafkaCommands: true },
      global: { kafka: { bootstrapServers, ...kafkaValues } },
    };
    const rendered = await renderObjects(values);
    await writeToolbox(withName(rendered, 'ConfigMap', 'toolbox'), secrets);
    const { containers } = withName(rendered, 'Deployment', 'toolbox').spec.template.spec;
    const given = containers[1].env.map(({ name, value }: { name: string; value: string }) => [name, value]);
    const env = { ...Object.fromEntries(given), KAFKA_BROKERS: brokers.join() };
    const { all } = await execa('sh', [join(dir, 'kafka.sh'), 'topics', '--list'], { env, all: true, reject: false });
    return all;
  }

  it.each(['plain', 'scram-sha-256'])("accepts the toolbox's login by %s, as the common user", async (mechanism) => {
    const login = { login: true, tls: false, mechanism, username: 'other', secret: 'kafka-login', caSecret: '' };
    expect(await listTopics(login, kafka.loginBrokers, { password: otherPassword })).toContain(orderEventsTopic);
  });

  it("accepts the toolbox's certificate", async () => {
    const { key, cert } = await certificateFrom(authority, 'other');
    const mutual = { tls: true, clientCertificate: true, caSecret: 'ca' };
    const files = { 'tls.key': key, 'tls.crt': cert, 'ca.crt': kafka.ca };
    expect(await listTopics(mutual, kafka.mutualBrokers, files)).toContain(orderEventsTopic);
  });

  it("accepts the toolbox's token, which it requests as services do", async () => {
    const { url, asked, close } = await startTokenServer();
    const token = { url, scope: 'kafka' };
    const login = { login: true, tls: false, mechanism: 'oauthbearer', username: 'other', caSecret: '', token };
    try {
      expect(await listTopics(login, kafka.loginBrokers, { password: 's:cret' })).toContain(orderEventsTopic);
      expect(asked[0]).toEqual(credentials);
    } finally {
      close();
    }
  });
});
