import {
  type EventKind,
  newEvent,
  type OrderEvent,
  type Payload,
  readEvent,
  type StoredEvent,
} from '@store/shared/messaging/events';

/** A new event as an outbox stores it. Its timestamp is now, unless the payload has one. */
export function storedEvent<K extends EventKind>(
  kind: K,
  payload: Omit<Payload<K>, 'timestamp'> & { timestamp?: string },
): StoredEvent {
  return newEvent(kind, { timestamp: new Date().toISOString(), ...payload } as Payload<K>);
}

/** The event as a consumer receives it: serialized, then parsed with its schema. */
export function receivedEvent(stored: StoredEvent): OrderEvent {
  const headers = { ce_id: stored.id, ce_type: stored.kind, traceparent: stored.traceparent ?? undefined };
  const origin = { topic: 'order-events', partition: 0, offset: '0' };
  const event = readEvent({ origin, key: stored.key, value: stored.payload, headers }, new Set([stored.kind]));
  if (event === undefined) throw new Error(`Unknown event kind ${stored.kind}`);
  return event as OrderEvent;
}
