import { DomainError } from '@store/shared/values/errors';
import type { OrderRecordRepository } from './order-record-repository.ts';

export type OrderRecords = ReturnType<typeof createOrderRecords>;

/** For operators and services, who see those of every customer. */
export function createOrderRecords(repository: OrderRecordRepository) {
  return {
    async get(orderId: string) {
      const record = await repository.find(orderId);
      if (record === undefined) throw new DomainError('notFound', `There is no order ${orderId}.`);
      return record;
    },
    demandsOf: repository.demandsOf,
    latestOf: (accountId: string) => repository.latestOf(accountId),
  };
}
