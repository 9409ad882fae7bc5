/** As PostgreSQL writes it: `xmin:xmax:xids`, where the xids were in progress. */
export type Snapshot = string;

/** Part of the log that somebody has: all that was committed by a moment. */
export interface Position {
  /** Milliseconds since 1970, by the clock of the database. */
  at: string;
  /** One life of one database: another one may have lost what this one had, and given its transaction ids again. */
  incarnation: string;
  snapshot: Snapshot;
}

/** Younger than the changes that are deleted (order-change-repository.ts), so that a client with such an id has missed none. */
const lifetimeMs = 7 * 24 * 3_600_000;

const maxLength = 200;
const pattern = /^(\d{13})-([\da-f]{16})-(\d{1,18}:\d{1,18}:(?:\d{1,18}(?:,\d{1,18})*)?)$/;

/** The id of an event with which a client has everything up to a position. */
export function idOf({ at, incarnation, snapshot }: Position): string {
  const id = `${at}-${incarnation}-${snapshot}`;
  if (id.length <= maxLength) return id;
  // Too many were in progress: what was committed beside them comes again.
  const [xmin] = snapshot.split(':');
  return `${at}-${incarnation}-${xmin}:${xmin}:`;
}

/** @returns undefined for a text that is no such id, or the id of another incarnation, or one that is too old */
export function positionFrom(id: string, present: Position): Position | undefined {
  const [, at = '', incarnation, snapshot = ''] = (id.length <= maxLength && pattern.exec(id)) || [];
  if (incarnation !== present.incarnation || Number(at) < Number(present.at) - lifetimeMs) return undefined;
  return { at, incarnation, snapshot };
}
