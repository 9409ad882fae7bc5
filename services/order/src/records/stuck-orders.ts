import type { Job } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { Gauge, register } from 'prom-client';
import type { createOrderRecordRepository } from './order-record-repository.ts';

/** An order that is PENDING for longer is stuck, for the console and the alert StoreOrdersStuck alike. */
export const stuckAfterSeconds = 60;

/** Exported by those alone that count: the worker must not report that there are none. */
const stuckOrders = new Gauge({
  name: 'orders_stuck',
  help: `Orders that are PENDING for longer than ${stuckAfterSeconds} s, counted up to 10,000.`,
  registers: [],
});

type Records = Pick<ReturnType<typeof createOrderRecordRepository>, 'stuck'>;

export const placedBefore = (clock: () => Date, seconds: number) => new Date(clock().getTime() - seconds * 1_000);

/** Counts stuck orders. While the database does not answer, the last count stands, so that no alert ends early. */
export function countStuckOrders(records: Records, clock: () => Date): Job {
  register.registerMetric(stuckOrders);
  return loop({ name: 'stuck orders', everyMs: 15_000 }, async () => {
    const { total } = await records.stuck(placedBefore(clock, stuckAfterSeconds), { size: 1 });
    stuckOrders.set(total);
  });
}
