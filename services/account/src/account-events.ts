import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import { type AccountEventKind, newEvent, type Payload, type StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import type { PrismaClient } from './generated/client.ts';

type About<K extends AccountEventKind> = Omit<Payload<K>, 'timestamp'>;

const eventOf = <K extends AccountEventKind>(kind: K, about: About<K>): StoredEvent =>
  newEvent(kind, { ...about, timestamp: new Date().toISOString() } as Payload<K>);

/** Writes an event about an account, in the transaction of the change that it announces (contract 6.1). */
export const announce = <K extends AccountEventKind>(tx: Transaction, kind: K, about: About<K>): void =>
  appendToOutbox(tx, eventOf(kind, about));

/**
 * Like `announce`, for a change that another service may report repeatedly. The transaction must hold the lock of the account.
 * @param id of the event, given by that service; an event with a known id is not written again
 */
export async function announceOnce<K extends AccountEventKind>(
  tx: TransactionOf<PrismaClient>,
  id: string,
  kind: K,
  about: About<K>,
): Promise<void> {
  const known = await tx.outbox.findUnique({ where: { id }, select: { id: true } });
  if (known === null) appendToOutbox(tx, { ...eventOf(kind, about), id });
}
