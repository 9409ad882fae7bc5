import { createRequire } from 'node:module';
import type { Batch } from 'kafkajs';
import { decodeMessages, undecodableOf } from './record-batches.ts';

// Changes inside kafkajs 2.2.4 that no option reaches. Nobody upstream merges fixes any more, so each names the issue there that
// must be closed before it can go, and patches.test.ts, or broker.test.ts, compressed.test.ts or poison.test.ts of services/consumers,
// fails without it (decisions/0017).
const require = createRequire(import.meta.url);

// Issues 1704 and 1751: kafkajs polls for pending requests every millisecond, forever: 4 % of a core in an idle process.
const { prototype: queue } = require('kafkajs/src/network/requestQueue/index.js');
const poll = queue.scheduleCheckPendingRequests;
queue.scheduleCheckPendingRequests = function (this: { pending: unknown[] }) {
  if (this.pending.length > 0) poll.call(this);
};

// Issue 1121, by its fix: kafkajs copies all headers of a message for each; 20,000 block the event loop for 90 seconds.
// What is not read ends with its record.
const maxHeaders = 100;
const { prototype: decoder } = require('kafkajs/src/protocol/decoder.js');
// It reads headers and nothing else.
decoder.readVarIntArray = function (read: (from: unknown) => unknown) {
  return Array.from({ length: Math.min(this.readVarInt(), maxHeaders) }, () => read(this));
};

// Issue 1141: kafkajs decompresses gzip alone, whatever comes of it, and a batch that it cannot decode ends the consumer of all partitions.
// The modules that decode an answer are loaded with the first one, and take this function then.
const decodeMessagesPath = require.resolve('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js');
require(decodeMessagesPath);
(require.cache[decodeMessagesPath] as NodeJS.Module).exports = decodeMessages;

/** While a partition is paused, so that it is soon fetched for when it is resumed. */
const fetchWaitMsWhilePaused = 500;

/** A consumer within kafkajs, as much of it as is changed here. */
interface Runner {
  running: boolean;
  handleBatch(batch: Batch): Promise<void>;
  processEachBatch(batch: Batch): Promise<void>;
  consumerGroup: { maxWaitTime: number; paused(): unknown[] };
  fetch(nodeId: number): Promise<unknown[]>;
  stop(): Promise<void>;
  maxWaitMs?: number;
  /** Each gives up a fetch in flight. */
  ends?: Set<(batches: unknown[]) => void>;
}

// Issue 1596 and pull request 1655: while there are no messages a broker may keep a fetch for seconds, which costs an idle process least.
// In kafkajs two things would wait for its end: a partition that is resumed meanwhile, so a fetch is short while one is paused; and a
// consumer that stops, so it gives up what is in flight, of which nothing is committed.
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

// `eachBatch` does not hear of a batch without messages, unless that is because the first one cannot be decoded.
runner.handleBatch = async function (batch) {
  const isUndecodable = this.running && batch.isEmpty() && undecodableOf(batch) !== undefined;
  return isUndecodable ? this.processEachBatch(batch) : handleBatch.call(this, batch);
};

// Issue 1303 and pull request 1798: where one broker takes its part of a send and another does not, kafkajs tries again without the first.
// If that one leads the partitions of the other by then, their messages are never sent, and the send succeeds. So a failed request fails
// the send, and the sender sends everything again.
const { prototype: broker } = require('kafkajs/src/broker/index.js');
const { produce } = broker;
broker.produce = async function (request: unknown) {
  try {
    return await produce.call(this, request);
  } catch (error) {
    throw Object.assign(error as Error, { retriable: false });
  }
};
