import { crc32 } from 'node:zlib';
import type { StoredEvent } from '../events.ts';

/** Another lane with fewer events would cost more than it gains. */
const laneEvents = 650;
/** With headers still below the largest batch that a broker accepts (1 MiB by default), even if all events go to one partition. */
const laneBytes = 768 * 1024;
const headerBytes = 512;

interface Lane<T> {
  publisher: T;
  events: StoredEvent[];
  bytes: number;
}

export const bytesOf = ({ payload }: StoredEvent): number => Buffer.byteLength(payload) + headerBytes;

/**
 * Divides events by key among as many publishers as pay off, up to the first event that does not fit into its lane. Events of one
 * key are in one lane, in order. An event that is too large for any lane gets a lane of its own.
 */
export function toLanes<T>(events: StoredEvent[], publishers: readonly T[]): Lane<T>[] {
  const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0);
  const worth = Math.ceil(Math.max(events.length / laneEvents, bytes / laneBytes));
  const lanes: Lane<T>[] = publishers.slice(0, worth).map((publisher) => ({ publisher, events: [], bytes: 0 }));
  for (const event of events) {
    const lane = lanes[crc32(event.key) % lanes.length];
    if (lane === undefined || (lane.events.length > 0 && lane.bytes + bytesOf(event) > laneBytes)) break;
    lane.events.push(event);
    lane.bytes += bytesOf(event);
  }
  return lanes.filter((lane) => lane.events.length > 0);
}
