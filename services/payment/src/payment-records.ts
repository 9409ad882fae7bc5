import { DomainError } from '@store/shared/values/errors';
import type { PaymentRecordRepository } from './payment-record-repository.ts';

export type PaymentRecords = ReturnType<typeof createPaymentRecords>;

/** For operators, who see those of every customer. */
export function createPaymentRecords(repository: PaymentRecordRepository) {
  return {
    async get(orderId: string) {
      const record = await repository.find(orderId);
      if (record === undefined) throw new DomainError('notFound', `There is no payment of the order ${orderId}.`);
      return record;
    },
  };
}
