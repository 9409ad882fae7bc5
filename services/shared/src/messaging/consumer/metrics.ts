import { Counter, Histogram } from 'prom-client';

export const consumerMetrics = {
  handled: new Counter({
    name: 'consumer_messages_total',
    help: 'Finished messages, by result: processed, duplicate, skipped, dead.',
    labelNames: ['group', 'result'],
  }),
  retries: new Counter({
    name: 'consumer_retries_total',
    help: 'Attempts after the first.',
    labelNames: ['group'],
  }),
  decided: new Counter({
    name: 'dead_letters_decided_total',
    help: 'Dead letters decided over the internal paths, by outcome: redriven, failed, discarded.',
    labelNames: ['group', 'outcome'],
  }),
  seconds: new Histogram({
    name: 'consumer_handling_seconds',
    help: 'Time from taking a chunk of messages to its commit.',
    labelNames: ['group'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
  }),
};

/** Starts the counters at 0: a counter that appears with its first message would show no increase. */
export function initialiseMetrics(group: string): void {
  for (const result of ['processed', 'duplicate', 'skipped', 'dead']) consumerMetrics.handled.inc({ group, result }, 0);
  consumerMetrics.retries.inc({ group }, 0);
  for (const outcome of ['redriven', 'failed', 'discarded']) consumerMetrics.decided.inc({ group, outcome }, 0);
}
