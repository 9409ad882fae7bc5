import { type AccountEventKind, newEvent, type Payload } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import type { Transaction } from 'kysely';
import type { DB } from './generated/tables.ts';

/** Writes an event about an account, in the transaction of what it tells (contract 6.1). */
export const announce = <K extends AccountEventKind>(
  tx: Transaction<DB>,
  kind: K,
  about: Omit<Payload<K>, 'timestamp'>,
): Promise<void> => appendToOutbox(tx, newEvent(kind, { ...about, timestamp: new Date().toISOString() } as Payload<K>));
