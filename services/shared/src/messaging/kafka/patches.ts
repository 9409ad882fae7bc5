import { createRequire } from 'node:module';
import type { Batch } from 'kafkajs';
import { decodeMessages, undecodableOf } from './record-batches.ts';

// Changes inside kafkajs 2.2.4 that no option offers. Upstream no longer merges fixes, so each patch names the issue that must be
// closed before it can go. Without a patch, a test fails: patches.test.ts, or broker.test.ts, compressed.test.ts or poison.test.ts
// of services/consumers (decisions/0017).
const require = createRequire(import.meta.url);

// Issues 1704 and 1751: kafkajs polls for pending requests every millisecond, forever, which costs an idle process 4 % of a core.
const { prototype: queue } = require('kafkajs/src/network/requestQueue/index.js');
const poll = queue.scheduleCheckPendingRequests;
queue.scheduleCheckPendingRequests = function (this: { pending: unknown[] }) {
  if (this.pending.length > 0) poll.call(this);
};

// Issue 1141: kafkajs decompresses only gzip, to any size, and a batch that it cannot decode ends the consumer of all partitions.
// Issue 1121: for each header it copies all headers of the message; 20,000 block the event loop for 90 seconds.
// The modules that decode answers are loaded with the first answer, and then import this function.
const decodeMessagesPath = require.resolve('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js');
require(decodeMessagesPath);
(require.cache[decodeMessagesPath] as NodeJS.Module).exports = decodeMessages;

/** Short while a partition is paused, so that its next fetch begins soon after it is resumed. */
const fetchWaitMsWhilePaused = 500;

/** The part of kafkajs's consumer that is changed here. */
interface Runner {
  running: boolean;
  handleBatch(batch: Batch): Promise<void>;
  processEachBatch(batch: Batch): Promise<void>;
  consumerGroup: { maxWaitTime: number; paused(): unknown[] };
  fetch(nodeId: number): Promise<unknown[]>;
  stop(): Promise<void>;
  maxWaitMs?: number;
  /** Functions that each end a fetch in flight. */
  ends?: Set<(batches: unknown[]) => void>;
}

// Issue 1596 and pull request 1655: if there are no messages, a broker may keep a fetch for seconds, which is cheapest for an idle
// process. In kafkajs two things would wait for its end. A resumed partition: so fetches are short while a partition is paused. A
// stopping consumer: so it abandons the fetch in flight, of which nothing is committed.
const { prototype: runner }: { prototype: Runner } = require('kafkajs/src/consumer/runner.js');
const { fetch, stop, handleBatch } = runner;
runner.fetch = async function (nodeId) {
  const { consumerGroup } = this;
  this.maxWaitMs ??= consumerGroup.maxWaitTime;
  const isAnyPaused = consumerGroup.paused().length > 0;
  consumerGroup.maxWaitTime = isAnyPaused ? Math.min(this.maxWaitMs, fetchWaitMsWhilePaused) : this.maxWaitMs;
  this.ends ??= new Set();
  const { ends } = this;
  return new Promise((end, fail) => {
    ends.add(end);
    fetch
      .call(this, nodeId)
      .then(end, fail)
      .finally(() => ends.delete(end));
  });
};
runner.stop = function () {
  const stopped = stop.call(this);
  for (const end of this.ends ?? []) end([]);
  return stopped;
};

// kafkajs does not call `eachBatch` for a batch without messages. It must if the first message cannot be decoded.
runner.handleBatch = async function (batch) {
  const isUndecodable = this.running && batch.isEmpty() && undecodableOf(batch) !== undefined;
  return isUndecodable ? this.processEachBatch(batch) : handleBatch.call(this, batch);
};

// Issue 1303 and pull request 1798: if one broker accepts its part of a send and another does not, kafkajs retries without the first.
// If the first broker has become the leader of the other's partitions, their messages are never sent, yet the send succeeds. So a failed
// request fails the whole send, and the sender sends everything again.
const { prototype: broker } = require('kafkajs/src/broker/index.js');
const { produce } = broker;
broker.produce = async function (request: unknown) {
  try {
    return await produce.call(this, request);
  } catch (error) {
    throw Object.assign(error as Error, { retriable: false });
  }
};
