import { createRequire } from 'node:module';

/** A consumer within kafkajs 2.2.4, as much of it as is changed here. */
interface Runner {
  consumerGroup: { maxWaitTime: number; paused(): unknown[] };
  fetch(nodeId: number): Promise<unknown[]>;
  stop(): Promise<void>;
  longestWaitMs?: number;
  /** Each gives up a fetch in flight. */
  ends?: Set<(batches: unknown[]) => void>;
}

const { prototype }: { prototype: Runner } = createRequire(import.meta.url)('kafkajs/src/consumer/runner.js');
const { fetch, stop } = prototype;
const shortWaitMs = 500;

// While there are no messages a broker may keep a fetch for seconds, which costs an idle process least. In kafkajs two things
// would wait for its end: a partition that is resumed meanwhile, so a fetch is short while one is paused; and a consumer that
// stops, so it gives up what is in flight, of which nothing is committed.
prototype.fetch = async function (nodeId) {
  const { consumerGroup } = this;
  this.longestWaitMs ??= consumerGroup.maxWaitTime;
  const isAnyPaused = consumerGroup.paused().length > 0;
  consumerGroup.maxWaitTime = Math.min(this.longestWaitMs, isAnyPaused ? shortWaitMs : Number.POSITIVE_INFINITY);
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
prototype.stop = function () {
  const stopped = stop.call(this);
  for (const end of this.ends ?? []) end([]);
  return stopped;
};
