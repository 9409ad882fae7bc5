import { createHash } from 'node:crypto';

/**
 * The id of a delivery: the same for an event and an endpoint in every attempt and replay, so that receivers drop repetitions. A
 * version 5 UUID of the event's id in the namespace of the endpoint's id (RFC 9562, 5.5).
 */
export function deliveryId(webhookId: string, eventId: string): string {
  const namespace = Buffer.from(webhookId.replaceAll('-', ''), 'hex');
  const hash = createHash('sha1').update(namespace).update(eventId).digest().subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
