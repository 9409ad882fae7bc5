import { createRequire } from 'node:module';
import './patches.ts';

const require = createRequire(import.meta.url);

it('a connection without pending requests does not poll for them', () => {
  const RequestQueue = require('kafkajs/src/network/requestQueue/index.js');
  const queue = new RequestQueue({ requestTimeout: 1_000, clientId: 'test', broker: 'broker:9092', logger: {} });
  try {
    queue.scheduleCheckPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
    queue.pending.push({});
    queue.scheduleCheckPendingRequests();
    expect(queue.throttleCheckTimeoutId).not.toBeNull();
  } finally {
    queue.destroy();
  }
});

it('a send fails if one of two brokers refuses its part and the other becomes the leader of all partitions', async () => {
  const Broker = require('kafkajs/src/broker/index.js');
  const createSendMessages = require('kafkajs/src/producer/sendMessages.js');
  const createRetry = require('kafkajs/src/retry/index.js');
  const { createErrorFromCode } = require('kafkajs/src/protocol/error.js');
  const sent: number[] = [];
  type Request = { topicData: { partitions: { partition: number }[] }[] };
  const brokerWith = (nodeId: number, send: () => object) =>
    Object.assign(Object.create(Broker.prototype), {
      nodeId,
      lookupRequest: () => (request: Request) => request,
      connectionPool: {
        send: async ({ topicData }: Request) => {
          const response = send();
          sent.push(...topicData.flatMap(({ partitions }) => partitions.map(({ partition }) => Number(partition))));
          return response;
        },
      },
    });
  const notLeader = 6;
  let leaders: Record<number, number[]> = { 1: [0], 2: [1] };
  const brokers = {
    1: brokerWith(1, () => {
      throw createErrorFromCode(notLeader);
    }),
    2: brokerWith(2, () => ({ topics: [] })),
  };
  const none = () => undefined;
  const cluster = {
    addMultipleTargetTopics: none,
    refreshMetadataIfNecessary: none,
    isConnected: () => true,
    findTopicPartitionMetadata: () => [{}, {}],
    findLeaderForPartitions: () => leaders,
    findBroker: ({ nodeId }: { nodeId: 1 | 2 }) => brokers[nodeId],
    refreshMetadata: () => (leaders = { 2: [0, 1] }),
  };
  const eosManager = {
    isTransactional: () => false,
    acquireBrokerLock: none,
    releaseBrokerLock: none,
    getSequence: () => 0,
    updateSequence: none,
    getProducerId: none,
    getProducerEpoch: none,
  };
  const send = createSendMessages({
    logger: { error: none, debug: none },
    cluster,
    eosManager,
    partitioner: ({ message }: { message: { key: string } }) => Number(message.key),
    retrier: createRetry({ initialRetryTime: 1, retries: 5 }),
  });
  const messages = [{ key: '0' }, { key: '1' }];
  const outcome = send({ acks: -1, topicMessages: [{ topic: 'orders', messages }] });
  await expect(outcome).rejects.toMatchObject({ cause: { type: 'NOT_LEADER_FOR_PARTITION' } });
  expect(sent).toEqual([1]);
});
