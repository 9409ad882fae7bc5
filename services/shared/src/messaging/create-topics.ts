import { z } from 'zod';
import { createLog } from '../observability/log.ts';
import { ConfigError, readConfig } from '../values/environment.ts';
import { messageOf } from '../values/errors.ts';
import { wholeNumber } from '../values/fields.ts';
import { retry } from '../values/time.ts';
import { brokerConfig, brokersFrom, requireLogin } from './config.ts';
import { createTopics } from './kafka/admin.ts';
import { storeTopics } from './topics.ts';

// node dist/messaging/create-topics.js: creates the store's missing topics as soon as Kafka answers.

const schema = z.object({
  ...brokerConfig,
  TOPIC_PARTITIONS: wholeNumber(1, 10_000).default(6),
  TOPIC_REPLICAS: wholeNumber(1, 100).default(1),
  TOPIC_MIN_INSYNC_REPLICAS: wholeNumber(1, 100).default(1),
  TOPIC_RETENTION_MS: z.coerce.number().int().min(-1).default(604_800_000),
  TOPIC_RETENTION_BYTES: z.coerce
    .number()
    .int()
    .min(-1)
    .refine((bytes) => bytes !== 0, 'must be -1 or above 0')
    .default(-1),
});

const attempts = 130;
const retryAfterMs = 2_000;

async function createStoreTopics(config: z.output<typeof schema>): Promise<void> {
  const topics = storeTopics({
    partitions: config.TOPIC_PARTITIONS,
    replicas: config.TOPIC_REPLICAS,
    minInsyncReplicas: config.TOPIC_MIN_INSYNC_REPLICAS,
    retentionMs: config.TOPIC_RETENTION_MS,
    retentionBytes: config.TOPIC_RETENTION_BYTES,
  });
  const broker = { ...brokersFrom(config), clientId: 'create-topics', log: createLog('topics', 'silent') };
  const created = await retry(
    () => createTopics(broker, topics),
    { firstMs: retryAfterMs, maxMs: retryAfterMs },
    (error, failures) => {
      if (failures === attempts) throw error;
      console.log(`Waiting for Kafka at ${config.KAFKA_BROKERS}: ${messageOf(error)}`);
    },
  );
  console.log(`${topics.map(({ topic }) => topic).join(', ')}: ${created ? 'created' : 'already exist'}`);
}

try {
  await createStoreTopics(readConfig(requireLogin(schema), process.env));
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `Giving up: ${messageOf(error)}`);
  process.exitCode = 1;
}
