import type { Job } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { Gauge, register } from 'prom-client';
import type { createOrderRecordRepository } from './order-record-repository.ts';

/** An order that is PENDING for longer is stuck, both for the console and the alert StoreOrdersStuck. */
export const stuckAfterSeconds = 60;

/** Registered only by processes that count stuck orders. The worker must not report 0. */
const stuckOrders = new Gauge({
  name: 'orders_stuck',
  help: `Orders that are PENDING for longer than ${stuckAfterSeconds} s, counted up to 10,000.`,
  registers: [],
});

type Records = Pick<ReturnType<typeof createOrderRecordRepository>, 'stuck'>;

export const placedBefore = (clock: () => Date, seconds: number) => new Date(clock().getTime() - seconds * 1_000);

/** Counts stuck orders. The last count stays while the database does not answer, so that no alert ends early. */
export function countStuckOrders(records: Records, clock: () => Date): Job {
  register.registerMetric(stuckOrders);
  return loop({ name: 'stuck orders', everyMs: 15_000 }, async () => {
    const { total } = await records.stuck(placedBefore(clock, stuckAfterSeconds), { size: 1 });
    stuckOrders.set(total);
  });
}
