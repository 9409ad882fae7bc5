import { dayMs } from '@store/shared/values/time';

/** How much of the log somebody has: everything committed up to a moment. */
export interface Position {
  /** Milliseconds since 1970, by the clock of the database. */
  at: string;
  /** One life of one database: another one may have lost what this one had, and given its transaction ids again. */
  incarnation: string;
  /** As PostgreSQL writes it: `xmin:xmax:xids`, where the xids were in progress. */
  snapshot: string;
}

/** Younger than the changes that are deleted (order-change-repository.ts), so that a client with such an id has missed none. */
const lifetimeMs = 7 * dayMs;

/** In ids of a previous release the rest of the snapshot follows. */
const pattern = /^(\d{13})-([\da-f]{16})-([1-9]\d{0,17})(?::[\d:,]*)?$/;

/** The id of an event with which a client has everything up to a position: all transactions below its xmin have ended. */
export const idOf = ({ at, incarnation, snapshot }: Position) => `${at}-${incarnation}-${snapshot.split(':')[0]}`;

/**
 * Returns the position of a client. Changes that were committed while an older transaction was still in progress are sent again.
 * @returns undefined for a text that is no such id, or the id of another incarnation, or one that is too old
 */
export function positionFrom(id: string, present: Position): Position | undefined {
  const [, at = '', incarnation, xmin] = pattern.exec(id) ?? [];
  if (incarnation !== present.incarnation || Number(at) < Number(present.at) - lifetimeMs) return undefined;
  return { at, incarnation, snapshot: `${xmin}:${xmin}:` };
}
