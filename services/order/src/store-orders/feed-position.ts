import { cursorUuid } from '@store/shared/database/keyset';

/** How far a client has read the orders of all customers, in the order of (xid, id). */
export interface FeedPosition {
  /** The transaction that changed the last order that was read. */
  xid: string;
  /** The order. */
  id: string;
  /**
   * The oldest transaction that was in progress when reading passed it. It may have committed changes since then that sort before this
   * position, so after the end reading continues from it. Undefined while all transactions up to this position have ended.
   */
  again?: string | undefined;
}

/** No order has this id, so that a position with it is before all orders of its transaction. */
const before = '00000000-0000-0000-0000-000000000000';

export const firstPosition: FeedPosition = { xid: '0', id: before };

export interface Read {
  /** The last order that was read; undefined if there was none after the position. */
  last: { xid: string; id: string } | undefined;
  /** All transactions before it have ended, in the snapshot that was read. */
  xmin: string;
  isMore: boolean;
}

/** Returns the position after a read. From the end it misses nothing: what was not visible yet has a transaction that is not before it. */
export function positionAfter({ again, ...position }: FeedPosition, { last, xmin, isMore }: Read): FeedPosition {
  if (!isMore) return { xid: again ?? xmin, id: before };
  const reached = last ?? position;
  return { ...reached, again: again ?? (BigInt(reached.xid) < BigInt(xmin) ? undefined : xmin) };
}

const pattern = /^([\da-f]{16})-(0|[1-9]\d{0,18})-([\da-f-]{36})(?:-([1-9]\d{0,18}))?$/;

export const textOf = (incarnation: string, { xid, id, again }: FeedPosition): string =>
  [incarnation, xid, id, ...(again === undefined ? [] : [again])].join('-');

/** @returns undefined if the text is no position */
export function positionIn(text: string): (FeedPosition & { incarnation: string }) | undefined {
  const [, incarnation, xid = '', id = '', again] = pattern.exec(text) ?? [];
  return incarnation === undefined || !cursorUuid.test(id) ? undefined : { incarnation, xid, id, again };
}
