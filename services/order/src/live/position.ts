import { dayMs } from '@store/shared/values/time';

/** How much of the log a client or process has: everything that was committed up to a moment. */
export interface Position {
  /** Milliseconds since 1970, by the clock of the database. */
  at: string;
  /** One start of one database. After another start, changes may be lost and their transaction ids used again. */
  incarnation: string;
  /** As PostgreSQL writes it: `xmin:xmax:xids`. Transactions `xids` were in progress. */
  snapshot: string;
}

/** Shorter than changes are kept (order-change-repository.ts), so that a client with a valid id misses none. */
const lifetimeMs = 7 * dayMs;

/** Ids of a previous release end with the rest of the snapshot. */
const pattern = /^(\d{13})-([\da-f]{16})-([1-9]\d{0,17})(?::[\d:,]*)?$/;

/** The id of an event after which a client has everything up to a position. All transactions below the xmin have ended. */
export const idOf = ({ at, incarnation, snapshot }: Position) => `${at}-${incarnation}-${snapshot.split(':')[0]}`;

/**
 * Returns the position of a client. Changes that were committed while an older transaction was in progress are sent again.
 * @returns undefined if the text is no such id, or the id is of another incarnation or too old
 */
export function positionFrom(id: string, present: Position): Position | undefined {
  const [, at = '', incarnation, xmin] = pattern.exec(id) ?? [];
  if (incarnation !== present.incarnation || Number(at) < Number(present.at) - lifetimeMs) return undefined;
  return { at, incarnation, snapshot: `${xmin}:${xmin}:` };
}
