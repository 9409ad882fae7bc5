import type { Job } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { Gauge, register } from 'prom-client';
import type { RefundRepository } from './refund-repository.ts';

/** Registered only by processes that count, so that no other service reports 0. */
const openDisputes = new Gauge({
  name: 'payment_disputes_open',
  help: 'Disputes that are not decided yet.',
  registers: [],
});

/** Counts open disputes. The last count stays while the database does not answer, so that no alert ends early. */
export function countDisputes({ countOpenDisputes }: Pick<RefundRepository, 'countOpenDisputes'>): Job {
  register.registerMetric(openDisputes);
  return loop({ name: 'open disputes', everyMs: 15_000 }, async () => openDisputes.set(await countOpenDisputes()));
}
