import { DomainError } from '@store/shared/values/errors';
import type { OrderRecordRepository } from './order-record-repository.ts';

export type OrderRecords = ReturnType<typeof createOrderRecords>;

/** For operators and services, who see those of every customer. */
export function createOrderRecords(repository: OrderRecordRepository, clock: () => Date) {
  return {
    async get(orderId: string) {
      const record = await repository.find(orderId);
      if (record === undefined) throw new DomainError('notFound', `There is no order ${orderId}.`);
      return record;
    },
    /** Those that are PENDING for longer than so many seconds, the oldest first. */
    stuck: (seconds: number, size: number, after: string | undefined) =>
      repository.stuck(new Date(clock().getTime() - seconds * 1_000), size, after),
    demandsOf: repository.demandsOf,
    latestOf: (accountId: string) => repository.latestOf(accountId),
  };
}
