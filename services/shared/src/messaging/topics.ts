import { deadLetterTopic } from './dead-letters/dead-letters.ts';
import { orderEventsTopic } from './events.ts';

export interface TopicOptions {
  partitions: number;
  replicas: number;
  minInsyncReplicas: number;
  retentionMs: number;
}

/** decisions 5: the topics of the store, as kafkajs takes them. */
export const storeTopics = ({ partitions, replicas, minInsyncReplicas, retentionMs }: TopicOptions) =>
  [orderEventsTopic, deadLetterTopic].map((topic) => ({
    topic,
    numPartitions: partitions,
    replicationFactor: replicas,
    configEntries: [
      { name: 'min.insync.replicas', value: String(minInsyncReplicas) },
      // A dead letter waits for a person.
      { name: 'retention.ms', value: String(topic === deadLetterTopic ? -1 : retentionMs) },
    ],
  }));
