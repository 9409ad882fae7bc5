import { DomainError } from '@store/shared/values/errors';
import type { ReservationRecordRepository } from './reservation-record-repository.ts';

export type ReservationRecords = ReturnType<typeof createReservationRecords>;

/** For operators, who see those of every customer. */
export function createReservationRecords(repository: ReservationRecordRepository) {
  return {
    async get(orderId: string) {
      const record = await repository.find(orderId);
      if (record === undefined) throw new DomainError('notFound', `There is no reservation of the order ${orderId}.`);
      return record;
    },
  };
}
