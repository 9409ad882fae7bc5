/** As PostgreSQL writes it: `xmin:xmax:xids`, where the xids were in progress. */
export type Snapshot = string;

/**
 * What of the log a client has: everything that was committed by the snapshot `seen`; and of what was committed between it
 * and the snapshot `next`, the changes up to the number `seq`.
 */
export interface Cursor {
  seen: Snapshot;
  next: Snapshot;
  seq: string;
}

/** Younger than the changes that are deleted (order-changes.ts), so that a client with such a cursor has missed none. */
const lifetimeMs = 7 * 24 * 3_600_000;

const pattern = /^(\d{13})-(\d+:\d+:[\d,]*)-(\d+:\d+:[\d,]*)-(\d{1,18})$/;

/** @param now milliseconds, of the snapshot `next` at the latest */
export const cursorText = ({ seen, next, seq }: Cursor, now: number): string => `${now}-${seen}-${next}-${seq}`;

/**
 * @param present a snapshot that is later than the cursor
 * @returns undefined for a text that is no cursor, one that is too old, or one of a future that the database does not have
 *   any more, because it was restored from a dump
 */
export function cursorFrom(text: string, now: number, present: Snapshot): Cursor | undefined {
  const [, at, seen, next, seq] = pattern.exec(text) ?? [];
  if (seen === undefined || next === undefined || seq === undefined || Number(at) < now - lifetimeMs) return undefined;
  return xmaxOf(next) <= xmaxOf(present) ? { seen, next, seq } : undefined;
}

const xmaxOf = (snapshot: Snapshot) => BigInt(snapshot.split(':')[1] ?? 0);
