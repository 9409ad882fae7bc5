import type { Model } from './_linearizability.ts';

/** Pieces of one product. */
export type StockAction =
  | { kind: 'set'; pieces: number }
  | { kind: 'read'; pieces: number }
  | { kind: 'reserve'; pieces: number }
  | { kind: 'release'; pieces: number }
  /** An order for `pieces` was rejected. `lacking` is how many of them were missing; 0 if another product was. */
  | { kind: 'reject'; pieces: number; lacking: number };

/**
 * The stock of a product: a register for PUT and GET, and a counter for reserve and release, never below 0 (contract 4.9).
 * @param initial INITIAL_STOCK
 */
export const stockModel = (initial: number): Model<number, StockAction> => ({
  initial,
  isRead: ({ kind }) => kind === 'read' || kind === 'reject',
  next(available, action) {
    const { kind, pieces } = action;
    if (kind === 'set') return [pieces];
    if (kind === 'read') return available === pieces ? [available] : [];
    if (kind === 'reserve') return available >= pieces ? [available - pieces] : [];
    if (kind === 'release') return [available + pieces];
    return Math.max(0, pieces - available) === action.lacking ? [available] : [];
  },
});
