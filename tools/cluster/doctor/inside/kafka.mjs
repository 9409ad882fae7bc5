// Run in the pod of a service: the topics as they are, and how far each group has read.
import kafkajs from 'kafkajs';

const { ConfigResourceTypes, Kafka, logLevel } = kafkajs;
const topics = ['order-events', 'order-events-dlq'];
const groups = process.argv.slice(1);
const { KAFKA_BROKERS, KAFKA_TLS, KAFKA_CA, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = process.env;
const retry = { retries: 2 };
const admin = new Kafka({
  brokers: KAFKA_BROKERS.split(','),
  ...(KAFKA_TLS === 'true' && { ssl: KAFKA_CA ? { ca: KAFKA_CA } : true }),
  ...(username && { sasl: { mechanism: 'scram-sha-512', username, password } }),
  clientId: 'doctor',
  logLevel: logLevel.NOTHING,
  connectionTimeout: 3_000,
  retry,
}).admin();
await admin.connect();
const there = (await admin.listTopics()).filter((topic) => topics.includes(topic));
const described = [];
const ends = {};
for (const topic of there) {
  const {
    topics: [{ partitions }],
  } = await admin.fetchTopicMetadata({ topics: [topic] });
  // Not every user may see the settings.
  const { resources } = await admin
    .describeConfigs({
      resources: [
        { type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['retention.ms', 'min.insync.replicas'] },
      ],
      includeSynonyms: false,
    })
    .catch(() => ({ resources: [] }));
  const configEntries = resources[0]?.configEntries ?? [];
  const setting = (name) => Number(configEntries.find((entry) => entry.configName === name)?.configValue);
  const offsets = await admin.fetchTopicOffsets(topic);
  ends[topic] = offsets;
  described.push({
    topic,
    partitions: partitions.length,
    replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    leaderless: partitions.filter(({ leader }) => leader < 0).length,
    retentionMs: setting('retention.ms'),
    minInsyncReplicas: setting('min.insync.replicas'),
    messages: offsets.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0),
  });
}
const read = [];
if (there.includes('order-events')) {
  const { groups: states } = await admin.describeGroups(groups);
  for (const { groupId, members } of states) {
    const [{ partitions }] = await admin.fetchOffsets({ groupId, topics: ['order-events'] });
    const lag = ends['order-events'].reduce((sum, { partition, low, high }) => {
      const at = Number(partitions.find((one) => one.partition === partition)?.offset ?? -1);
      return sum + Number(high) - (at < 0 ? Number(low) : at);
    }, 0);
    read.push({ groupId, members: members.length, lag });
  }
}
await admin.disconnect();
console.log(JSON.stringify({ topics: described, groups: read }));
