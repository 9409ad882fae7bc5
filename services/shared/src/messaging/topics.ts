/** contract 6.2 */
export const orderEventsTopic = 'order-events';
/** contract 6.9 */
export const accountEventsTopic = 'account-events';
/** contract 6.7 */
export const deadLetterTopic = 'order-events-dlq';

interface TopicOptions {
  partitions: number;
  replicas: number;
  minInsyncReplicas: number;
  retentionMs: number;
  /** Limit of each partition; -1 for none. */
  retentionBytes: number;
}

export const storeTopics = ({ partitions, replicas, minInsyncReplicas, retentionMs, retentionBytes }: TopicOptions) =>
  [orderEventsTopic, accountEventsTopic, deadLetterTopic].map((topic) => ({
    topic,
    numPartitions: partitions,
    replicationFactor: replicas,
    configEntries: [
      { name: 'min.insync.replicas', value: String(minInsyncReplicas) },
      // Every consumer can read it, even in a previous release, and the broker refuses messages that are too large when decompressed.
      { name: 'compression.type', value: 'uncompressed' },
      // Dead letters wait for an operator, so they never expire.
      { name: 'retention.ms', value: String(topic === deadLetterTopic ? -1 : retentionMs) },
      { name: 'retention.bytes', value: String(topic === deadLetterTopic ? -1 : retentionBytes) },
    ],
  }));
