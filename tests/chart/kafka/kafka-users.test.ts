import { randomUUID } from 'node:crypto';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { parseAllDocuments } from 'yaml';
import { brokersFrom } from '../../../services/shared/src/messaging/config.ts';
import {
  deadLetterHeaders,
  readDeadLetters,
} from '../../../services/shared/src/messaging/dead-letters/dead-letters.ts';
import { createKafka } from '../../../services/shared/src/messaging/kafkajs/client.ts';
import { createPublisher } from '../../../services/shared/src/messaging/kafkajs/publisher.ts';
import { deadLetterTopic, orderEventsTopic, storeTopics } from '../../../services/shared/src/messaging/topics.ts';
import { createLog } from '../../../services/shared/src/observability/log.ts';
import { renderChart, valuesFiles } from '../../../tools/chart/render.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { startKafkaWithUsers } from './_kafka-with-users.ts';

// The users and rights that the production values ask Strimzi for, applied to a real broker: sufficient, and no more.

interface KafkaUser {
  metadata: { name: string };
  spec: {
    authorization: {
      acls: {
        resource: { type: 'topic' | 'group'; name: string; patternType?: 'prefix' };
        operations: ('Read' | 'Write' | 'Describe')[];
      }[];
    };
  };
}

const log = createLog('test', 'silent');
const passwords: Record<string, string> = {};
let users: KafkaUser[];
let kafka: Awaited<ReturnType<typeof startKafkaWithUsers>>;

beforeAll(async () => {
  const manifests = parseAllDocuments(await renderChart(valuesFiles.prod)).map((document) => document.toJS());
  users = manifests.filter(({ kind }) => kind === 'KafkaUser');
  for (const { metadata } of users) passwords[metadata.name] = randomUUID();
  kafka = await startKafkaWithUsers(passwords);
  const options = { partitions: 2, replicas: 1, minInsyncReplicas: 1, retentionMs: 1_000_000, retentionBytes: -1 };
  await kafka.admin.createTopics({ topics: storeTopics(options), waitForLeaders: true });
  await kafka.admin.createAcls({ acl: users.flatMap(aclsOf) });
});

afterAll(() => kafka?.stop());

function aclsOf({ metadata, spec }: KafkaUser) {
  return spec.authorization.acls.flatMap(({ resource, operations }) =>
    operations.map((operation) => ({
      principal: `User:${metadata.name}`,
      host: '*',
      permissionType: AclPermissionTypes.ALLOW,
      resourceType: resource.type === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
      resourceName: resource.name,
      resourcePatternType: resource.patternType ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
      operation: AclOperationTypes[operation.toUpperCase() as 'READ' | 'WRITE' | 'DESCRIBE'],
    })),
  );
}

/** The options of a service with that user. */
const optionsOf = (user: string, password = passwords[user], ca = kafka.ca) => ({
  ...brokersFrom({
    KAFKA_BROKERS: kafka.brokers,
    KAFKA_TLS: true,
    KAFKA_CA: ca,
    KAFKA_USERNAME: user,
    KAFKA_PASSWORD: password,
  }),
  clientId: user,
  log,
});

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
      // The client itself repeats a call to a coordinator that is still loading.
      consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || reject(payload.error));
      consumer.run({ eachMessage: async () => resolve() }).catch(() => undefined);
    });
  } finally {
    await consumer.disconnect();
  }
}

it('every service that consumes has a user', () => {
  const consumers = topology.services.filter(({ group }) => group);
  expect(users.map(({ metadata }) => metadata.name).sort()).toEqual(
    consumers.map(({ alias }) => `kafka-${alias}`).sort(),
  );
});

it.each(['kafka-orderworker', 'kafka-inventory', 'kafka-payment'])(
  '%s publishes events and dead letters',
  async (user) => {
    await write(user, orderEventsTopic);
    await write(user, deadLetterTopic);
  },
);

const groupsOfConsumers = topology.services.filter(({ image }) => image === 'consumers');

it.each(groupsOfConsumers.map(({ alias }) => `kafka-${alias}`))('%s publishes dead letters only', async (user) => {
  await write(user, deadLetterTopic);
  await expect(write(user, orderEventsTopic)).rejects.toThrow(/not authorized/i);
});

it('a user reads in its own group only', async () => {
  await write('kafka-payment', orderEventsTopic);
  await consume('kafka-payment', 'payment-group');
  await consume('kafka-invoice', 'invoice-group');
  await expect(consume('kafka-invoice', 'payment-group')).rejects.toThrow(/not authorized/i);
});

it('dead letters are read', async () => {
  const client = createKafka(optionsOf('kafka-invoice'));
  const publisher = createPublisher(optionsOf('kafka-payment'));
  const origin = { topic: orderEventsTopic, partition: 0, offset: '0' };
  const headers = deadLetterHeaders('payment-group', 3, new Error('broken'), origin);
  await publisher.send(deadLetterTopic, [{ key: 'order', value: '{}', headers }]).finally(publisher.close);

  const groups: string[] = [];
  await readDeadLetters(client, ({ group }) => void groups.push(group));
  expect(groups).toContain('payment-group');
});

it('a user may ask for the age of the events', async () => {
  const admin = createKafka(optionsOf('kafka-invoice')).admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsetsByTimestamp(orderEventsTopic, 0).finally(admin.disconnect);
  expect(offsets).toHaveLength(2);
});

it('a wrong password and an unknown authority are refused', async () => {
  const connect = (options: ReturnType<typeof optionsOf>) => createKafka(options).admin().connect();
  await expect(connect(optionsOf('kafka-payment', 'wrong'))).rejects.toThrow(/authentication failed/i);
  const { tls: _, ...options } = optionsOf('kafka-payment');
  await expect(connect({ ...options, tls: true })).rejects.toThrow(/self-signed/);
});
