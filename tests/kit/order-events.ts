import { randomUUID } from 'node:crypto';
import {
  type EventKind,
  newEvent,
  type OrderEvent,
  type Payload,
  readEvent,
  type StoredEvent,
} from '@store/shared/messaging/events';

/** An event as somebody's outbox holds it; its id is new, and its time now unless the payload says another. */
export function storedEvent<K extends EventKind>(
  kind: K,
  payload: Omit<Payload<K>, 'timestamp'> & { timestamp?: string },
): StoredEvent {
  return newEvent(randomUUID(), kind, { timestamp: new Date().toISOString(), ...payload } as Payload<K>);
}

/** The same as a consumer gets it, having gone through JSON and its schema. */
export function receivedEvent(stored: StoredEvent): OrderEvent {
  const headers = { ce_id: stored.id, ce_type: stored.kind, traceparent: stored.traceparent ?? undefined };
  const event = readEvent({ key: stored.key, value: stored.payload, headers }, new Set([stored.kind]));
  if (event === undefined) throw new Error(`There is no kind ${stored.kind}`);
  return event;
}
