import { Counter, Gauge, register } from 'prom-client';

/** Registered only when a relay starts: a service without an outbox must not look as if its relay were missing. */
const registers: [] = [];

const published = new Counter({
  name: 'outbox_published_total',
  help: 'Events that the broker has acknowledged.',
  registers,
});
const isActive = new Gauge({
  name: 'outbox_relay_active',
  help: '1 while this process publishes the outbox.',
  registers,
});

let oldestUnsent: Date | undefined;
const oldestUnsentSeconds = new Gauge({
  name: 'outbox_oldest_unsent_seconds',
  help: 'How long the oldest event has waited to be published; 0 if none waits, and in processes that do not publish.',
  registers,
  // Computed at the scrape, not at the relay's last read: the relay may be stuck.
  collect() {
    this.set(oldestUnsent === undefined ? 0 : Math.max(0, (Date.now() - oldestUnsent.getTime()) / 1000));
  },
});

export const relayMetrics = {
  published,
  setActive: (active: boolean): void => isActive.set(active ? 1 : 0),
  /** @param writtenAt when the oldest event that this relay has read but not yet published was written; undefined if there is none */
  setOldestUnsent(writtenAt: Date | undefined): void {
    oldestUnsent = writtenAt;
  },
  export(): void {
    for (const metric of [published, isActive, oldestUnsentSeconds]) register.registerMetric(metric);
  },
};
